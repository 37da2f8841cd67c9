// The packages that build XML, each in the fastest of the ways tried: whole pages, single records, object trees and
// calls per element.
import { loadPeer, versionOf } from '../peers.ts';
import type { Contestant } from '../harness.ts';
import type { RegisterRecord } from '../../src/register/record.ts';
import type { Input } from './table.ts';

interface ExceltsXml {
  readonly XmlStreamWriter: new (target: { write(chunk: string): void }) => {
    openNode(name: string, attributes?: Readonly<Record<string, string | number>>): void;
    leafNode(name: string, attributes: Readonly<Record<string, string>> | undefined, text: string): void;
    closeNode(): void;
  };
}
interface FastXmlParser {
  readonly XMLBuilder: new (options: object) => { build(tree: object): string };
}
interface Xmlbuilder2 {
  fragment(tree: object): { toString(): string };
}

/** The types that elements carry as an attribute, as the native writer has it. */
export const MARKED: Readonly<Record<string, { readonly type: string }>> = {
  fee: { type: 'number' },
  appealed: { type: 'boolean' },
};

/** Fields that are attributes of the record's element. */
const ATTRIBUTES: ReadonlySet<string> = new Set(['id', 'position', 'version']);

const FOOT = '</register>\n';

/** A record's elements with their texts, those without a value left out. */
export function textsOf({ names }: Input, record: RegisterRecord): (readonly [string, string])[] {
  const texts: (readonly [string, string])[] = [];
  for (const name of names) {
    if (ATTRIBUTES.has(name)) continue;
    const value = valueOf(record, name);
    if (value !== null) texts.push([name, String(value)]);
  }
  return texts;
}

function valueOf(record: RegisterRecord, name: string): string | number | boolean | null {
  const core = record as unknown as Readonly<Record<string, string | null>>;
  return name in record ? core[name]! : (record.data[name] as string | number | boolean | null);
}

/** All packages, over the same records; `head` is what the root's start takes. */
export async function xmlPeers(input: Input, head: string): Promise<Contestant[]> {
  const excelts = await loadPeer<ExceltsXml>('@cj-tech-master/excelts/xml');
  const fastXmlParser = await loadPeer<FastXmlParser>('fast-xml-parser');
  const xmlbuilder2 = await loadPeer<Xmlbuilder2>('xmlbuilder2');
  const names = input.names.filter((name) => !ATTRIBUTES.has(name));
  /** A record as the object trees of fast-xml-parser and xmlbuilder2, which agree on `@` and differ in the text's key. */
  const tree = (record: RegisterRecord, textKey: string): object => {
    const node: Record<string, unknown> = {
      '@id': record.id,
      '@position': record.position,
      '@version': record.version,
    };
    for (const name of names) {
      const value = valueOf(record, name);
      if (value === null) continue;
      node[name] = name in MARKED ? { '@type': MARKED[name]!.type, [textKey]: value } : value;
    }
    return node;
  };
  const builder = new fastXmlParser.XMLBuilder({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    textNodeName: '#text',
    suppressBooleanAttributes: false,
  });

  return [
    {
      name: 'excelts',
      role: 'peer',
      version: versionOf('@cj-tech-master/excelts'),
      note: 'its stream writer, encoded once per record',
      run(out) {
        let text = head;
        const writer = new excelts.XmlStreamWriter({
          write(chunk) {
            text += chunk;
          },
        });
        for (const record of input.records) {
          writer.openNode('record', { id: record.id, position: record.position!, version: record.version });
          for (const name of names) {
            const value = valueOf(record, name);
            if (value !== null) writer.leafNode(name, MARKED[name], typeof value === 'string' ? value : String(value));
          }
          writer.closeNode();
          out.text(text);
          text = '';
        }
        out.text(FOOT);
      },
    },
    {
      name: 'fast-xml-parser',
      role: 'peer',
      version: versionOf('fast-xml-parser'),
      note: 'its builder, a page at a time',
      run(out) {
        out.text(head);
        for (const { records } of input.pages) {
          out.text(builder.build({ record: records.map((record) => tree(record, '#text')) }));
        }
        out.text(FOOT);
      },
    },
    {
      name: 'xmlbuilder2',
      role: 'peer',
      version: versionOf('xmlbuilder2'),
      note: 'a fragment per record, far faster than its createCB; does not escape `&amp;` in texts',
      run(out) {
        out.text(head);
        for (const record of input.records) out.text(xmlbuilder2.fragment({ record: tree(record, '#') }).toString());
        out.text(FOOT);
      },
    },
  ];
}
