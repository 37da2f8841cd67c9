// The contract of every format, tested on a register of samples: whole documents, page boundaries, the four partners of
// a stream (a reader that leaves, a source that throws, an output that throws, a slow reader), cancelling, and the
// report.
import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { encode, type EncodeOptions } from '../formats/encode.ts';
import type { Format, FormatOptions } from '../formats/format.ts';
import { Report, type Warning } from '../formats/report.ts';
import type { Page } from '../register/page.ts';
import type { RegisterRecord } from '../register/record.ts';
import { CountedPages, pagesOfSize } from './counted-pages.ts';
import { SAMPLE_HEAD, sampleRecords } from './sample-register.ts';
import { type Test, testOrSkip, type TestRun } from './test.ts';
import { WatchedFormat } from './watched-format.ts';

/** A test that a format may skip. */
export type SkippableFormatTest = keyof NonNullable<FormatFacts['skips']>;

/** What the suite must know about a format. */
export interface FormatFacts<Options extends FormatOptions = FormatOptions> {
  /**
   * Reads a document with a reader that shares no code with the writer, and returns the number of its records. Throws
   * unless the document is complete and well formed.
   */
  readonly countRecords: (document: Buffer) => number | Promise<number>;
  /**
   * Records of the sample register that the format cannot represent unchanged, and the expected report. Default: none.
   */
  readonly changes?: readonly { readonly record: RegisterRecord; readonly warnings: readonly Warning[] }[];
  /** Options for every document of the suite. */
  readonly options?: Options;
  /** Test and reason: why this writer cannot pass it. */
  readonly skips?: Partial<
    Record<
      | 'boundaries'
      | 'same bytes'
      | 'first bytes'
      | 'chunks'
      | 'slow reader'
      | 'failing output'
      | 'leaving reader'
      | 'signal',
      string
    >
  >;
}

/**
 * Registers the suite for a format.
 *
 * @param test any runner's: `test` of node:test, `it` of vitest
 * @example
 * import { test } from 'node:test';
 * formatContract(test, tsv, { countRecords: (document) => document.toString().trimEnd().split('\n').length - 1 });
 */
export function formatContract<Options extends FormatOptions>(
  test: Test,
  format: Format<Options>,
  facts: FormatFacts<Options>,
): void {
  const { options, skips = {}, changes = [], countRecords } = facts;
  const withOptions = (more: FormatOptions & EncodeOptions): Options & EncodeOptions =>
    ({ ...options, ...more }) as Options & EncodeOptions;
  const document = (pages: AsyncIterable<Page> | Iterable<Page>, more: FormatOptions & EncodeOptions = {}) =>
    collect(encode(pages, format, SAMPLE_HEAD, withOptions(more)));
  const skippable = (name: SkippableFormatTest, title: string, run: TestRun): void => {
    testOrSkip(test, title, skips[name], run);
  };

  test('makes a complete document of an empty register', async () => {
    const empty = await document(pagesOfSize([]));
    assert.equal(await countRecords(empty), 0);
    assert.deepEqual(await document([]), empty, 'no page at all');
  });

  test('writes every record of a register of several hundred', async () => {
    assert.equal(await countRecords(await document(pagesOfSize(sampleRecords(350)))), 350);
  });

  skippable('boundaries', 'writes the same bytes wherever the pages of the sample are cut', async () => {
    const records = sampleRecords(120);
    const whole = await document([{ records, nextOffset: null, asOf: null }]);
    for (const size of [1, 7, 100])
      assert.ok((await document(pagesOfSize(records, size))).equals(whole), `pages of ${size}`);
  });

  skippable(
    'same bytes',
    'writes the same bytes of the sample twice, also while another document is open',
    async () => {
      const once = await document(pagesOfSize(sampleRecords(120)));
      const [again] = await Promise.all([
        document(pagesOfSize(sampleRecords(120))),
        document(pagesOfSize(sampleRecords(3), 1)),
      ]);
      assert.ok(again.equals(once));
    },
  );

  skippable('chunks', 'gives its chunks away: what the reader does to one changes none after it', async () => {
    const pages = pagesOfSize(sampleRecords(2000));
    const expected = await document(pages);
    for (const reusesChunks of [false, true]) {
      const parts: Buffer[] = [];
      for await (const chunk of encode(pages, format, SAMPLE_HEAD, withOptions({ reusesChunks }))) {
        parts.push(Buffer.from(chunk));
        chunk.fill(0x21);
      }
      assert.ok(Buffer.concat(parts).equals(expected), `reusesChunks: ${reusesChunks}`);
    }
  });

  skippable('first bytes', 'gives the first bytes before the second page is read', async () => {
    const source = new CountedPages(pagesOfSize(sampleRecords(500)));
    const chunks = encode(source, format, SAMPLE_HEAD, options);
    await chunks.next();
    assert.equal(source.pulled, 1);
    await chunks.return();
  });

  skippable('leaving reader', 'closes the source and aborts the sink when the reader goes away', async () => {
    const source = new CountedPages(pagesOfSize(sampleRecords(2000)));
    const watched = new WatchedFormat(format);
    const chunks = encode(source, watched, SAMPLE_HEAD, options);
    assert.equal((await chunks.next()).done, false);
    await chunks.return();
    assert.equal(source.closed, true);
    assert.deepEqual(
      watched.calls.filter((call) => call !== 'write'),
      ['open', 'abort'],
    );
  });

  test('passes on the error of a failing source and aborts the sink', async () => {
    const error = new Error('the store went away');
    const source = new CountedPages(pagesOfSize(sampleRecords(500)), { after: 2, error });
    const watched = new WatchedFormat(format);
    assert.equal(await failureOf(collect(encode(source, watched, SAMPLE_HEAD, options))), error);
    assert.deepEqual(watched.calls, ['open', 'write', 'write', 'abort']);
    assert.equal(watched.reason, error);
  });

  skippable(
    'failing output',
    'passes on the error of a failing output, closes the source and aborts the sink',
    async () => {
      const error = new Error('the disk is full');
      const source = new CountedPages(pagesOfSize(sampleRecords(2000)));
      const watched = new WatchedFormat(format, { afterBytes: 20_000, error });
      assert.equal(await failureOf(collect(encode(source, watched, SAMPLE_HEAD, options))), error);
      assert.equal(source.closed, true);
      assert.equal(watched.calls.at(-1), 'abort');
    },
  );

  skippable('slow reader', 'does not read ahead of a slow reader', async () => {
    const source = new CountedPages(pagesOfSize(sampleRecords(3000)));
    for await (const chunk of encode(source, format, SAMPLE_HEAD, options)) {
      assert.ok(chunk.length > 0, 'no chunk is empty');
      const { pulled } = source;
      // Who reads ahead pulls a page at each turn.
      for (let turn = 0; turn < 10; turn++) await nextTurn();
      assert.ok(source.pulled <= pulled + 1, `${source.pulled - pulled} pages were read ahead`);
    }
    assert.equal(source.pulled, 30);
  });

  skippable(
    'signal',
    'stops when its signal fires after its first bytes, with a coded error, the source closed and the sink aborted',
    async () => {
      const controller = new AbortController();
      const source = new CountedPages(pagesOfSize(sampleRecords(2000)));
      const watched = new WatchedFormat(format);
      const chunks = encode(source, watched, SAMPLE_HEAD, withOptions({ signal: controller.signal }));
      await chunks.next();
      const cause = new Error('closing time');
      controller.abort(cause);
      await assert.rejects(collect(chunks), { code: 'aborted', cause });
      assert.equal(source.closed, true);
      assert.ok(source.pulled < 20, `${source.pulled} of 20 pages were read`);
      assert.equal(watched.calls.at(-1), 'abort');
    },
  );

  test('stops when its signal fires while the pages are read, and writes no page after it', async () => {
    const controller = new AbortController();
    const cause = new Error('closing time');
    const source = new CountedPages(pagesOfSize(sampleRecords(2000)));
    const pages = async function* (): AsyncGenerator<Page> {
      for await (const page of source) {
        if (source.pulled === 3) controller.abort(cause);
        yield page;
      }
    };
    const watched = new WatchedFormat(format);
    const chunks = collect(encode(pages(), watched, SAMPLE_HEAD, withOptions({ signal: controller.signal })));
    await assert.rejects(chunks, { code: 'aborted', cause });
    assert.deepEqual([source.pulled, source.closed], [3, true]);
    assert.deepEqual(watched.calls, ['open', 'write', 'write', 'abort']);
  });

  test('reads nothing when its signal has fired before', async () => {
    const source = new CountedPages(pagesOfSize(sampleRecords(3)));
    await assert.rejects(document(source, { signal: AbortSignal.abort() }), { code: 'aborted' });
    assert.equal(source.pulled, 0);
  });

  test('reports nothing when it changes nothing', async () => {
    const report = new Report();
    await document(pagesOfSize(sampleRecords(20)), { report });
    assert.deepEqual(report.warnings, []);
  });

  for (const [index, { record, warnings }] of changes.entries()) {
    const codes = warnings.map(({ code }) => code).join(', ');
    test(`reports what it had to change (case ${index + 1}: ${codes === '' ? 'nothing' : codes})`, async () => {
      const report = new Report();
      const pages = pagesOfSize([...sampleRecords(3), record], 2);
      const bytes = await document(pages, { report });
      assert.deepEqual(report.warnings, warnings);
      assert.equal(await countRecords(bytes), 4);
      assert.ok(bytes.equals(await document(pages)), 'the report changes no byte');
    });
  }
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}

/** The rejection of a promise. */
async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.fail('it must fail'),
    (error: unknown) => error,
  );
}
