import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { xml } from '../../../src/formats/xml/xml.ts';
import { registerSchema } from '../../../src/formats/xml/xsd.ts';
import { defineRegister, type DefinitionInput } from '../../../src/register/definition.ts';
import { fromRecords } from '../../../src/register/sources/from-records.ts';
import type { RecordInput } from '../../../src/register/record-input.ts';
import { pages } from '../../../src/register/sources/source.ts';
import { encodeAll, pagesOfSize } from '../../contracts/readers.ts';
import { SAMPLE_DEFINITION, SAMPLE_HEAD, sampleRecord, sampleRecords } from '../../contracts/sample-register.ts';
import { validateXsd } from '../../contracts/xsd-validator.ts';
import { definitions, registers, RUNS } from '../../properties/arbitraries.ts';
import { XML_CASES } from './cases.ts';

const fixture = (path: string): Promise<string> =>
  readFile(new URL(`../../../fixtures/${path}`, import.meta.url), 'utf8');

describe('the XML schema of a register', () => {
  it('is, for the sample register, the text of fixtures/expected/xml/permits.xsd', async () => {
    expect(registerSchema(SAMPLE_DEFINITION)).toBe(await fixture('expected/xml/permits.xsd'));
  });

  it('accepts several hundred sample records', async () => {
    const document = await encodeAll(xml, SAMPLE_HEAD, pagesOfSize(sampleRecords(350)));
    validateXsd(registerSchema(SAMPLE_DEFINITION), [document]);
  });

  it.each(XML_CASES)('accepts the document $name of fixtures/expected/xml', async ({ name, head }) => {
    validateXsd(registerSchema(head.definition), [Buffer.from(await fixture(`expected/xml/${name}.xml`))]);
  });

  it.each(['permits', 'hostile'])('accepts every record of fixtures/%s', async (name) => {
    const definition = defineRegister(JSON.parse(await fixture(`${name}/definition.json`)) as DefinitionInput);
    const lines = (await fixture(`${name}/records.ndjson`)).trimEnd().split('\n');
    const register = fromRecords(
      definition,
      lines.map((line) => JSON.parse(line) as RecordInput),
    );
    const head = { definition, lastChange: '2026-05-22', asOf: lines.length };
    validateXsd(registerSchema(definition), [await encodeAll(xml, head, pages(register))]);
  });

  it('accepts every document of every register', async () => {
    await fc.assert(
      fc.asyncProperty(registers({ large: false }), async ({ definition, head, pages: all }) => {
        const parts = await Promise.all(all.map((page) => encodeAll(xml, head, [page])));
        validateXsd(registerSchema(definition), [await encodeAll(xml, head, all), ...parts]);
      }),
      { numRuns: RUNS },
    );
  });

  it('is a schema for every definition, and a function of it', () => {
    fc.assert(
      fc.property(definitions(), (definition) => {
        const schema = registerSchema(definition);
        validateXsd(schema, []);
        expect(registerSchema(structuredClone(definition))).toBe(schema);
      }),
      { numRuns: RUNS },
    );
  });

  it.each<[title: string, from: string | RegExp, to: string]>([
    ['another register', ' id="permits"', ' id="others"'],
    ['another namespace', 'urn:gazette:register:1', 'urn:gazette:register:2'],
    ['a record without id', / id="permits:2026-0007"/, ''],
    ['a source that is no URL', '>https://example.org/permits/7', '>ftp://example.org/permits/7'],
    ['a date there is none of', '>2026-04-08<', '>2026-02-30<'],
    ['a time without seconds', '>2026-04-08T08:12:44Z<', '>2026-04-08T08:12Z<'],
    ['an unknown content type', '>text<', '>markdown<'],
    ['a number in words', '>8.75<', '>much<'],
    ['a fraction as an integer', '"integer">7<', '"integer">7.5<'],
    ['a boolean in words', '"boolean">false<', '"boolean">no<'],
    ['a value of another type', 'type="number"', 'type="text"'],
    ['fields in another order', /(<applicant>.*\n)(<amount.*\n)/, '$2$1'],
    ['a field the register does not have', '</record>', '<colour>red</colour></record>'],
    ['a version 0', 'version="2"', 'version="0"'],
  ])('refuses %s', async (_, from, to) => {
    const document = (await encodeAll(xml, SAMPLE_HEAD, pagesOfSize([sampleRecord(7)]))).toString();
    const changed = document.replace(from, to);
    expect(changed).not.toBe(document);
    expect(() => {
      validateXsd(registerSchema(SAMPLE_DEFINITION), [Buffer.from(changed)]);
    }).toThrow(/urn:gazette:register/);
  });
});
