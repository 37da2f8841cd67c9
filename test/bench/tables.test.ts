// The tables of `npm run bench -- formats` check every contestant's documents before they time anything. Here the same check
// runs over our own contestants, so that a change of a writer cannot leave its table behind. The packages of bench/ are not
// installed for tests: theirs are checked by the benchmarks, and workbooks only byte for byte.
import { describe, expect, it } from 'vitest';
import { loadTable, TABLE_IDS } from '../../bench/formats.ts';
import { checkBareLoop, checkDocuments } from '../../bench/formats/check.ts';
import { type Input, inputOf } from '../../bench/formats/table.ts';
import { documentOf } from '../../bench/harness.ts';
import type { RegisterRecord } from '../../src/register/record.ts';

/** Records: a page and a half. */
const COUNT = 150;

/** The tables whose reader is a package of bench/. */
const READ_BY_BENCH = ['xlsx', 'xlsx-page'];

/** Texts that the generated records do not have, and that a writer changes. */
const CHANGED = [
  'a\0b',
  `long enough to be searched another way, with \0 in it`,
  '=1+1',
  "'=1+1",
  '"\0"',
  '\ud800',
  'a\rb',
];

/** The same input, with texts in its records that writers change. */
function withChangedTexts(input: Input): Input {
  const change = (record: RegisterRecord, at: number): RegisterRecord => {
    const text = CHANGED[at % CHANGED.length]!;
    return { ...record, title: `${text} ${at}`, summary: text, content: text, content_type: 'text', author: text };
  };
  const records = input.records.map(change);
  return { ...input, records, pages: [{ ...input.pages[0]!, records, nextOffset: null }] };
}

describe.each(TABLE_IDS)('the benchmark table %s', (id) => {
  it('finds in our documents what it checks', async () => {
    const table = await loadTable(id);
    const input = inputOf(table, COUNT);
    const ours = await table.ours(input);
    expect(ours.map(({ role }) => role)).toEqual(['native', 'bare loop', 'reference']);
    await (READ_BY_BENCH.includes(id) ? checkBareLoop(table, ours) : checkDocuments(table, input, ours));
  });

  it('has a bare loop that writes the same bytes for texts that the writer changes', async () => {
    const table = await loadTable(id);
    await checkBareLoop(table, await table.ours(withChangedTexts(inputOf(table, COUNT))));
  });

  it('refuses a bare loop that writes something else', async () => {
    const table = await loadTable(id);
    const input = inputOf(table, COUNT);
    const [native, loop] = await table.ours(input);
    const document = await documentOf(native!);
    const other = {
      ...loop!,
      run: (out: { write(chunk: Uint8Array): void }) => {
        out.write(document.with(document.length >> 1, document[document.length >> 1]! ^ 1));
      },
    };
    await expect(checkBareLoop(table, [native!, other])).rejects.toThrow(`${id}: what the bare loop writes: expected`);
  });
});
