import { describe, expect, it } from 'vitest';
import { exportPage } from '../../src/export/page.ts';
import { csv } from '../../src/formats/csv.ts';
import type { Format, FormatOptions } from '../../src/formats/format.ts';
import { Report } from '../../src/formats/report.ts';
import { fromRecords } from '../../src/register/sources/from-records.ts';
import { SAMPLE_DEFINITION, sampleRecords } from '../contracts/sample-register.ts';

const url = new URL('https://example.org/feeds/permits/records/export.csv');
const permits = fromRecords(SAMPLE_DEFINITION, sampleRecords(3), { order: 'newest-first' });
const query = { offset: 0, limit: 100 };

/** CSV whose options hold a function, as those of the writer on exceljs do. */
interface StampOptions extends FormatOptions {
  readonly stamp?: () => string;
}
const stamped: Format<StampOptions> = {
  ...csv,
  optionNames: ['stamp'],
  open: (out, head, options) => {
    out.text(`${options?.stamp?.() ?? ''}\r\n`);
    return csv.open(out, head);
  },
};

const tagOf = async (formatOptions?: StampOptions): Promise<string | null> => {
  const request = { url, query, ...(formatOptions === undefined ? {} : { formatOptions }) };
  return (await exportPage(permits, stamped, request)).headers.get('etag');
};

describe('the file name of a page', () => {
  it.each([
    [0, 100, 'permits-0001.csv'],
    [200, 100, 'permits-0003.csv'],
    [50, 50, 'permits-0002.csv'],
    [50, 100, 'permits-offset-50.csv'],
    [99, 100, 'permits-offset-99.csv'],
    [150, 100, 'permits-offset-150.csv'],
    [1_000_000, 100, 'permits-10001.csv'],
  ])('at offset %i in pages of %i is %s', async (offset, limit, name) => {
    const { headers } = await exportPage(permits, csv, { url, query: { offset, limit } });
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${name}"`);
  });
});

describe('the entity tag of a page', () => {
  it('is the same with a report: what is counted shapes no byte', async () => {
    expect(await tagOf({ report: new Report() })).toBe(await tagOf({}));
  });

  it('tells options apart that hold functions, which no digest of a request could', async () => {
    const tags = await Promise.all(['a', 'b', 'a'].map(async (text) => tagOf({ stamp: () => text })));
    expect(tags[0]).toMatch(/^"[^"]+"$/);
    expect(tags[0]).not.toBe(tags[1]);
    expect(tags[0]).toBe(tags[2]);
  });
});
