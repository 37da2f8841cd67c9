import { describe, expect, it } from 'vitest';
import {
  benchPages,
  benchRecord,
  benchRecords,
  benchSource,
  benchStream,
  CORE_DEFINITION,
  DEFINITION,
  WIDE_SHARE,
} from '../../bench/data.ts';
import { Random } from '../../bench/random.ts';
import { guardFormula } from '../../src/formats/formula-guard.ts';
import { toRecord } from '../../src/register/record-input.ts';
import type { RegisterRecord } from '../../src/register/record.ts';
import { pages } from '../../src/register/sources/source.ts';

const texts = (records: readonly RegisterRecord[]): string[] =>
  records.flatMap(({ title, summary, content }) => [title, summary, content].filter((text) => text !== null));

describe('the random numbers of the benchmarks', () => {
  it('are the same for the same seed and others for another', () => {
    const first = (seed: number): number[] =>
      Array.from(
        { length: 4 },
        (
          (random) => () =>
            random.next()
        )(new Random(seed)),
      );
    expect(first(7)).toEqual(first(7));
    expect(first(7)).not.toEqual(first(8));
  });

  it('are the ones they have always been, on every machine', () => {
    const random = new Random(1);
    expect([random.below(1000), random.below(1000), random.below(1000)]).toEqual([29, 346, 37]);
  });

  it('fill the range evenly, without its end', () => {
    const random = new Random(3);
    const counts = new Array<number>(10).fill(0);
    for (let i = 0; i < 10_000; i++) counts[random.below(10)]!++;
    expect(Math.min(...counts)).toBeGreaterThan(850);
    expect(Math.max(...counts)).toBeLessThan(1150);
  });
});

describe('the register of the benchmarks', () => {
  it('makes the same record for a position however it is come by', () => {
    const [third, second, first] = benchRecords(3);
    expect(first).toEqual(benchRecord(1));
    expect(second).toEqual(benchRecord(2));
    expect(third).toEqual(benchRecord(3));
  });

  it('does not depend on the clock or the time zone', () => {
    const { observed_at, published_at } = benchRecord(500);
    expect([observed_at, published_at]).toEqual(['2010-01-04T21:27:24Z', '2010-01-03']);
  });

  it('holds records that gazette accepts as they are', () => {
    for (const definition of [DEFINITION, CORE_DEFINITION]) {
      for (const record of benchRecords(300, definition)) {
        expect(toRecord(definition, record, { where: 'bench', position: record.position })).toEqual(record);
      }
    }
  });

  it('goes beyond Latin-1 in about one text of five', () => {
    const all = texts(benchRecords(5000));
    const wide = all.filter((text) => /[^\0-\xff]/.test(text)).length / all.length;
    expect(Math.abs(wide - WIDE_SHARE)).toBeLessThan(0.02);
  });

  it('has commas, quotes, line ends and markup in its texts', () => {
    const all = texts(benchRecords(1000));
    for (const wanted of [',', '"', '\n', '<p>', '&', ' < ']) {
      expect(all.filter((text) => text.includes(wanted)).length, wanted).toBeGreaterThan(20);
    }
  });

  it('holds nothing that a package may write in its own way: no formula, no empty text, no space at the ends', () => {
    for (const text of texts(benchRecords(1000))) {
      expect(guardFormula(text)).toBe(text);
      expect(text.trim()).toBe(text);
      expect(text).not.toBe('');
      expect(text).not.toMatch(/_x[0-9a-f]{4}_|\r|[\0-\x08\x0b-\x1f]/i);
    }
  });

  it('is the same register as pages, as a source and as a stream', async () => {
    const records = benchRecords(250);
    const walked: RegisterRecord[] = [];
    for await (const page of pages(benchSource(250))) walked.push(...page.records);
    expect(walked).toEqual(records);
    const streamed: RegisterRecord[] = [];
    for await (const page of pages(benchStream(250))) streamed.push(...page.records);
    expect(streamed).toEqual(records);
    expect(benchPages(records).flatMap((page) => page.records)).toEqual(records);
  });

  it('ends its pages as a register does', () => {
    const source = benchSource(250);
    expect(source.page({ offset: 100, limit: 100 })).toMatchObject({ nextOffset: 200, asOf: 250 });
    expect(source.page({ offset: 200, limit: 100 })).toMatchObject({ nextOffset: null });
    expect(source.page({ offset: 300, limit: 100 })).toMatchObject({ records: [], nextOffset: null });
    expect(benchPages(benchRecords(250)).map(({ nextOffset }) => nextOffset)).toEqual([100, 200, null]);
  });
});
