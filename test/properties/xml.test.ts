import { filterText } from '../../src/register/finding/filter.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { create } from 'xmlbuilder2';
import type { Format } from '../../src/formats/format.ts';
import { referenceXml } from '../../src/formats/reference/xml.ts';
import { REGISTER_NAMESPACE, xml } from '../../src/formats/xml/xml.ts';
import { encodeAll } from '../contracts/readers.ts';
import { carriedRecord, type ReadRecord, toRegisterRecord } from '../contracts/xml-register.ts';
import { carried, childrenOf, parseXml } from '../contracts/xml-tree.ts';
import { type RegisterSample, registers, RUNS } from './arbitraries.ts';

const NAMESPACE = `{${REGISTER_NAMESPACE}}`;

/** The records saxes finds. */
function readWithSaxes(document: Buffer): ReadRecord[] {
  return childrenOf(parseXml(document), `${NAMESPACE}record`).map(({ attributes, children }) => ({
    attributes,
    fields: children.map(({ name, text }) => [name.slice(NAMESPACE.length), text] as const),
  }));
}

/** The shape of the nodes of xmlbuilder2's tree that reading needs. */
interface DomNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly childNodes: Iterable<DomNode>;
  readonly attributes?: Iterable<{ readonly name: string; readonly value: string }>;
}

/** The records xmlbuilder2's parser finds. */
function readWithXmlbuilder(document: Buffer): ReadRecord[] {
  const root = create({ skipWhitespaceOnlyText: false }, document.toString('utf8')).root().node as unknown as DomNode;
  const elements = (node: DomNode): DomNode[] => [...node.childNodes].filter(({ nodeType }) => nodeType === 1);
  return elements(root).map((record) => ({
    attributes: Object.fromEntries([...record.attributes!].map(({ name, value }) => [name, value])),
    fields: elements(record).map((field) => [field.nodeName, field.textContent ?? ''] as const),
  }));
}

/** xmlbuilder2's parser decodes named references first and numeric ones in what comes out: `&amp;#13;` ends as CR. */
const DECODED_TWICE = '&amp;#';

const WRITERS: readonly (readonly [name: string, format: Format, read: (document: Buffer) => ReadRecord[]])[] = [
  ['the native writer, read by saxes', xml, readWithSaxes],
  ["the native writer, read by xmlbuilder2's parser", xml, readWithXmlbuilder],
  ['the reference writer, read by saxes', referenceXml, readWithSaxes],
  ["the reference writer, read by xmlbuilder2's parser", referenceXml, readWithXmlbuilder],
];

describe.each(WRITERS)('XML of %s', (_, format, read) => {
  it('gives back every record of every register', async () => {
    await fc.assert(
      fc.asyncProperty(registers({ large: false }), async ({ definition, records, head, pages }) => {
        const document = await encodeAll(format, head, pages);
        fc.pre(read !== readWithXmlbuilder || !document.toString().includes(DECODED_TWICE));
        const found = read(document).map((record) => toRegisterRecord(definition, record));
        expect(found).toEqual(records.map((record) => carriedRecord(definition, record)));
      }),
      { numRuns: RUNS },
    );
  });
});

describe('XML', () => {
  it('is the same from both writers, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(registers({ large: false }), async ({ head, pages }) => {
        const native = await encodeAll(xml, head, pages);
        expect((await encodeAll(referenceXml, head, pages)).toString()).toBe(native.toString());
      }),
      { numRuns: RUNS },
    );
  });

  it('carries the head in attributes, absent ones left out', async () => {
    await fc.assert(
      fc.asyncProperty(registers({ maxRecords: 1, large: false }), async ({ head, pages }) => {
        const { attributes } = parseXml(await encodeAll(xml, head, pages));
        expect(attributes).toEqual(expectedAttributes({ head }));
      }),
      { numRuns: RUNS },
    );
  });

  it('holds, page by page, the records of the whole', async () => {
    await fc.assert(
      fc.asyncProperty(registers({ large: false }), async ({ head, pages }) => {
        const whole = readWithSaxes(await encodeAll(xml, head, pages));
        const parts = await Promise.all(pages.map((page) => encodeAll(xml, head, [page])));
        expect(parts.flatMap(readWithSaxes)).toEqual(whole);
      }),
      { numRuns: RUNS },
    );
  });
});

function expectedAttributes({ head }: Pick<RegisterSample, 'head'>): Record<string, string> {
  const { definition, lastChange, asOf, filter, links } = head;
  const all: Record<string, string | null | undefined> = {
    id: definition.id,
    as_of: asOf === null ? null : String(asOf),
    title: definition.title,
    author: definition.author,
    rights: definition.rights,
    homepage: definition.homepage,
    last_change: lastChange,
    filter: filter === undefined ? null : filterText(filter),
    self: links?.self,
    next: links?.next,
    '{http://www.w3.org/XML/1998/namespace}lang': definition.language,
  };
  return Object.fromEntries(
    Object.entries(all)
      .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
      .map(([name, value]) => [name, carried(value)]),
  );
}
