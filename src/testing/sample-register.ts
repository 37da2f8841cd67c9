// A deterministic register with every field type and ordinary texts, for contract tests that need many records or known
// ones. Every format can represent it unchanged.
import type { DocumentHead } from '../formats/format.ts';
import { defineRegister } from '../register/definition.ts';
import { recordKey } from '../register/identity.ts';
import { CORE_FIELDS } from '../register/fields.ts';
import { recordOfValues, type RegisterDefinition, type RegisterRecord } from '../register/record.ts';

/** A register with a field of every type. */
export const SAMPLE_DEFINITION: RegisterDefinition = defineRegister({
  id: 'permits',
  title: 'Environmental permits',
  description: 'Decisions on permits.',
  language: 'en',
  author: 'Environment Office',
  rights: 'CC0',
  homepage: 'https://example.org/permits',
  created_at: '2026-01-01T00:00:00Z',
  uuid: '0d4e9d0b-6f3a-4c8e-9b1d-6a2f5c7e8d90',
  authority: 'example.org',
  year: 2026,
  fields: [
    { name: 'applicant', label: 'Applicant', type: 'text' },
    { name: 'amount', label: 'Amount', type: 'number', description: 'Fee in euros.' },
    { name: 'pages', label: 'Pages', type: 'integer' },
    { name: 'appealed', label: 'Appealed', type: 'boolean' },
    { name: 'valid_from', label: 'Valid from', type: 'date' },
    { name: 'heard_at', label: 'Heard at', type: 'datetime' },
    { name: 'map_url', label: 'Map', type: 'url' },
    { name: 'parts', label: 'Parts', type: 'json' },
  ],
});

/** The head of a document of that register. */
export const SAMPLE_HEAD: DocumentHead = {
  definition: SAMPLE_DEFINITION,
  lastChange: '2026-05-02T10:00:00Z',
  asOf: null,
};

/** `count` records, newest first, each different; every sixth has nulls wherever they are allowed. */
export function sampleRecords(count: number): RegisterRecord[] {
  return Array.from({ length: count }, (_, index) => sampleRecord(count - index));
}

/** The sample's record at `position`, with some properties changed. */
export function sampleRecord(position: number, changes: Partial<RegisterRecord> = {}): RegisterRecord {
  const id = changes.id ?? `permits:2026-${String(position).padStart(4, '0')}`;
  const sparse = position % 6 === 0;
  const day = String((position % 28) + 1).padStart(2, '0');
  return {
    // The fields that nobody added here are null.
    ...recordOfValues(
      CORE_FIELDS.map(() => null),
      {},
    ),
    id,
    feed_id: 'permits',
    key: recordKey(id),
    title: `Permit ${position}: Müller & Söhne, "Nordhafen"`,
    summary: sparse ? null : `Discharge of cooling water, ${position} m³ a day.\nSecond line.`,
    content: sparse
      ? null
      : position % 2 === 0
        ? `<p>Granted <b>no. ${position}</b></p>`
        : 'Granted; conditions apply.',
    content_type: position % 2 === 0 ? 'html' : 'text',
    author: sparse ? null : 'Environment Office',
    document_type: sparse ? null : ['adopted', 'draft', 'revoked'][position % 3]!,
    facility_id: sparse ? null : `FAC-${position % 40}`,
    source_url: `https://example.org/permits/${position}?lang=de&v=1`,
    published_at: sparse ? null : `2026-04-${day}`,
    observed_at: `2026-04-${day}T08:12:44Z`,
    updated_at: sparse ? null : `2026-05-${day}T10:00:00Z`,
    version: (position % 3) + 1,
    position,
    data: {
      applicant: sparse ? null : `Wasserwerk ${position} — 水`,
      amount: sparse ? null : position * 1.25,
      pages: sparse ? null : position,
      appealed: sparse ? null : position % 4 === 0,
      valid_from: sparse ? null : `2027-01-${day}`,
      heard_at: sparse ? null : `2026-03-${day}T08:30:00Z`,
      map_url: sparse ? null : `https://maps.example.org/?x=${position}&y=2`,
      parts: sparse ? null : { area: position, kinds: ['water', 'air'] },
    },
    ...changes,
  };
}
