// The catalogue of a service, of a snapshot and of arbitrary registers: read as RDF by jsonld-streaming-parser, and judged by
// rdf-validate-shacl with shapes that are made of the table of DCAT-AP.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { catalog } from '../../src/templates/catalogues/catalog.ts';
import { definitions, dateTimes, RUNS, urls } from '../properties/arbitraries.ts';
import { folder, publish, storeOf } from '../snapshot/published.ts';
import { DCAT_AP, type Range } from '../templates/dcat-ap.ts';
import { BASE_URL, world } from '../world.ts';
import { loadJudge } from './tools.ts';

/** A set of statements. */
interface Statements {
  readonly size: number;
  add(quad: unknown): unknown;
}

interface Parser {
  on(event: string, listener: (value: unknown) => void): Parser;
  write(text: string): void;
  end(): void;
}

interface Report {
  readonly conforms: boolean;
  readonly results: readonly {
    readonly path: { readonly value: string };
    readonly focusNode: { readonly value: string };
  }[];
}

interface Validator {
  validate(data: Statements): Promise<Report>;
}

let newStatements: () => Statements;
let newParser: () => Parser;
let validator: Validator;
beforeAll(async () => {
  const { default: factory } = await loadJudge<{ default: { dataset(): Statements } }>('@rdfjs/dataset');
  const { JsonLdParser } = await loadJudge<{ JsonLdParser: new (options: object) => Parser }>(
    'jsonld-streaming-parser',
  );
  const { default: Shacl } = await loadJudge<{ default: new (shapes: Statements) => Validator }>('rdf-validate-shacl');
  newStatements = () => factory.dataset();
  newParser = () => new JsonLdParser({ strictValues: true });
  validator = new Shacl(await statementsOf(JSON.stringify(shapes())));
});

/** What a document states. Rejects for one that is not JSON-LD. */
function statementsOf(text: string): Promise<Statements> {
  return new Promise((resolve, reject) => {
    const all = newStatements();
    const parser = newParser();
    parser
      .on('data', (quad) => all.add(quad))
      .on('error', reject)
      .on('end', () => {
        resolve(all);
      });
    parser.write(text);
    parser.end();
  });
}

/** SHACL of the table. */
function shapes(): object {
  const rangeOf = (range: Range): object => {
    if (range === 'literal') return { 'sh:nodeKind': { '@id': 'sh:Literal' } };
    if (range === 'dateTime') return { 'sh:datatype': { '@id': 'xsd:dateTime' } };
    return range === 'iri' ? { 'sh:nodeKind': { '@id': 'sh:IRI' } } : { 'sh:class': { '@id': range.node } };
  };
  return {
    '@context': {
      ...(JSON.parse(catalog({ page: '', service: NOTHING, parts: null }, [])) as { readonly '@context': object })[
        '@context'
      ],
      sh: 'http://www.w3.org/ns/shacl#',
    },
    '@graph': [...Map.groupBy(DCAT_AP, ({ type }) => type)].map(([type, rows]) => ({
      '@id': `urn:shape:${type}`,
      '@type': 'sh:NodeShape',
      'sh:targetClass': { '@id': type },
      'sh:property': rows.map(({ property, min, max, range }) => ({
        'sh:path': { '@id': property },
        'sh:minCount': min,
        ...(max === null ? {} : { 'sh:maxCount': max }),
        ...rangeOf(range),
      })),
    })),
  };
}

const NOTHING = { title: 'Registers', contact: null, termsUrl: null, licenceUrl: null };

/** What is wrong with a catalogue: the node and its property. */
async function faultsOf(...texts: readonly string[]): Promise<readonly string[]> {
  const all = newStatements();
  for (const text of texts)
    for (const quad of (await statementsOf(text)) as unknown as Iterable<unknown>) all.add(quad);
  expect(all.size).toBeGreaterThan(5);
  const { results } = await validator.validate(all);
  return results.map(({ path, focusNode }) => `${focusNode.value} ${path.value}`);
}

describe('a catalogue is DCAT-AP', () => {
  it('of a service', async () => {
    const { get } = await world({ title: 'Registers', contact: 'desk@example.org', baseUrl: BASE_URL });
    const text = await (await get(`${BASE_URL}/catalog.jsonld`)).text();
    expect(text).toContain('/feeds/notices#dataset');
    expect(await faultsOf(text)).toEqual([]);
  });

  it('of a snapshot', async () => {
    const out = await folder();
    await publish(await storeOf(250), out);
    expect(await faultsOf(await readFile(join(out, 'catalog.jsonld'), 'utf8'))).toEqual([]);
  });

  it('of arbitrary registers, whose parts are one catalogue', async () => {
    // The parser takes an IPv6 address in brackets (RFC 3986 3.2.2) for no host.
    const isReadable = (url: string | null): boolean => url?.includes('[') !== true;
    const definition = definitions().filter(({ homepage, rights }) => isReadable(homepage) && isReadable(rights));
    const registers = fc.array(fc.tuple(definition, fc.option(dateTimes())), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(registers, registers, urls().filter(isReadable), async (first, second, licenceUrl) => {
        const [one, other] = [first, second].map((some, part) =>
          catalog(
            {
              page: 'https://registers.example/',
              service: { ...NOTHING, licenceUrl, contact: { url: licenceUrl } },
              parts: { self: `https://registers.example/${part}`, next: null },
            },
            some.map(([own, lastChange], at) => {
              const page = `https://registers.example/feeds/${part}-${at}`;
              const files = [{ name: 'csv', mediaType: 'text/csv', url: `${page}.csv`, isWhole: true }];
              return { definition: own, lastChange, page, files };
            }),
          ),
        ) as [string, string];
        expect(await faultsOf(one, other)).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  it('and the judge sees what is missing', async () => {
    const { get } = await world({ baseUrl: BASE_URL });
    const text = await (await get(`${BASE_URL}/catalog.jsonld`)).text();
    const broken = text.replaceAll('"foaf:name"', '"foaf:nick"').replaceAll('"dcat:accessURL"', '"dcat:elsewhere"');
    const faults = await faultsOf(broken);
    expect(faults).toContain(`${BASE_URL}/#publisher http://xmlns.com/foaf/0.1/name`);
    expect(faults.filter((fault) => fault.endsWith('accessURL')).length).toBeGreaterThan(5);
  });
});
