// The packages that write CSV, each in the fastest of the ways its documentation shows (streams, batches of 100, 1,000
// and 10,000 were tried), told to write what we write: CRLF, quotes only where needed. No formula guard: they may skip
// that work.
import { once } from 'node:events';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Contestant, Destination } from '../harness.ts';
import { loadPeer, versionOf } from '../peers.ts';
import type { RegisterRecord } from '../../src/register/record.ts';
import type { Input } from './table.ts';

interface Json2csvNode {
  readonly Transform: new (options: object, asyncOptions: object, streamOptions: object) => Transform;
}
interface Json2csvFormatters {
  stringQuoteOnlyIfNecessary(): unknown;
}
interface ExceltsCsv {
  createCsvFormatterStream(options: object): Transform;
}
interface FastCsv {
  format(options: object): Transform;
}
interface CsvStringify {
  stringify(options: object): Transform;
}
interface Papaparse {
  readonly default: { unparse(input: object, options: object): string };
}

/** Records per call of the packages that make strings: the fastest of 100, 1,000 and 10,000. */
const BATCH = 100;

/** All packages, over the same records. */
export async function csvPeers(input: Input): Promise<Contestant[]> {
  const json2csv = await loadPeer<Json2csvNode>('@json2csv/node');
  const formatters = await loadPeer<Json2csvFormatters>('@json2csv/formatters');
  const excelts = await loadPeer<ExceltsCsv>('@cj-tech-master/excelts/csv');
  const fastCsv = await loadPeer<FastCsv>('@fast-csv/format');
  const csvStringify = await loadPeer<CsvStringify>('csv-stringify');
  const { default: papaparse } = await loadPeer<Papaparse>('papaparse');
  const { names, records } = input;

  return [
    streaming('@json2csv/node', '@json2csv/node', records, () => {
      const options = {
        fields: names,
        eol: '\r\n',
        formatters: { string: formatters.stringQuoteOnlyIfNecessary() },
      };
      return new json2csv.Transform(options, {}, { objectMode: true });
    }),
    streaming('excelts', '@cj-tech-master/excelts', records, () =>
      excelts.createCsvFormatterStream({ headers: names, lineEnding: '\r\n', trailingNewline: true }),
    ),
    streaming('@fast-csv/format', '@fast-csv/format', records, () =>
      fastCsv.format({ headers: names, rowDelimiter: '\r\n', includeEndRowDelimiter: true }),
    ),
    {
      name: 'papaparse',
      role: 'peer',
      version: versionOf('papaparse'),
      note: `batches of ${BATCH}`,
      run(out) {
        for (let start = 0; start < records.length; start += BATCH) {
          const data = records.slice(start, start + BATCH);
          const rows = papaparse.unparse({ fields: names, data }, { header: start === 0, newline: '\r\n' });
          out.text(`${rows}\r\n`);
        }
      },
    },
    streaming('csv-stringify', 'csv-stringify', records, () =>
      csvStringify.stringify({
        header: true,
        columns: names,
        record_delimiter: '\r\n',
        // Without it a lone line end in a field stays unquoted once the delimiter is CRLF.
        quote_record_delimiter: true,
      }),
    ),
  ];
}

/** A package whose stream takes a record at a time. */
function streaming(
  name: string,
  packageName: string,
  records: readonly RegisterRecord[],
  open: () => Transform,
): Contestant {
  return {
    name,
    role: 'peer',
    version: versionOf(packageName),
    note: 'its stream',
    async run(out: Destination) {
      const stream = open();
      const written = pipeline(stream, out.stream());
      for (const record of records) if (!stream.write(record)) await once(stream, 'drain');
      stream.end();
      await written;
    },
  };
}
