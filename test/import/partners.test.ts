// Every stream's partners: the reader goes, the source fails, the reader is slow, the user interrupts.
import { describe, expect, it } from 'vitest';
import type { ByteSource } from '../../src/import/readers/byte-source.ts';
import { jsonReader } from '../../src/import/readers/json.ts';
import { ndjsonReader } from '../../src/import/readers/ndjson.ts';
import { openRecordStream } from '../../src/import/record-stream.ts';
import type { RecordReader } from '../../src/import/readers/raw-record.ts';
import { readAll, WatchedSource } from './sources.ts';
import { letPass } from '../until.ts';

const READERS: readonly [string, (source: ByteSource) => RecordReader][] = [
  ['JSON', jsonReader],
  ['NDJSON', ndjsonReader],
];

/** Pieces of one record each, for either format. */
function* pieces(format: string, count = Infinity, first = 0): Generator<string> {
  for (let id = first; id < first + count; id++) {
    const record = JSON.stringify({ id: String(id), title: 'A notice', source_url: 'https://example.org/' });
    yield format === 'JSON' ? `${id === 0 ? '[' : ','}${record}` : `${record}\n`;
  }
}

describe.each(READERS)('a %s reader', (format, open) => {
  it('closes its source when its own reader goes', async () => {
    const source = new WatchedSource(pieces(format));
    for await (const batch of open(source).batches()) {
      expect(batch.records).toHaveLength(1);
      break;
    }
    expect(source.closed).toBe(1);
    expect(source.taken).toBe(1);
  });

  it('passes the failure of its source on as it is, and closes it', async () => {
    const source = new WatchedSource(pieces(format, 3), 'throw');
    await expect(readAll(open(source))).rejects.toThrow(/^the disk is gone$/);
    expect(source.closed).toBe(1);
  });

  it('says which file the system could not read', async () => {
    const failure = Object.assign(new Error('EISDIR: illegal operation on a directory, read'), {
      code: 'EISDIR',
      syscall: 'read',
    });
    const source: ByteSource = {
      name: 'folder',
      open: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(failure) }) }),
    };
    await expect(readAll(open(source))).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'folder cannot be read: it is a folder',
      cause: failure,
    });
  });

  it('reads no further than its reader asks', async () => {
    const source = new WatchedSource(pieces(format));
    const batches = open(source).batches();
    for (let asked = 1; asked <= 5; asked++) {
      await batches.next();
      await letPass(2, 'who reads ahead would have taken more by now');
      expect(source.taken).toBe(asked);
    }
    await batches.return();
    expect(source.closed).toBe(1);
  });

  it('ends at once when it is cancelled while its source waits', async () => {
    const source = new WatchedSource(pieces(format, 2), 'wait');
    const cancel = new AbortController();
    const read = (async () => {
      for await (const batch of open(source).batches(cancel.signal)) expect(batch.records).toHaveLength(1);
    })();
    void source.waits.then(() => {
      cancel.abort(new Error('enough'));
    });
    await expect(read).rejects.toMatchObject({ code: 'aborted', cause: new Error('enough') });
    expect(source.closed).toBe(1);
  });

  it('opens nothing when it is cancelled already', async () => {
    const source = new WatchedSource(pieces(format));
    await expect(open(source).batches(AbortSignal.abort()).next()).rejects.toMatchObject({ code: 'aborted' });
    expect(source.taken).toBe(0);
  });
});

describe.each(READERS)('a register over %s', (format, open) => {
  const options = { observedAt: '2026-01-01' };

  it('closes its source when the reader of its pages goes', async () => {
    const source = new WatchedSource(pieces(format));
    const stream = await openRecordStream(open(source), options);
    for await (const page of stream.pages()) {
      expect(page).toMatchObject({ nextOffset: 100, asOf: null });
      expect(page.records).toHaveLength(100);
      break;
    }
    expect(source.closed).toBe(1);
  });

  it('closes its source when it is never read', async () => {
    const source = new WatchedSource(pieces(format));
    const stream = await openRecordStream(open(source), options);
    await stream.close();
    expect(source.closed).toBe(1);
    await expect(stream.pages().next()).rejects.toMatchObject({ code: 'invalid_option' });
  });

  it('closes its source when a record is wrong, in the first ones and behind', async () => {
    for (const [count, opens] of [
      [3, true],
      [1500, false],
    ] as const) {
      const source = new WatchedSource(
        (function* () {
          yield* pieces(format, count);
          yield format === 'JSON' ? ',{"id":"x"}' : '{"id":"x"}\n';
          yield* pieces(format, Infinity, count);
        })(),
      );
      const stream = await openRecordStream(open(source), options);
      await expect(Array.fromAsync(stream.pages())).rejects.toMatchObject({ code: 'invalid_record' });
      expect(source.closed).toBe(1);
      expect(source.taken).toBeLessThan(opens ? 1100 : 1600);
    }
  });

  it('passes the failure of its source on, in the first records and behind', async () => {
    const early = new WatchedSource(pieces(format, 5), 'throw');
    await expect(openRecordStream(open(early), options)).rejects.toThrow(/^the disk is gone$/);
    const late = new WatchedSource(pieces(format, 1500), 'throw');
    const stream = await openRecordStream(open(late), options);
    await expect(Array.fromAsync(stream.pages())).rejects.toThrow(/^the disk is gone$/);
    expect([early.closed, late.closed]).toEqual([1, 1]);
  });

  it('reads one page ahead at most behind its first records', async () => {
    const source = new WatchedSource(pieces(format));
    const stream = await openRecordStream(open(source), options);
    expect(source.taken).toBe(1000);
    const walk = stream.pages();
    for (let page = 1; page <= 20; page++) {
      await walk.next();
      expect(source.taken).toBe(Math.max(1000, page * 100 + 1));
    }
    await walk.return();
  });

  it('ends at once when it is cancelled while its source waits, by either signal', async () => {
    const opening = new AbortController();
    const first = new WatchedSource(pieces(format, 2), 'wait');
    const opened = openRecordStream(open(first), { ...options, signal: opening.signal });
    void first.waits.then(() => {
      opening.abort();
    });
    await expect(opened).rejects.toMatchObject({ code: 'aborted' });

    const reading = new AbortController();
    const second = new WatchedSource(pieces(format, 1200), 'wait');
    const stream = await openRecordStream(open(second), options);
    void second.waits.then(() => {
      reading.abort();
    });
    await expect(Array.fromAsync(stream.pages({ signal: reading.signal }))).rejects.toMatchObject({ code: 'aborted' });
    expect([first.closed, second.closed]).toEqual([1, 1]);
  });
});
