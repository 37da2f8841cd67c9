// XML, a whole register in one document of gazette's own vocabulary: ours, the bare loop, and the packages that build
// XML, told to write the same elements and attributes.
import { SaxesParser } from 'saxes';
import { referenceContestant } from './reference.ts';
import { expectEqual, type Input, type Table, throughEncode } from './table.ts';
import { MARKED, textsOf, xmlPeers } from './xml-peers.ts';
import type { Contestant, Destination } from '../harness.ts';
import { Blocks } from '../../src/formats/blocks.ts';
import { encode } from '../../src/formats/encode.ts';
import { xml } from '../../src/formats/xml.ts';
import { escapeAttribute, escapeText, utf8 } from '../../src/formats/xml-text.ts';
import type { RegisterRecord } from '../../src/register/record.ts';

/** The table of whole XML documents. */
export const xmlTable: Table = {
  id: 'xml',
  title: 'XML, a whole document',
  shape: 'whole',
  columns: 'all',
  sizes: { default: [30_000], full: [100_000] },
  goals: [
    {
      label: '>= 2.5 × the best package',
      atLeast: 2.5,
      against: ['excelts', 'fast-xml-parser', 'xmlbuilder2'],
    },
    { label: '>= 10 × xmlbuilder2', atLeast: 10, against: ['xmlbuilder2'] },
    { label: '>= 0.9 × the bare loop', atLeast: 0.9, against: ['bare loop'] },
  ],
  check,
  async contestants(input) {
    return [
      throughEncode('gazette', 'native', xml, input, 'whole'),
      await bareLoop(input),
      ...(await xmlPeers(input, await headOf(input))),
      ...(await referenceContestant('xml', 'xmlbuilder2', input, 'whole')),
    ];
  },
};

/** Everything before the first record, as the native writer has it. */
async function headOf({ head }: Input): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of encode([], xml, head)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8').replace(FOOT, '');
}

const FOOT = '</register>\n';

/** The native writer's elements and escaping in one synchronous loop: no pages, no sink, no driver, no checks, no report. */
async function bareLoop(input: Input): Promise<Contestant> {
  const first = await headOf(input);
  const own = input.definition.fields.map(({ name, type }) => ({
    name,
    open: utf8(`<${name}${name in MARKED ? ` type="${type}"` : ''}>`),
    close: utf8(`</${name}>\n`),
  }));
  return {
    name: 'bare loop',
    role: 'bare loop',
    version: null,
    note: 'the same escaping in one synchronous loop',
    run(out: Destination) {
      const blocks = new Blocks();
      const text = (open: Uint8Array<ArrayBuffer>, value: string | null, close: Uint8Array<ArrayBuffer>): void => {
        if (value === null) return;
        blocks.bytes(open);
        blocks.escaped(value, escapeText);
        blocks.bytes(close);
      };
      const plain = (open: Uint8Array<ArrayBuffer>, value: string | null, close: Uint8Array<ArrayBuffer>): void => {
        if (value === null) return;
        blocks.bytes(open);
        blocks.text(value);
        blocks.bytes(close);
      };
      blocks.text(first);
      for (const r of input.records) {
        blocks.text(`<record id="${escapeAttribute(r.id)}" position="${r.position ?? ''}" version="${r.version}">\n`);
        plain(M.feedId, r.feed_id, M.feedIdEnd);
        text(M.title, r.title, M.titleEnd);
        text(M.summary, r.summary, M.summaryEnd);
        text(M.content, r.content, M.contentEnd);
        plain(M.type, r.content_type, M.typeEnd);
        text(M.author, r.author, M.authorEnd);
        text(M.documentType, r.document_type, M.documentTypeEnd);
        text(M.facility, r.facility_id, M.facilityEnd);
        text(M.source, r.source_url, M.sourceEnd);
        plain(M.published, r.published_at, M.publishedEnd);
        plain(M.observed, r.observed_at, M.observedEnd);
        plain(M.updated, r.updated_at, M.updatedEnd);
        for (const { name, open, close } of own) {
          const value = r.data[name];
          if (typeof value === 'string') text(open, value, close);
          else if (typeof value === 'number' || typeof value === 'boolean') plain(open, String(value), close);
        }
        blocks.bytes(M.end);
        for (const block of blocks.take(false)) out.write(block);
      }
      blocks.text(FOOT);
      for (const block of blocks.take(true)) out.write(block);
    },
  };
}

/** The loop's markup. */
const M = {
  feedId: utf8('<feed_id>'),
  feedIdEnd: utf8('</feed_id>\n'),
  title: utf8('<title>'),
  titleEnd: utf8('</title>\n'),
  summary: utf8('<summary>'),
  summaryEnd: utf8('</summary>\n'),
  content: utf8('<content>'),
  contentEnd: utf8('</content>\n'),
  type: utf8('<content_type>'),
  typeEnd: utf8('</content_type>\n'),
  author: utf8('<author>'),
  authorEnd: utf8('</author>\n'),
  documentType: utf8('<document_type>'),
  documentTypeEnd: utf8('</document_type>\n'),
  facility: utf8('<facility_id>'),
  facilityEnd: utf8('</facility_id>\n'),
  source: utf8('<source_url>'),
  sourceEnd: utf8('</source_url>\n'),
  published: utf8('<published_at>'),
  publishedEnd: utf8('</published_at>\n'),
  observed: utf8('<observed_at>'),
  observedEnd: utf8('</observed_at>\n'),
  updated: utf8('<updated_at>'),
  updatedEnd: utf8('</updated_at>\n'),
  end: utf8('</record>\n'),
} as const;

/** Reads the document with saxes. @throws Error unless it holds exactly the input's records. */
function check(document: Buffer, input: Input, { name }: Contestant): void {
  const parser = new SaxesParser();
  const found: string[] = [];
  let path: string[] = [];
  let record = '';
  let text = '';
  parser.on('opentag', ({ name: tag, attributes }) => {
    path = [...path, tag];
    text = '';
    if (path.length === 2) record = JSON.stringify(attributes);
    else if (path.length === 3) record += `\n${tag} ${JSON.stringify(attributes)} `;
  });
  parser.on('text', (more) => (text += more));
  parser.on('closetag', () => {
    if (path.length === 3) record += JSON.stringify(text);
    if (path.length === 2) found.push(record);
    path = path.slice(0, -1);
  });
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(document.toString('utf8')).close();
  expectEqual(`${name}: records`, found.length, input.records.length);
  input.records.forEach((expected, index) => {
    const [actual, wanted] = [found[index]!, shown(expected, input)];
    // xmlbuilder2 takes "&amp;" in a text for escaped already and loses a layer: its fault, known and noted.
    const [a, b] = name === 'xmlbuilder2' ? [unescapedOnce(actual), unescapedOnce(wanted)] : [actual, wanted];
    expectEqual(`${name}: ${expected.id}`, a, b);
  });
}

function unescapedOnce(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&amp;', '&');
}

function shown(record: RegisterRecord, input: Input): string {
  const attributes = { id: record.id, position: String(record.position), version: String(record.version) };
  const lines = textsOf(input, record).map(
    ([name, text]) => `${name} ${JSON.stringify(MARKED[name] ?? {})} ${JSON.stringify(text)}`,
  );
  return [JSON.stringify(attributes), ...lines].join('\n');
}
