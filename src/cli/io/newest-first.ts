// Turns a stream of records round, or sorts it by date: newest first, as documents and feeds show it. Meanwhile its
// records are in a private database on disk that SQLite deletes by itself, so that memory stays constant.
import { deserialize, serialize } from 'node:v8';
import { type Page, PAGE_SIZE } from '../../register/page.ts';
import type { RegisterRecord } from '../../register/record.ts';
import { dateKey, type Order } from '../../register/sources/order.ts';
import type { RegisterStream } from '../../register/sources/source.ts';
import { later, latestTime } from '../../register/time.ts';

/**
 * The stream with its newest record first, if its records run in this order. It is read to its end before the first page; its
 * last change is then not older than any record's.
 */
export function newestFirst(stream: RegisterStream, order: Order): RegisterStream {
  let latest: string | null = null;
  const see = (records: readonly RegisterRecord[]): void => {
    latest = laterOf(latest, latestTime(records));
  };
  return {
    ...withPages(stream, (pages) => turnedRound(pages, order, see)),
    lastChange: async () => laterOf((await stream.lastChange?.()) ?? null, latest),
  };
}

function laterOf(a: string | null, b: string | null): string | null {
  return a === null || b === null ? (a ?? b) : later(a, b);
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

async function* turnedRound(
  pages: AsyncIterable<Page>,
  order: Order,
  see: (records: readonly RegisterRecord[]) => void,
): AsyncGenerator<Page, void, undefined> {
  // Loaded only here: other exports do not need SQLite.
  const { DatabaseSync } = await import('node:sqlite');
  // For SQLite, the empty name means a temporary database of one connection, deleted when it closes.
  const database = new DatabaseSync('');
  try {
    database.exec(
      'PRAGMA journal_mode = OFF; PRAGMA cache_size = -4096; CREATE TABLE record (ms INTEGER, rest INTEGER, value BLOB); BEGIN',
    );
    const insert = database.prepare('INSERT INTO record VALUES (?, ?, ?)');
    for await (const { records } of pages) {
      see(records);
      for (const record of records) {
        const date = order === 'by-date' && record.published_at !== null ? dateKey(record.published_at) : null;
        // Not JSON, which has no -0.
        insert.run(date?.ms ?? null, date?.rest ?? null, serialize(record));
      }
    }
    // Records without a date are the oldest: SQLite sorts null first, and so last here.
    const rows = database.prepare(
      `SELECT value FROM record ORDER BY ${order === 'by-date' ? 'ms DESC, rest DESC, ' : ''}rowid ${order === 'newest-first' ? 'ASC' : 'DESC'}`,
    );
    let records: RegisterRecord[] = [];
    let given = 0;
    for (const { value } of rows.iterate()) {
      if (records.length === PAGE_SIZE) {
        given += records.length;
        yield { records, nextOffset: given, asOf: null };
        records = [];
      }
      records.push(deserialize(value as Uint8Array) as RegisterRecord);
    }
    yield { records, nextOffset: null, asOf: null };
  } finally {
    database.close();
  }
}
