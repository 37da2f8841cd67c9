// XML, a whole register in one document of gazette's own vocabulary: ours, the bare loop, and the packages that build
// XML, told to write the same elements and attributes.
import { SaxesParser } from 'saxes';
import { Blocks } from './blocks.ts';
import { referenceContestant } from './reference.ts';
import { expectEqual, type Input, type Table, throughEncode } from './table.ts';
import { MARKED, textsOf, xmlPeers } from './xml-peers.ts';
import type { Contestant, Destination } from '../harness.ts';
import { encode } from '../../src/formats/encode.ts';
import { xml } from '../../src/formats/xml.ts';
import { escapeAttribute, escapeText } from '../../src/formats/xml-text.ts';
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

/** The native writer's elements and escaping in one synchronous loop: no pages, no sink, no driver, no report. */
async function bareLoop(input: Input): Promise<Contestant> {
  const { records, fields } = input;
  const first = await headOf(input);
  const own = fields.slice(-input.definition.fields.length);
  return {
    name: 'bare loop',
    role: 'bare loop',
    version: null,
    note: 'the same escaping in one synchronous loop',
    run(out: Destination) {
      const blocks = new Blocks(out);
      blocks.text(first);
      for (const r of records) {
        let text = `<record id="${escapeAttribute(r.id)}" position="${r.position ?? ''}" version="${r.version}">\n<feed_id>${r.feed_id}</feed_id>\n<title>`;
        text = `${blocks.append(text, escapeText(r.title))}</title>\n`;
        if (r.summary !== null) {
          text = `${blocks.append(`${text}<summary>`, escapeText(r.summary))}</summary>\n`;
        }
        if (r.content !== null) {
          text = `${blocks.append(`${text}<content>`, escapeText(r.content))}</content>\n`;
        }
        text += `<content_type>${r.content_type}</content_type>\n`;
        if (r.author !== null) text += `<author>${escapeText(r.author)}</author>\n`;
        if (r.document_type !== null) text += `<document_type>${escapeText(r.document_type)}</document_type>\n`;
        if (r.facility_id !== null) text += `<facility_id>${escapeText(r.facility_id)}</facility_id>\n`;
        text += `<source_url>${escapeText(r.source_url)}</source_url>\n`;
        if (r.published_at !== null) text += `<published_at>${r.published_at}</published_at>\n`;
        text += `<observed_at>${r.observed_at}</observed_at>\n`;
        if (r.updated_at !== null) text += `<updated_at>${r.updated_at}</updated_at>\n`;
        for (const { name, type } of own) {
          const value = r.data[name];
          if (value === null || value === undefined) continue;
          if (typeof value === 'string') text += `<${name}>${escapeText(value)}</${name}>\n`;
          else text += `<${name} type="${type}">${value as number | boolean}</${name}>\n`;
        }
        blocks.text(`${text}</record>\n`);
      }
      blocks.text(FOOT);
      blocks.end();
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
