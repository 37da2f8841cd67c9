// The register in which the benchmarks of finding look: decisions with about 300 bytes of text, or 1 KB, a word that one
// record in 10,000 has, one that every other record has, and filterable fields. Made of a record's position alone.
import { defineRegister } from '../../src/register/definition.ts';
import type { Filter } from '../../src/register/page.ts';
import type { RegisterDefinition } from '../../src/register/record.ts';
import type { PublishedRecord } from '../../src/stores/contract/prepared-record.ts';
import { Random } from '../random.ts';
import { writeLines } from '../store/data.ts';
import { DOCUMENT_TYPES, PLACES, SENTENCES, SUBJECTS } from '../vocabulary.ts';

/** How many records there are to one that has the rare word. */
export const RARE_EVERY = 10_000;

/** How many bytes of text a record has. */
export type TextBytes = 300 | 1000;

/** 2010-01-01T00:00:00Z. A million records span sixteen years. */
const EPOCH_MS = 1_262_304_000_000;
const STEP_MS = 500_000;

/** The register, searched or not. */
export function findDefinition(isSearched: boolean): RegisterDefinition {
  return defineRegister({
    ...{ id: 'permits', title: 'Environmental permits', created_at: '2009-01-01T00:00:00Z' },
    ...(isSearched ? {} : { search: false }),
    fields: [
      { name: 'municipality', type: 'text', filterable: true },
      { name: 'fee', type: 'number', filterable: true },
      { name: 'expires', type: 'date', filterable: true },
      { name: 'applicant', type: 'text' },
    ],
  });
}

/** What the pages are asked, of a register of so many records, by the name of the contestant. */
export function findFilters(size: number): Readonly<Record<string, Filter>> {
  const middle = new Date(EPOCH_MS + (size / 2) * STEP_MS);
  const monthAfter = (months: number): string =>
    new Date(Date.UTC(middle.getUTCFullYear(), middle.getUTCMonth() + months, 1)).toISOString().slice(0, 10);
  const month = { published_since: monthAfter(0), published_until: monthAfter(1) };
  return {
    'a rare word': { q: 'tritium' },
    'a common word': { q: 'neighbours' },
    'a month in the middle': month,
    'eight days in the middle': { published_since: dayOf(size / 2), published_until: dayOf(size / 2 + 1500) },
    'an own field': { 'data.municipality': PLACES[3]! },
    'all together': { ...month, q: 'neighbours', 'data.municipality': PLACES[3]!, 'data.fee_min': '100' },
  };
}

/** Writes `count` records as NDJSON, from new to old. */
export async function writeFound(path: string, count: number, bytes: TextBytes): Promise<void> {
  await writeLines(path, count, (position) => `${JSON.stringify(foundRecord(position, bytes))}\n`);
}

function foundRecord(position: number, bytes: TextBytes): PublishedRecord {
  const random = new Random(position);
  const place = random.pick(PLACES);
  const id = `permits:${String(position).padStart(7, '0')}`;
  const title = `${place}: ${random.pick(SUBJECTS)}, no. ${position}`;
  let text = `${position % RARE_EVERY === 1 ? 'Tritium. ' : ''}${position % 2 === 0 ? 'To the neighbours. ' : ''}`;
  while (title.length + text.length < bytes - 40) text += `${random.pick(PLAIN)} `;
  return {
    id,
    feed_id: 'permits',
    title,
    summary: text.slice(0, bytes - title.length).trim(),
    content: null,
    content_type: 'text',
    author: null,
    document_type: random.pick(DOCUMENT_TYPES),
    facility_id: `F-${random.below(20_000)}`,
    source_url: `https://permits.example.org/${position}`,
    published_at: dayOf(position),
    observed_at: null,
    data: {
      municipality: random.pick(PLACES),
      fee: random.below(2000),
      expires: dayOf(position + 50_000),
      applicant: `Applicant ${random.below(500)}`,
    },
  };
}

/** Sentences that do not have the common word. */
const PLAIN = SENTENCES.filter((sentence) => !sentence.includes('neighbours'));

function dayOf(position: number): string {
  return new Date(EPOCH_MS + Math.round(position) * STEP_MS).toISOString().slice(0, 10);
}
