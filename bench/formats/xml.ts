// XML, a whole register in one document of gazette's own vocabulary: ours, the bare loop, and the packages that build
// XML, told to write the same elements and attributes.
import { SaxesParser } from 'saxes';
import { handOver } from './hand-over.ts';
import { referenceContestant } from './reference.ts';
import { expectEqual, type Input, PAGE_RECORDS, type Table, throughEncode } from './table.ts';
import { MARKED, textsOf, xmlPeers } from './xml-peers.ts';
import type { Contestant, Destination } from '../harness.ts';
import { Blocks } from '../../src/formats/blocks.ts';
import { encode } from '../../src/formats/encode.ts';
import { xml } from '../../src/formats/xml/xml.ts';
import { escapeAttribute, escapeText, utf8 } from '../../src/formats/xml/text.ts';
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
      label: '>= 3 × the best package',
      atLeast: 3,
      against: ['excelts', 'fast-xml-parser', 'xmlbuilder2'],
    },
    { label: '>= 10 × xmlbuilder2', atLeast: 10, against: ['xmlbuilder2'] },
    { label: '>= 0.95 × the bare loop', atLeast: 0.95, against: ['bare loop'] },
  ],
  check,
  ours: async (input) => [
    throughEncode('gazette', 'native', xml, input, 'whole'),
    await bareLoop(input),
    ...(await referenceContestant('xml', 'xmlbuilder2', input, 'whole')),
  ],
  peers: async (input) => xmlPeers(input, await headOf(input)),
};

/** The table of documents of one page. */
export const xmlPageTable: Table = {
  ...xmlTable,
  id: 'xml-page',
  title: 'XML, a document of one page',
  sizes: { default: [PAGE_RECORDS], full: [PAGE_RECORDS] },
  goals: [],
  firstGoals: [
    { label: '>= 2 × the best package', atLeast: 2, against: ['excelts', 'fast-xml-parser', 'xmlbuilder2'] },
  ],
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
  const names = ['feed_id', 'key', 'title', 'summary', 'content', 'content_type', 'author', 'document_type'];
  names.push('facility_id', 'source_url', 'published_at', 'observed_at', 'updated_at');
  const own = input.definition.fields;
  const elements = [
    { open: '', close: '' },
    ...names.map((name) => ({ open: `<${name}>`, close: `</${name}>\n` })),
    ...own.map(({ name, type }) => ({
      open: `<${name}${name in MARKED ? ` type="${type}"` : ''}>`,
      close: `</${name}>\n`,
    })),
    { open: '</record>\n', close: '' },
  ];
  const between = elements.map(({ close }) => elements.map(({ open }) => utf8(close + open)));
  return {
    name: 'bare loop',
    role: 'bare loop',
    version: null,
    note: 'the same escaping in one synchronous loop',
    run(out: Destination) {
      const blocks = new Blocks();
      let last = 0;
      const markup = (place: number): void => {
        blocks.bytes(between[last]![place]!);
        last = place;
      };
      const text = (place: number, value: string | null): void => {
        if (value === null) return;
        markup(place);
        blocks.escaped(value, escapeText);
      };
      const plain = (place: number, value: string | null): void => {
        if (value === null) return;
        markup(place);
        blocks.text(value);
      };
      blocks.text(first);
      for (const r of input.records) {
        blocks.text(`<record id="${escapeAttribute(r.id)}" position="${r.position ?? ''}" version="${r.version}">\n`);
        plain(1, r.feed_id);
        text(2, r.key);
        text(3, r.title);
        text(4, r.summary);
        text(5, r.content);
        plain(6, r.content_type);
        text(7, r.author);
        text(8, r.document_type);
        text(9, r.facility_id);
        text(10, r.source_url);
        plain(11, r.published_at);
        plain(12, r.observed_at);
        plain(13, r.updated_at);
        let place = 14;
        for (const { name } of own) {
          const value = r.data[name];
          if (typeof value === 'string') text(place, value);
          else if (typeof value === 'number' || typeof value === 'boolean') plain(place, String(value));
          place++;
        }
        markup(place);
        last = 0;
        handOver(blocks, out, false);
      }
      blocks.text(FOOT);
      handOver(blocks, out, true);
    },
  };
}

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
