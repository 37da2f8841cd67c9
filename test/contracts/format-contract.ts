// The one contract suite of every Format, native and reference alike: whole documents, page boundaries, determinism,
// the four stream partners (reader cancels, source throws, sink throws, slow reader), cancelling, and the report.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encode, type EncodeOptions } from '../../src/formats/encode.ts';
import type { Format, FormatOptions, Output } from '../../src/formats/format.ts';
import { Report, type Warning } from '../../src/formats/report.ts';
import type { Page } from '../../src/register/page.ts';
import type { RegisterRecord } from '../../src/register/record.ts';
import { registers, RUNS } from '../properties/arbitraries.ts';
import { collect, CountedPages, encodeAll, pagesOfSize } from './readers.ts';
import { SAMPLE_HEAD, sampleRecords } from './sample-register.ts';
import { letPass } from '../until.ts';

/** The tests a format may skip, each by giving the reason. */
export type SkippableTest =
  | 'boundaries'
  | 'same bytes'
  | 'first bytes'
  | 'chunks'
  | 'slow reader'
  | 'failing output'
  | 'leaving reader'
  | 'signal';

/** What the suite has to know about a format. */
export interface FormatContract<Options extends FormatOptions> {
  /**
   * Reads a document with an independent reader and answers how many records it holds; throws unless the document is
   * complete and well formed.
   */
  readonly countRecords: (document: Buffer) => number | Promise<number>;
  /** Records of the sample register's definition that the format cannot carry as they are, and what it then reports. */
  readonly changes: readonly { readonly record: RegisterRecord; readonly warnings: readonly Warning[] }[];
  /** Options for every document of the suite. */
  readonly options?: Options;
  /** Test and reason: why this writer cannot do it. */
  readonly skips?: Partial<Record<SkippableTest, string>>;
  /** Runs per property, {@link RUNS} by default: fewer only where a package is too slow for it. */
  readonly runs?: number;
}

/** Runs the suite for one format. */
export function describeFormat<Options extends FormatOptions>(
  name: string,
  format: Format<Options>,
  contract: FormatContract<Options>,
): void {
  const { options, runs = RUNS } = contract;
  const document = (pages: Parameters<typeof encodeAll>[2]): Promise<Buffer> =>
    encodeAll(format, SAMPLE_HEAD, pages, options);
  const withOptions = (more: FormatOptions & EncodeOptions): Options & EncodeOptions =>
    ({ ...options, ...more }) as Options & EncodeOptions;
  const test = (title: string, skippable: SkippableTest | null, run: () => Promise<void>): void => {
    const reason = skippable === null ? undefined : contract.skips?.[skippable];
    if (reason === undefined) it(title, run);
    else it.skip(`${title} (skipped: ${reason})`, run);
  };

  describe(`${name} as a format`, () => {
    test('makes a complete document of an empty register', null, async () => {
      const empty = await document(pagesOfSize([]));
      expect(await contract.countRecords(empty)).toBe(0);
      expect(await document([]), 'no page at all').toEqual(empty);
    });

    test('writes every record of a register of several hundred', null, async () => {
      expect(await contract.countRecords(await document(pagesOfSize(sampleRecords(350))))).toBe(350);
    });

    test('writes the same bytes wherever the pages are cut', 'boundaries', async () => {
      await fc.assert(
        fc.asyncProperty(registers(), async ({ head, records, pages }) => {
          const whole = await encodeAll(format, head, [{ records, nextOffset: null, asOf: head.asOf }], options);
          expect((await encodeAll(format, head, pages, options)).equals(whole)).toBe(true);
        }),
        { numRuns: runs },
      );
    });

    test('writes the same bytes twice, also while another document is open', 'same bytes', async () => {
      await fc.assert(
        fc.asyncProperty(registers({ large: false }), async ({ head, pages }) => {
          const once = await encodeAll(format, head, pages, options);
          const both = await Promise.all([
            encodeAll(format, head, pages, options),
            document(pagesOfSize(sampleRecords(3), 1)),
          ]);
          expect(both[0].equals(once)).toBe(true);
        }),
        { numRuns: runs },
      );
    });

    test('gives its chunks away: what the reader does to one changes none after it', 'chunks', async () => {
      const pages = pagesOfSize(sampleRecords(2000));
      const expected = await document(pages);
      for (const reusesChunks of [false, true]) {
        const parts: Buffer[] = [];
        for await (const chunk of encode(pages, format, SAMPLE_HEAD, withOptions({ reusesChunks }))) {
          parts.push(Buffer.from(chunk));
          chunk.fill(0x21);
        }
        expect(Buffer.concat(parts).equals(expected), `reusesChunks: ${reusesChunks}`).toBe(true);
      }
    });

    test('gives the first bytes before the second page is read', 'first bytes', async () => {
      const source = new CountedPages(pagesOfSize(sampleRecords(500)));
      const chunks = encode(source, format, SAMPLE_HEAD, options);
      await chunks.next();
      expect(source.pulled).toBe(1);
      await chunks.return();
    });

    test('closes the source and aborts the sink when the reader goes away', 'leaving reader', async () => {
      const source = new CountedPages(pagesOfSize(sampleRecords(2000)));
      const watched = new WatchedFormat(format);
      const chunks = encode(source, watched, SAMPLE_HEAD, options);
      expect((await chunks.next()).done).toBe(false);
      await chunks.return();
      expect(source.closed).toBe(true);
      expect(watched.calls.filter((call) => call !== 'write')).toEqual(['open', 'abort']);
    });

    test('passes on the error of a failing source and aborts the sink', null, async () => {
      const error = new Error('the store went away');
      const source = new CountedPages(pagesOfSize(sampleRecords(500)), { after: 2, error });
      const watched = new WatchedFormat(format);
      await expect(collect(encode(source, watched, SAMPLE_HEAD, options))).rejects.toBe(error);
      expect(watched.calls).toEqual(['open', 'write', 'write', 'abort']);
      expect(watched.reason).toBe(error);
    });

    test(
      'passes on the error of a failing output, closes the source and aborts the sink',
      'failing output',
      async () => {
        const error = new Error('the disk is full');
        const source = new CountedPages(pagesOfSize(sampleRecords(2000)));
        const watched = new WatchedFormat(format, { afterBytes: 20_000, error });
        await expect(collect(encode(source, watched, SAMPLE_HEAD, options))).rejects.toBe(error);
        expect(source.closed).toBe(true);
        expect(watched.calls.at(-1)).toBe('abort');
      },
    );

    test('does not read ahead of a slow reader', 'slow reader', async () => {
      const source = new CountedPages(pagesOfSize(sampleRecords(3000)));
      for await (const chunk of encode(source, format, SAMPLE_HEAD, options)) {
        expect(chunk.length).toBeGreaterThan(0);
        const { pulled } = source;
        await letPass(5, 'who reads ahead would have pulled more by now');
        expect(source.pulled).toBeLessThanOrEqual(pulled + 1);
      }
      expect(source.pulled).toBe(30);
    });

    test(
      'stops when its signal fires after its first bytes, with a coded error, the source closed and the sink aborted',
      'signal',
      async () => {
        const controller = new AbortController();
        const source = new CountedPages(pagesOfSize(sampleRecords(2000)));
        const watched = new WatchedFormat(format);
        const chunks = encode(source, watched, SAMPLE_HEAD, withOptions({ signal: controller.signal }));
        await chunks.next();
        controller.abort(new Error('closing time'));
        const rest = collect(chunks);
        await expect(rest).rejects.toMatchObject({ code: 'aborted', cause: { message: 'closing time' } });
        expect(source.closed).toBe(true);
        expect(source.pulled).toBeLessThan(20);
        expect(watched.calls.at(-1)).toBe('abort');
      },
    );

    test('stops when its signal fires while the pages are read, and writes no page after it', null, async () => {
      const controller = new AbortController();
      const source = new CountedPages(pagesOfSize(sampleRecords(2000)));
      const pages = async function* (): AsyncGenerator<Page> {
        for await (const page of source) {
          if (source.pulled === 3) controller.abort(new Error('closing time'));
          yield page;
        }
      };
      const watched = new WatchedFormat(format);
      const chunks = collect(encode(pages(), watched, SAMPLE_HEAD, withOptions({ signal: controller.signal })));
      await expect(chunks).rejects.toMatchObject({ code: 'aborted', cause: { message: 'closing time' } });
      expect([source.pulled, source.closed]).toEqual([3, true]);
      expect(watched.calls).toEqual(['open', 'write', 'write', 'abort']);
    });

    test('reads nothing when its signal has fired before', null, async () => {
      const source = new CountedPages(pagesOfSize(sampleRecords(3)));
      const chunks = encode(source, format, SAMPLE_HEAD, withOptions({ signal: AbortSignal.abort() }));
      await expect(collect(chunks)).rejects.toMatchObject({ code: 'aborted' });
      expect(source.pulled).toBe(0);
    });

    test('reports nothing when it changes nothing', null, async () => {
      const report = new Report();
      await encodeAll(format, SAMPLE_HEAD, pagesOfSize(sampleRecords(20)), withOptions({ report }));
      expect(report.warnings).toEqual([]);
    });

    contract.changes.forEach(({ record, warnings }, index) => {
      test(`reports what it had to change (case ${index + 1}: ${codesOf(warnings)})`, null, async () => {
        const report = new Report();
        const pages = pagesOfSize([...sampleRecords(3), record], 2);
        const bytes = await encodeAll(format, SAMPLE_HEAD, pages, withOptions({ report }));
        expect(report.warnings).toEqual(warnings);
        expect(await contract.countRecords(bytes)).toBe(4);
        expect(bytes.equals(await document(pages)), 'the report changes no byte').toBe(true);
      });
    });
  });
}

const codesOf = (warnings: readonly Warning[]): string => warnings.map(({ code }) => code).join(', ') || 'nothing';

/** A format that tells what is asked of its sinks, over an output that may fail. */
class WatchedFormat<Options extends FormatOptions> implements Format<Options> {
  readonly calls: ('open' | 'write' | 'close' | 'abort')[] = [];
  reason: unknown;
  readonly #format: Format<Options>;
  readonly #failure: { readonly afterBytes: number; readonly error: Error } | undefined;

  constructor(format: Format<Options>, failure?: { readonly afterBytes: number; readonly error: Error }) {
    this.#format = format;
    this.#failure = failure;
  }

  get name(): Format['name'] {
    return this.#format.name;
  }

  get mediaType(): string {
    return this.#format.mediaType;
  }

  get extension(): string {
    return this.#format.extension;
  }

  open(out: Output, head: Parameters<Format<Options>['open']>[1], options?: Options): ReturnType<Format['open']> {
    this.calls.push('open');
    const sink = this.#format.open(this.#failing(out), head, options);
    return {
      write: (page) => {
        this.calls.push('write');
        return sink.write(page);
      },
      close: () => {
        this.calls.push('close');
        return sink.close();
      },
      abort: (reason) => {
        this.calls.push('abort');
        this.reason = reason;
        return sink.abort?.(reason);
      },
    };
  }

  #failing(out: Output): Output {
    const failure = this.#failure;
    if (failure === undefined) return out;
    let length = 0;
    const count = (more: number): void => {
      length += more;
      if (length > failure.afterBytes) throw failure.error;
    };
    return {
      text: (text) => {
        count(text.length);
        out.text(text);
      },
      bytes: (bytes) => {
        count(bytes.length);
        out.bytes(bytes);
      },
    };
  }
}
