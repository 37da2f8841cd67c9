// `fields`: a document of some fields is the document of all, without the others, in the order asked for. Independent readers
// read both.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csv } from '../../src/formats/csv.ts';
import type { DocumentHead, Format } from '../../src/formats/format.ts';
import { atom } from '../../src/formats/feeds/atom.ts';
import { rss } from '../../src/formats/feeds/rss.ts';
import { ndjson } from '../../src/formats/ndjson.ts';
import { referenceAtom } from '../../src/formats/reference/atom.ts';
import { referenceCsv } from '../../src/formats/reference/csv.ts';
import { referenceRss } from '../../src/formats/reference/rss.ts';
import { referenceXlsx } from '../../src/formats/reference/xlsx.ts';
import { referenceXml } from '../../src/formats/reference/xml.ts';
import { Report } from '../../src/formats/report.ts';
import { xlsx } from '../../src/formats/xlsx/index.ts';
import { REGISTER_NAMESPACE, xml } from '../../src/formats/xml/xml.ts';
import { registerSchema } from '../../src/formats/xml/xsd.ts';
import { allFields, CORE_FIELDS } from '../../src/register/fields.ts';
import { checkFields, columnsOf, parseFields, pickFields } from '../../src/register/finding/chosen-fields.ts';
import type { RegisterDefinition } from '../../src/register/record.ts';
import { encodeAll, pagesOfSize } from '../contracts/readers.ts';
import { SAMPLE_DEFINITION, SAMPLE_HEAD, sampleRecords } from '../contracts/sample-register.ts';
import { lettersOf, readWorkbook, type ReadSheet } from '../contracts/xlsx-reader.ts';
import { childrenOf, parseXml } from '../contracts/xml-tree.ts';
import { validateXsd } from '../contracts/xsd-validator.ts';
import { dialects, readCsv } from '../formats/csv-dialects.ts';
import { tries } from '../effort.ts';
import { registers, type RegisterSample } from './arbitraries.ts';

/** The names that can be asked for. */
const namesOf = ({ fields }: RegisterDefinition): string[] => [
  ...CORE_FIELDS.map(({ name }) => name),
  ...fields.map(({ name }) => `data.${name}`),
];

/** A register with some of its fields in any order, and the places of their columns among all. */
const chosen = registers({ large: false }).chain((sample) =>
  fc
    .shuffledSubarray(namesOf(sample.definition), { minLength: 1, maxLength: 8 })
    .map((names) => checkFields(names, sample.definition))
    .map((fields) => ({
      ...sample,
      fields,
      places: fields.map((name) => namesOf(sample.definition).indexOf(name)),
      some: { ...sample.head, fields } satisfies DocumentHead,
    })),
);

const numRuns = tries(30);

describe('a document of some fields', () => {
  it('is, in CSV of any dialect, exactly these columns; from both writers', async () => {
    await fc.assert(
      fc.asyncProperty(chosen, dialects(), async ({ head, some, places, pages }, dialect) => {
        const all = readCsv(await encodeAll(csv, head, pages, dialect), dialect);
        const document = await encodeAll(csv, some, pages, dialect);
        expect(readCsv(document, dialect)).toEqual(all.map((row) => places.map((place) => row[place])));
        expect((await encodeAll(referenceCsv, some, pages, dialect)).equals(document)).toBe(true);
      }),
      { numRuns },
    );
  });

  it('is, in NDJSON, exactly these members', async () => {
    await fc.assert(
      fc.asyncProperty(chosen, async ({ head, some, fields, pages }) => {
        const [all, lines] = [await linesOf(head, pages), await linesOf(some, pages)];
        // As values, and the order of the members besides: JSON.stringify() would move a member 0 of a value to its beginning.
        const [got, expected] = [
          lines.map((line) => JSON.parse(line) as Record<string, object>),
          all.map((line) => pickFields(JSON.parse(line) as never, fields) as Record<string, object>),
        ];
        const orderOf = (record: Record<string, object>): unknown => [
          Object.keys(record),
          Object.keys(record.data ?? {}),
        ];
        expect([got, got.map(orderOf)]).toEqual([expected, expected.map(orderOf)]);
      }),
      { numRuns },
    );
  });

  it('is, in XLSX, exactly these columns with their links; from both writers', async () => {
    await fc.assert(
      fc.asyncProperty(chosen, async ({ definition, head, some, fields, places, pages }) => {
        const all = await sheetOf(xlsx, head, pages);
        for (const format of [xlsx, referenceXlsx] as const) {
          const { sheets } = readWorkbook(await encodeAll(format as Format, some, pages));
          const [sheet, about] = sheets;
          expect(cellsOf(sheet!, fields.length)).toEqual(
            cellsOf(all, namesOf(definition).length).map((row) => places.map((place) => row[place])),
          );
          expect(sheet!.filter).toBe(`A1:${lettersOf(fields.length - 1)}${all.rows.length}`);
          const described = about!.rows.slice(-fields.length).map((row) => row.get('A')?.value);
          expect(described).toEqual(columnsOf(definition, fields).map(({ name }) => name));
        }
      }),
      { numRuns: Math.ceil(numRuns / 2) },
    );
  });

  it('is, in XML, exactly these elements, valid by the schema; from both writers', async () => {
    await fc.assert(
      fc.asyncProperty(chosen, async ({ definition, head, some, fields, pages }) => {
        const own = new Set(columnsOf(definition, fields).map(({ name }) => name));
        const document = await encodeAll(xml, some, pages);
        const [all, part] = [recordsIn(await encodeAll(xml, head, pages)), recordsIn(document)];
        expect(part).toEqual(
          all.map(({ attributes, children }) => ({
            attributes: Object.fromEntries(Object.entries(attributes).filter(([name]) => own.has(name))),
            children: children.filter(({ name }) => own.has(name.slice(NAMESPACE.length))),
          })),
        );
        expect(parseXml(document).attributes.fields).toBe(fields.join(','));
        expect((await encodeAll(referenceXml, some, pages)).toString()).toBe(document.toString());
        validateXsd(registerSchema(definition), [document]);
      }),
      { numRuns },
    );
  });

  it('counts only what it had to change itself', async () => {
    const records = sampleRecords(2).map((record) => ({ ...record, summary: 'lone \ud800', content: 'a\0b' }));
    for (const [fields, count] of [
      [['id', 'title'], 0],
      [['id', 'summary'], 2],
      [['content', 'id'], 2],
    ] as const) {
      for (const format of [csv, xlsx, xml]) {
        const report = new Report();
        await encodeAll(format as Format, { ...SAMPLE_HEAD, fields }, pagesOfSize(records), { report });
        const replaced = report.warnings.find(({ code }) => code === 'replaced_characters')?.count ?? 0;
        expect([format.name, fields, replaced]).toEqual([format.name, fields, count]);
      }
    }
  });

  it.each([csv, ndjson, xlsx, xml])('names a record whose fields do not fit: $name', async (format) => {
    const records = sampleRecords(1).map((record) => ({ ...record, title: 7 as unknown as string }));
    for (const fields of [['id', 'title'], ['id']])
      await expect(encodeAll(format as Format, { ...SAMPLE_HEAD, fields }, pagesOfSize(records))).rejects.toMatchObject(
        {
          code: 'invalid_record',
        },
      );
  });

  it.each([rss, atom, referenceRss, referenceAtom])('is no feed: $name', async (format) => {
    await expect(encodeAll(format, { ...SAMPLE_HEAD, fields: ['id'] }, [])).rejects.toMatchObject({
      code: 'invalid_parameter',
      details: { parameter: 'fields' },
    });
  });
});

describe('fields', () => {
  const own = SAMPLE_DEFINITION.fields.map(({ name }) => `data.${name}`);

  it.each<readonly [string, readonly string[]]>([
    ['title', ['id', 'title']],
    ['title,id', ['title', 'id']],
    [` title , ${own[0]!},title`, ['id', 'title', own[0]!]],
    ['data,key', ['id', ...own, 'key']],
    [`${own[1]!},data`, ['id', own[1]!, ...own.filter((name) => name !== own[1])]],
  ])('are names with commas between them: %j', (text, names) => {
    expect(parseFields(text, SAMPLE_DEFINITION)).toEqual(names);
    expect(parseFields(names.join(','), SAMPLE_DEFINITION)).toEqual(names);
  });

  it.each([
    ['titel', 'fields must name fields of the register, got "titel": did you mean title?'],
    ['', 'fields must name fields of the register, got "": there are id, feed_id,'],
    ['id,,key', 'fields must name fields of the register, got "": there are id, feed_id,'],
    [own[0]!.slice(5), `fields must name fields of the register, got "${own[0]!.slice(5)}": did you mean ${own[0]!}?`],
    ['data.title', 'fields must name fields of the register, got "data.title": did you mean title?'],
    ['data.constructor', 'fields must name fields of the register, got "data.constructor"'],
  ])('are refused by name: %j', (text, message) => {
    expect(() => parseFields(text, SAMPLE_DEFINITION)).toThrow(
      expect.objectContaining({
        code: 'invalid_parameter',
        message: expect.stringContaining(message) as string,
        details: { parameter: 'fields' },
      }) as Error,
    );
  });

  it('are all where none are asked for', () => {
    expect(columnsOf(SAMPLE_DEFINITION, undefined)).toEqual(allFields(SAMPLE_DEFINITION));
  });
});

const NAMESPACE = `{${REGISTER_NAMESPACE}}`;

async function linesOf(head: DocumentHead, pages: RegisterSample['pages']): Promise<string[]> {
  return (await encodeAll(ndjson, head, pages)).toString().split('\n').slice(0, -1);
}

async function sheetOf(format: Format, head: DocumentHead, pages: RegisterSample['pages']): Promise<ReadSheet> {
  return readWorkbook(await encodeAll(format, head, pages)).sheets[0]!;
}

/** All cells, with their links. */
function cellsOf({ rows }: ReadSheet, columns: number): unknown[][] {
  return rows.map((row) => Array.from({ length: columns }, (_, column) => row.get(lettersOf(column)) ?? null));
}

function recordsIn(document: Buffer): Pick<ReturnType<typeof parseXml>, 'attributes' | 'children'>[] {
  return childrenOf(parseXml(document), `${NAMESPACE}record`).map(({ attributes, children }) => ({
    attributes,
    children,
  }));
}
