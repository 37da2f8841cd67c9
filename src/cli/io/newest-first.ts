// Reverses a stream of records: a file that runs oldest first becomes newest first, as documents and feeds show it.
// Meanwhile its records are in a private database on disk that SQLite deletes by itself, so that memory stays constant.
import { deserialize, serialize } from 'node:v8';
import { type Page, PAGE_SIZE } from '../../register/page.ts';
import type { RegisterRecord } from '../../register/record.ts';
import type { RegisterStream } from '../../register/sources/source.ts';

/** The stream in reverse order. It is read to its end before the first page is returned. */
export function newestFirst(stream: RegisterStream): RegisterStream {
  return withPages(stream, turnedRound);
}

/** The stream with its pages converted by `change`. */
export function withPages(
  stream: RegisterStream,
  change: (pages: AsyncIterable<Page>) => AsyncIterable<Page>,
): RegisterStream {
  return {
    definition: stream.definition,
    lastChange: () => stream.lastChange?.() ?? null,
    pages: (options) => change(stream.pages(options)),
  };
}

async function* turnedRound(pages: AsyncIterable<Page>): AsyncGenerator<Page, void, undefined> {
  // Loaded only here: other exports do not need SQLite.
  const { DatabaseSync } = await import('node:sqlite');
  // For SQLite, the empty name means a temporary database of one connection, deleted when it closes.
  const database = new DatabaseSync('');
  try {
    database.exec('PRAGMA journal_mode = OFF; PRAGMA cache_size = -4096; CREATE TABLE record (value BLOB); BEGIN');
    const insert = database.prepare('INSERT INTO record VALUES (?)');
    let left = 0;
    for await (const { records } of pages) {
      // Not JSON, which has no -0.
      for (const record of records) insert.run(serialize(record));
      left += records.length;
    }
    const select = database.prepare('SELECT value FROM record WHERE rowid <= ? ORDER BY rowid DESC LIMIT ?');
    const total = left;
    do {
      const rows = select.all(left, PAGE_SIZE);
      const records = rows.map(({ value }) => deserialize(value as Uint8Array) as RegisterRecord);
      left -= records.length;
      yield { records, nextOffset: left === 0 ? null : total - left, asOf: null };
    } while (left > 0);
  } finally {
    database.close();
  }
}
