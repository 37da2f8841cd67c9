// The suite of every Format, native and reference alike: the published one, and over arbitrary registers what it says of the
// sample.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Format, FormatOptions } from '../../src/formats/format.ts';
import { formatContract, type FormatFacts, type SkippableFormatTest } from '../../src/testing/format-contract.ts';
import { testOrSkip } from '../../src/testing/test.ts';
import { registers, RUNS } from '../properties/arbitraries.ts';
import { encodeAll, pagesOfSize } from './readers.ts';
import { SAMPLE_HEAD, sampleRecords } from './sample-register.ts';

/** What the suite has to know about a format. */
export interface FormatContract<Options extends FormatOptions> extends FormatFacts<Options> {
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
  const property = (skippable: SkippableFormatTest, title: string, run: () => Promise<void>): void => {
    testOrSkip(it, title, contract.skips?.[skippable], run);
  };

  describe(`${name} as a format`, () => {
    formatContract(it, format, contract);

    property('boundaries', 'writes the same bytes wherever the pages are cut', async () => {
      await fc.assert(
        fc.asyncProperty(registers(), async ({ head, records, pages }) => {
          const whole = await encodeAll(format, head, [{ records, nextOffset: null, asOf: head.asOf }], options);
          expect((await encodeAll(format, head, pages, options)).equals(whole)).toBe(true);
        }),
        { numRuns: runs },
      );
    });

    property('same bytes', 'writes the same bytes twice, also while another document is open', async () => {
      await fc.assert(
        fc.asyncProperty(registers({ large: false }), async ({ head, pages }) => {
          const once = await encodeAll(format, head, pages, options);
          const both = await Promise.all([
            encodeAll(format, head, pages, options),
            encodeAll(format, SAMPLE_HEAD, pagesOfSize(sampleRecords(3), 1), options),
          ]);
          expect(both[0].equals(once)).toBe(true);
        }),
        { numRuns: runs },
      );
    });
  });
}
