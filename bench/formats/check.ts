// What is checked before anything is timed: every contestant's documents, through the table's reader, and the bare loop's
// against the native writer's, byte for byte.
import { type Contestant, documentOf } from '../harness.ts';
import { expectEqual, type Input, pageAt, type Table } from './table.ts';

/** Which documents of a table of pages are checked. */
const CHECKED_PAGES = [0, 7];

/** @throws Error naming the first document that is not what it should be. */
export async function checkDocuments(table: Table, input: Input, contestants: readonly Contestant[]): Promise<void> {
  await checkBareLoop(table, contestants);
  for (const index of indexesOf(table)) {
    const pages = table.shape === 'whole' ? input.pages : [pageAt(input, index)];
    const expected = { ...input, pages, records: pages.flatMap(({ records }) => records) };
    for (const contestant of contestants) await table.check(await documentOf(contestant, index), expected, contestant);
  }
}

/** The part of the check that needs no reader. @throws Error unless the bare loop writes what the native writer writes. */
export async function checkBareLoop(table: Table, contestants: readonly Contestant[]): Promise<void> {
  const native = contestants.find(({ role }) => role === 'native')!;
  const loop = contestants.find(({ role }) => role === 'bare loop')!;
  for (const index of indexesOf(table)) {
    const [own, bare] = [await documentOf(native, index), await documentOf(loop, index)];
    // As text, so that the message shows the first difference; in Latin-1 every byte is a character.
    const what = `${table.id}: what the bare loop writes`;
    if (!own.equals(bare)) expectEqual(what, bare.toString('latin1'), own.toString('latin1'));
  }
}

function indexesOf({ shape }: Table): readonly number[] {
  return shape === 'whole' ? [0] : CHECKED_PAGES;
}
