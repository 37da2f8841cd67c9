// Real headers with invented values: which columns a guess takes, and which a person would take.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { guessImport } from '../../../src/import/guess/guess-import.ts';
import { csvReader } from '../../../src/import/readers/csv.ts';
import { parseMapping } from '../../../src/import/mapping/mapping.ts';
import { source } from '../sources.ts';
import { type Header, inventedRecords } from './invented-table.ts';

const HEADERS = readFileSync(new URL('../../../fixtures/tables/headers.ndjson', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Header);

const JUDGED = ['title', 'author', 'document_type', 'published_at'] as const;

/** The column that fills a field; null: none. */
async function guessed(header: Header): Promise<Readonly<Record<string, string | null>>> {
  const records = inventedRecords(header);
  const lines = [Object.keys(records[0]!), ...records.map((record) => Object.values(record))];
  const text = lines.map((cells) => cells.map((cell) => `"${cell}"`).join(',')).join('\n');
  const { map } = await guessImport(() => csvReader(source(text)), { feedId: 'r' });
  const rules = parseMapping(map);
  return Object.fromEntries(
    JUDGED.map((field) => {
      const written = rules.find(({ target }) => target === field)?.written ?? null;
      const name = written === null ? null : (/^\{(.+)\|.*\}$/.exec(written)?.[1] ?? written);
      return [field, name === null ? null : name.replace(/^\//, '').replaceAll('~1', '/').replaceAll('~0', '~')];
    }),
  );
}

it('takes the columns that a person would take, in nine of ten real headers', async () => {
  const wrong: string[] = [];
  for (const header of HEADERS) {
    const answer = await guessed(header);
    const faults = JUDGED.filter((field) => !header[field].includes(answer[field]!));
    if (faults.length > 0) {
      wrong.push(`${header.of}: ${faults.map((f) => `${f} ${answer[f]}, not ${header[f].join(' or ')}`).join('; ')}`);
    }
  }
  expect(HEADERS.length).toBeGreaterThanOrEqual(60);
  expect(wrong.length / HEADERS.length, wrong.join('\n')).toBeLessThanOrEqual(0.1);
});
