// The register every benchmark writes: decisions on environmental permits, made from a position alone, so that any
// record can be made without those before it and two runs on two machines write the same bytes. About 20 % of the
// texts go beyond Latin-1; commas, quotes, line ends and markup stand in them as often as in real registers.
import { defineRegister } from '../src/register/definition.ts';
import { recordKey } from '../src/register/identity.ts';
import { offsetAfter, PAGE_SIZE, type Page } from '../src/register/page.ts';
import type { RegisterDefinition, RegisterRecord } from '../src/register/record.ts';
import type { RegisterSource, RegisterStream } from '../src/register/sources/source.ts';
import { checkLimit, checkOffset } from '../src/register/query.ts';
import { Random } from './random.ts';
import {
  APPLICANTS,
  AUTHORS,
  DOCUMENT_TYPES,
  PLACES,
  SENTENCES,
  SUBJECTS,
  WIDE_APPLICANTS,
  WIDE_SENTENCES,
} from './vocabulary.ts';

/** The share of texts that go beyond Latin-1. */
export const WIDE_SHARE = 0.2;

const HEAD = {
  id: 'permits',
  title: 'Environmental permits',
  description: 'Decisions on environmental permits.',
  language: 'en',
  author: 'Environment Office',
  rights: 'CC0 1.0',
  homepage: 'https://permits.example.org/',
  created_at: '2009-01-01T00:00:00Z',
  authority: 'permits.example.org',
  year: 2009,
} as const;

/** The register with fields of its own: 19 columns of every scalar type. */
export const DEFINITION: RegisterDefinition = defineRegister({
  ...HEAD,
  fields: [
    { name: 'applicant', label: 'Applicant', type: 'text' },
    { name: 'fee', label: 'Fee', type: 'number', description: 'In euros.' },
    { name: 'valid_until', label: 'Valid until', type: 'date' },
    { name: 'appealed', label: 'Appealed', type: 'boolean' },
  ],
});

/** The register without fields of its own: the 15 columns every register has. */
export const CORE_DEFINITION: RegisterDefinition = defineRegister(HEAD);

/** 2010-01-01T00:00:00Z, when the first record was published. */
const EPOCH_MS = 1_262_304_000_000;

/** One record is published about every eight minutes: a million of them span sixteen years. */
const STEP_MS = 500_000;

/**
 * The record at `position`, from 1: the same on every machine. `definition` is one of the two above; only the fields it
 * has are filled.
 */
export function benchRecord(position: number, definition: RegisterDefinition = DEFINITION): RegisterRecord {
  const random = new Random(position);
  const published = EPOCH_MS + position * STEP_MS;
  const id = `permits:${String(position).padStart(7, '0')}`;
  const place = random.pick(PLACES);
  const html = random.chance(0.4);
  return {
    id,
    feed_id: 'permits',
    key: recordKey(id),
    title: `${place}: ${random.pick(SUBJECTS)}${random.chance(WIDE_SHARE) ? ' – № ' : ', no. '}${position}`,
    summary: random.chance(0.06) ? null : paragraph(random, 2 + random.below(2), random.chance(0.1) ? '\n' : ' '),
    content: random.chance(0.6) ? null : html ? markup(random, place) : paragraph(random, 4, '\n\n'),
    content_type: html ? 'html' : 'text',
    author: random.chance(0.1) ? null : random.pick(AUTHORS),
    document_type: random.chance(0.03) ? null : documentType(random),
    facility_id: random.chance(0.05) ? null : `FAC-${String(random.below(4000)).padStart(4, '0')}`,
    source_url: `https://permits.example.org/decisions/${position}?lang=en&view=full`,
    published_at: random.chance(0.04)
      ? null
      : random.chance(0.3)
        ? dateTime(published)
        : dateTime(published).slice(0, 10),
    observed_at: dateTime(published + random.below(5) * 86_400_000 + 44_000),
    updated_at: random.chance(0.3) ? dateTime(published + 40 * 86_400_000) : null,
    version: random.chance(0.3) ? 2 + random.below(3) : 1,
    position,
    data: definition.fields.length === 0 ? {} : ownFields(random, published),
  };
}

function ownFields(random: Random, published: number): RegisterRecord['data'] {
  return {
    applicant: random.pick(random.chance(WIDE_SHARE) ? WIDE_APPLICANTS : APPLICANTS),
    fee: random.chance(0.2) ? null : random.below(500_000) / 100,
    valid_until: random.chance(0.3) ? null : dateTime(published + 1000 * 86_400_000).slice(0, 10),
    appealed: random.chance(0.1) ? null : random.chance(0.15),
  };
}

function documentType(random: Random): string {
  return random.chance(0.001) ? DOCUMENT_TYPES.at(-1)! : DOCUMENT_TYPES[random.below(DOCUMENT_TYPES.length - 1)]!;
}

function paragraph(random: Random, sentences: number, between: string): string {
  const wideAt = random.chance(WIDE_SHARE) ? random.below(sentences) : -1;
  let text = '';
  for (let at = 0; at < sentences; at++) {
    if (at > 0) text += between;
    text += random.pick(at === wideAt ? WIDE_SENTENCES : SENTENCES);
  }
  return text;
}

function markup(random: Random, place: string): string {
  return `<h3>${place}</h3>\n<p>${escapeHtml(paragraph(random, 3, ' '))}</p><ul class="conditions"><li>${escapeHtml(random.pick(SENTENCES))}</li><li>Annex <a href="https://permits.example.org/annex/${random.below(900)}?a=1&amp;b=2">A</a></li></ul>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function dateTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Records as a store or a file hands them over: no text is a chain of pieces that its first reader has to join. */
function settled(record: RegisterRecord): RegisterRecord {
  return JSON.parse(JSON.stringify(record)) as RegisterRecord;
}

/** The `count` newest records of a register that has exactly as many, newest first. */
export function benchRecords(count: number, definition: RegisterDefinition = DEFINITION): RegisterRecord[] {
  return Array.from({ length: count }, (_, index) => settled(benchRecord(count - index, definition)));
}

/** Records as the pages a register of exactly these would give. */
export function benchPages(records: readonly RegisterRecord[], size: number = PAGE_SIZE): Page[] {
  const pages: Page[] = [];
  for (let start = 0; start === 0 || start < records.length; start += size) {
    const end = start + size;
    const nextOffset = end < records.length ? end : null;
    pages.push({ records: records.slice(start, end), nextOffset, asOf: records.length });
  }
  return pages;
}

/** A register of `count` records that are made as they are read: nothing of it is held in memory. */
export function benchSource(count: number, definition: RegisterDefinition = DEFINITION): RegisterSource {
  return {
    definition,
    revision: () => `bench-${count}`,
    lastChange: () => LAST_CHANGE,
    page: (query) => {
      const first = count - checkOffset(query.offset);
      const length = Math.max(0, Math.min(checkLimit(query.limit), first));
      const records = Array.from({ length }, (_, index) => benchRecord(first - index, definition));
      const last = first - length + 1;
      return { records, nextOffset: last > 1 && length > 0 ? offsetAfter(count, last) : null, asOf: count };
    },
  };
}

/** The same register as a one-pass stream. */
export function benchStream(count: number, definition: RegisterDefinition = DEFINITION): RegisterStream {
  const source = benchSource(count, definition);
  return {
    definition,
    lastChange: () => LAST_CHANGE,
    async *pages() {
      for (let offset: number | null = 0; offset !== null;) {
        const page: Page = await source.page({ offset, limit: PAGE_SIZE });
        yield page;
        offset = page.nextOffset;
      }
    },
  };
}

/** When the benchmark's registers last changed. */
export const LAST_CHANGE = '2026-01-01T00:00:00Z';
