// The register of the stores' tests, and helpers to write and read records.
import { defineRegister } from '../../register/definition.ts';
import type { Page } from '../../register/page.ts';
import type { RegisterDefinition, RegisterRecord } from '../../register/record.ts';
import { uuidsIn } from '../../register/uuid.ts';
import { pages, type WalkOptions } from '../../register/sources/source.ts';
import { coreField, STATED_FIELDS } from '../../register/fields.ts';
import type { PublishedRecord } from '../../stores/contract/prepared-record.ts';
import type { RegisterStore } from '../../stores/contract/registers.ts';

/** Opens an empty store. */
export type OpenStore = () => Promise<{ readonly store: RegisterStore; readonly dispose: () => Promise<void> }>;

/** A definition with one field of several types. */
export function permits(id = 'permits'): RegisterDefinition {
  return defineRegister({
    id,
    title: 'Environmental permits',
    created_at: '2026-01-01T00:00:00Z',
    // Fixed, and each register’s own.
    uuid: uuidsIn('2ed6657d-e927-568b-95e1-2665a8aea6a2')(id),
    authority: 'example.org',
    year: 2026,
    fields: [
      { name: 'amount', type: 'number' },
      { name: 'applicant', type: 'text' },
      { name: 'conditions', type: 'json' },
    ],
  });
}

/** What a statement has of the fields that it does not state. */
const NOTHING_STATED = Object.fromEntries(
  STATED_FIELDS.map((name) => [name, coreField(name).values?.[0] ?? null]),
) as unknown as PublishedRecord;

/** A publisher's statement of the record `key`; members that are not given are the same for all. */
export function say(key: string, said: Partial<PublishedRecord> = {}, feedId = 'permits'): PublishedRecord {
  return {
    ...NOTHING_STATED,
    id: `${feedId}:${key}`,
    feed_id: feedId,
    title: `Permit ${key}`,
    author: 'Environment Agency',
    document_type: 'adopted',
    ...inFacility('FAC-0001'),
    source_url: `https://example.org/permits/${key}`,
    published_at: '2026-04-17',
    data: { amount: 12.5, applicant: 'Acme', conditions: ['a', { b: null }] },
    ...said,
  };
}

/** What a statement says of its facility, and the filter that asks for it. */
export function inFacility<Facility extends string | null>(facility: Facility): { readonly facility_id: Facility } {
  return { facility_id: facility };
}

/** Times one minute apart: `at(0)` is 2026-05-01T00:00:00.000Z. */
export function at(minute: number): string {
  return new Date(Date.UTC(2026, 4, 1) + minute * 60_000).toISOString();
}

/** All pages of a walk. */
export async function walk(store: RegisterStore, options: WalkOptions = {}, feedId = 'permits'): Promise<Page[]> {
  const found: Page[] = [];
  for await (const page of pages(await store.source(feedId), options)) found.push(page);
  return found;
}

/** The keys of all records of a walk, in its order. */
export async function keys(store: RegisterStore, options: WalkOptions = {}, feedId = 'permits'): Promise<string[]> {
  return (await walk(store, options, feedId)).flatMap(({ records }) => records.map(keyOf));
}

/** A record's key. */
export function keyOf({ id }: Pick<RegisterRecord, 'id'>): string {
  return id.slice(id.indexOf(':') + 1);
}

/** Texts that a driver, a thread or a transcript is most likely to corrupt. */
export const HOSTILE_TEXTS: readonly string[] = [
  'a\0b',
  '\u0001',
  '\u0001"a"',
  '😀 𝒳',
  '\ufeff\ufffe\uffff',
  '\\N\t\r\n\u001e\u001f"\'{},',
  'ÿĀ',
  'x'.repeat(1_000_000),
  '–'.repeat(300_000),
  ' ',
];

/** A record with a text wherever any text is allowed, and null or the empty text in its other places. */
export function sayOdd(key: string, text: string): PublishedRecord {
  return say(key, {
    title: text,
    summary: text,
    content: '',
    author: text.length > 1000 ? null : text,
    document_type: text.length > 1000 ? '' : text,
    ...inFacility(null),
    published_at: null,
    data: { applicant: text, amount: null, conditions: { [text.slice(0, 10)]: [text.slice(0, 10), -0.5e-7] } },
  });
}
