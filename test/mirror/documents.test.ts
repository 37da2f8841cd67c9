// Documents that come in pieces: what is whole of them, and what is refused.
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ComingDocument, CsvReader, NdjsonReader, type RecordReader, XmlReader } from '../../src/mirror/documents.ts';
import { RUNS } from '../properties/arbitraries.ts';

const URL_OF_IT = new URL('https://example.org/feeds/permits/register');

/** Reads a document in pieces that end at these places. What is handed on are whole records at any time, as they came. */
function readIn(
  open: () => RecordReader,
  bytes: Buffer,
  ends: readonly number[],
): { text: string; positions: number[] } {
  const reader = open();
  const document = new ComingDocument(URL_OF_IT, reader);
  let came = 0;
  const places = [0, ...ends.map((end) => end % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  const [texts, positions]: [Buffer[], number[]] = [[], []];
  for (const [index, end] of places.slice(1).entries()) {
    const taken = document.take(bytes.subarray(places[index], end));
    texts.push(Buffer.concat([taken.head, taken.text]));
    positions.push(...taken.positions);
    came += taken.bytes.length;
    if (came === 0) continue;
    const until = new ComingDocument(URL_OF_IT, open());
    expect(until.take(bytes.subarray(0, came)).bytes).toHaveLength(came);
  }
  document.end();
  return { text: Buffer.concat(texts).toString(), positions };
}

const ENDS = fc.array(fc.nat(), { maxLength: 8 });
const TEXT = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('"', ',', '\r', '\n', 'a', 'é', ' ') }),
);

describe('a document that comes in pieces', () => {
  it('has the rows of a CSV wherever it is cut, and their positions wherever the column is', () => {
    const rows = fc.array(fc.tuple(TEXT, fc.integer({ min: 1 }), TEXT));
    fc.assert(
      fc.property(rows, fc.boolean(), fc.constantFrom(0, 1, 2), ENDS, (values, isQuoted, at, ends) => {
        const turned = [['one', 'position', 'two'], ...values].map(([a, position, b]) => {
          const others = [a, b];
          return [...others.slice(0, at), String(position), ...others.slice(at)] as string[];
        });
        const csv = stringify(turned, { record_delimiter: 'windows', quoted: isQuoted, quoted_match: /[\r\n]/ });
        const read = readIn(() => new CsvReader(URL_OF_IT, null), Buffer.from(csv), ends);
        expect(read.text).toBe(csv);
        const expected = parse<Record<string, string>>(csv, { columns: true, record_delimiter: '\r\n' });
        expect(read.positions).toEqual(expected.map(({ position }) => Number(position)));
      }),
      { numRuns: RUNS },
    );
  });

  it('has the lines of NDJSON wherever it is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 1 }), fc.json())), ENDS, (values, ends) => {
        const lines = values.map(([position, data]) => `{"data":${data},"position":${position}}\n`).join('');
        const read = readIn(() => new NdjsonReader(URL_OF_IT, null), Buffer.from(lines), ends);
        expect(read).toEqual({ text: lines, positions: values.map(([position]) => position) });
      }),
      { numRuns: RUNS },
    );
  });

  it('has the records of XML wherever it is cut, without the addresses of the document', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 1 }), TEXT)), ENDS, (values, ends) => {
        const records = values
          .map(
            ([position, text]) =>
              `<record id="a" position="${position}">\n<t>${text.replaceAll('<', '&lt;')}</t>\n</record>\n`,
          )
          .join('');
        const head = (more: string): string => `<?xml version="1.0"?>\n<register title="é"${more} as-of="9">\n`;
        const document = Buffer.from(`${head(' self="https://example.org/"')}${records}</register>\n`);
        const read = readIn(() => new XmlReader(URL_OF_IT, false), document, ends);
        expect(read).toEqual({ text: head('') + records, positions: values.map(([position]) => position) });
      }),
      { numRuns: RUNS },
    );
  });

  const csv = (): RecordReader => new CsvReader(URL_OF_IT, null);
  const ndjson = (): RecordReader => new NdjsonReader(URL_OF_IT, null);
  const xml = (): RecordReader => new XmlReader(URL_OF_IT, false);
  const XML = '<?xml version="1.0"?>\n<register a="b">\n';
  it.each([
    ['a CSV without positions', csv, 'id,title\r\n'],
    ['a row that is cut off', csv, 'id,position\r\na,1'],
    ['a row that is cut off within its end', csv, 'id,position\r\na,1\r'],
    ['a quoted field that does not end', csv, 'id,position\r\n"a,1\r\n'],
    ['a row with a field more', csv, 'id,position\r\na,1,2\r\n'],
    ['a row with a field less', csv, 'position,id\r\n1\r\n'],
    ['a quote within a field', csv, 'id,position\r\na"b",1\r\n'],
    ['something after a quoted field', csv, 'id,position\r\n"a"b,1\r\n'],
    ['a row that ends with LF', csv, 'id,position\r\na,1\n'],
    ['a row that ends with CR', csv, 'id,position\r\na,1\rb,2\r\n'],
    ['a position that is none', csv, 'id,position\r\na,x\r\n'],
    ['no CSV at all', csv, ''],
    ['a line that is cut off', ndjson, '{"position":1}'],
    ['a line that is no JSON', ndjson, '{"position":1\n'],
    ['a line that is no object', ndjson, '[1]\n'],
    ['an empty line', ndjson, '{"position":2}\n\n{"position":1}\n'],
    ['a record without a position', ndjson, '{"data":{"position":1}}\n'],
    ['XML that is cut off', xml, XML],
    ['XML that is cut off within a record', xml, `${XML}<record id="a" position="1">\n`],
    ['XML of another vocabulary', xml, '<html></html>\n'],
    ['the end of XML alone', xml, '</register>\n'],
    ['XML with something behind its end', xml, `${XML}</register>\n<x/>`],
  ])('is refused as %s', (_, reader, text) => {
    for (const end of [text.length, 1, 9]) {
      const read = (): unknown => readIn(reader, Buffer.from(text), [end]);
      expect(read).toThrow(expect.objectContaining({ code: 'invalid_answer' }) as Error);
    }
  });

  it.each([csv, ndjson, xml])('is refused as bytes that are no UTF-8', (reader) => {
    const texts = [
      'id,position\r\n\xff,1\r\n',
      '{"a":"\xff","position":1}\n',
      `${XML}<record id="a" position="1">\xff</record>\n</register>\n`,
    ];
    const [text] = texts.filter((_, index) => [csv, ndjson, xml][index] === reader);
    expect(() => readIn(reader, Buffer.from(text!, 'latin1'), [])).toThrow('UTF-8');
  });

  it('goes on after rows whose columns are known', () => {
    const read = readIn(() => new CsvReader(URL_OF_IT, 'id,position,"a\r\nb"\r\n'), Buffer.from('x,7,"y"\r\n'), [3]);
    expect(read).toEqual({ text: 'x,7,"y"\r\n', positions: [7] });
  });
});
