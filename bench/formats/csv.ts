// CSV, a whole register in one file: ours, the bare loop, five packages that write the same bytes, and DuckDB.
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'csv-parse/sync';
import type { Contestant, Destination } from '../harness.ts';
import { Blocks } from '../../src/formats/blocks.ts';
import { withoutNul } from '../../src/formats/cell.ts';
import { csv } from '../../src/formats/csv.ts';
import { guardFormula } from '../../src/formats/formula-guard.ts';
import type { RegisterRecord } from '../../src/register/record.ts';
import { csvPeers } from './csv-peers.ts';
import { duckDbPeer } from './native-peers.ts';
import { handOver } from './hand-over.ts';
import { expectEqual, type Input, PAGE_RECORDS, type Table, throughEncode } from './table.ts';
import { referenceContestant } from './reference.ts';

/** The table of whole CSV files. */
export const csvTable: Table = {
  id: 'csv',
  title: 'CSV, a whole file',
  shape: 'whole',
  columns: 'core',
  sizes: { default: [100_000], full: [500_000] },
  goals: [
    {
      label: '>= 1.4 × the best package',
      atLeast: 1.4,
      against: ['@json2csv/node', 'excelts', '@fast-csv/format', 'papaparse', 'csv-stringify'],
    },
    { label: '>= 3.5 × csv-stringify', atLeast: 3.5, against: ['csv-stringify'] },
    { label: '>= 1.1 × DuckDB', atLeast: 1.1, against: ['DuckDB'] },
    { label: '>= 0.95 × the bare loop', atLeast: 0.95, against: ['bare loop'] },
  ],
  ours: async (input) => [
    throughEncode('gazette', 'native', csv, input, 'whole'),
    bareLoop(input),
    ...(await referenceContestant('csv', 'csv-stringify', input, 'whole')),
  ],
  peers: async (input) => [...(await csvPeers(input)), duckDbPeer(input)],
  async check(document, input, contestant) {
    const rows: string[][] = parse(document);
    expectEqual(`${contestant.name}: rows`, rows.length, input.records.length + 1);
    const expected = [input.names, ...input.records.map((record) => cells(record, input))];
    const wrong = rows.findIndex((row, index) => !isDeepStrictEqual(row, expected[index]));
    if (wrong !== -1)
      expectEqual(`${contestant.name}: row ${wrong}`, rows[wrong]!.join('|'), expected[wrong]!.join('|'));
  },
};

/** The table of files of one page. */
export const csvPageTable: Table = {
  ...csvTable,
  id: 'csv-page',
  title: 'CSV, a file of one page',
  sizes: { default: [PAGE_RECORDS], full: [PAGE_RECORDS] },
  goals: [],
  // For information: the quickest package is one loop, which V8 has compiled after a page.
  firstGoals: [{ label: '>= 2 × csv-stringify', atLeast: 2, against: ['csv-stringify'] }],
  peers: csvPeers,
};

function cells(record: RegisterRecord, input: Input): string[] {
  const core = record as unknown as Readonly<Record<string, string | number | null>>;
  return input.names.map((name) => String(core[name] ?? ''));
}

/** Rows of the core columns with the native writer's escaping, in one synchronous loop: no pages, no sink, no driver. */
function bareLoop({ records, names }: Input): Contestant {
  return {
    name: 'bare loop',
    role: 'bare loop',
    version: null,
    note: 'the same escaping in one synchronous loop',
    run(out: Destination) {
      const blocks = new Blocks();
      blocks.text(`${names.join(',')}\r\n`);
      for (const r of records) {
        let row = `${text(r.id)}${r.feed_id},`;
        row += text(r.key);
        row += text(r.title);
        row += text(r.summary);
        row += text(r.content);
        row += `${r.content_type},`;
        row += text(r.author);
        row += text(r.document_type);
        row += text(r.facility_id);
        row += text(r.source_url);
        row += text(r.published_at);
        row += text(r.observed_at);
        row += text(r.updated_at);
        blocks.text(`${row}${r.version},${r.position ?? ''}\r\n`);
        handOver(blocks, out, false);
      }
      handOver(blocks, out, true);
    },
  };
}

const SPECIAL = /["\0,\r\n]/;

const NUL = '\0';

/** From here on searches for one character each are faster than one for a class, as in the native writer. */
const LONG_TEXT = 30;

/** A cell and the comma after it. */
function text(value: string | null): string {
  if (value === null) return ',';
  if (value === '') return '"",';
  const cell = guardFormula(value);
  if (cell.length < LONG_TEXT) {
    if (!SPECIAL.test(cell)) return `${cell},`;
    if (cell.includes(NUL)) return text(withoutNul(value));
    return cell.includes('"') ? `"${cell.replaceAll('"', '""')}",` : `"${cell}",`;
  }
  if (cell.includes(NUL)) return text(withoutNul(value));
  if (cell.includes('"')) return `"${cell.replaceAll('"', '""')}",`;
  return cell.includes(',') || cell.includes('\n') || cell.includes('\r') ? `"${cell}",` : `${cell},`;
}
