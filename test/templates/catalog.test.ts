// The catalogue of registers, by the table of DCAT-AP: what must be there is, nothing stands more often than it may, and nothing
// is there that the table does not know.
import { describe, expect, it } from 'vitest';
import { catalog, type CatalogPlace, type CataloguedRegister } from '../../src/templates/catalogues/catalog.ts';
import { isObject } from '../../src/checks.ts';
import { DCAT_AP, type Range } from './dcat-ap.ts';

type Node = Readonly<Record<string, unknown>>;

const PLACE: CatalogPlace = {
  page: 'https://registers.example/',
  service: { title: 'Registers', contact: null, termsUrl: null, licenceUrl: null },
  parts: null,
};

const DEFINITION: CataloguedRegister['definition'] = {
  ...{ title: 'Permits', description: '', language: null, author: null, rights: null, homepage: null },
  created_at: '2026-01-01T00:00:00Z',
};

const PERMITS: CataloguedRegister = {
  definition: DEFINITION,
  lastChange: null,
  page: 'https://registers.example/feeds/permits',
  files: [
    { name: 'csv', mediaType: 'text/csv; charset=utf-8', url: 'https://registers.example/r.csv', isWhole: true },
    { name: 'rss', mediaType: 'application/rss+xml', url: 'https://registers.example/r.rss', isWhole: false },
    { name: 'ndjson', mediaType: 'application/x-ndjson', url: 'https://registers.example/r.ndjson', isWhole: true },
  ],
};

/** A register that says all that can be said, in a service that does, too. */
const SERVICE: CatalogPlace['service'] = {
  ...{ title: 'Registers', contact: { email: "o'hara@example.org" }, termsUrl: null },
  licenceUrl: 'https://licence.example/by',
};
const TOLD: CataloguedRegister = {
  ...PERMITS,
  definition: {
    ...{ title: 'Standorte', description: 'Wo etwas steht.', language: 'de-AT', author: 'Amt für Standorte' },
    ...{ rights: 'Alle Rechte beim Amt', homepage: 'https://amt.example/standorte', access: 'open', every: '7d' },
    created_at: '2026-01-01T00:00:00.5+01:00',
  },
  lastChange: '2026-02-01T00:00:00Z',
  page: 'https://registers.example/feeds/standorte',
};

const written = (place: CatalogPlace, ...registers: readonly CataloguedRegister[]): Node =>
  JSON.parse(catalog(place, registers)) as Node;

const valuesOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

/** Every node of a class, at any depth. */
function* nodesOf(value: unknown): Generator<Node> {
  for (const one of valuesOf(value)) {
    if (!isObject(one)) continue;
    if ('@type' in one) yield one;
    for (const [name, member] of Object.entries(one)) if (name !== '@context') yield* nodesOf(member);
  }
}

const isOf: Readonly<Record<Extract<Range, string>, (value: unknown) => boolean>> = {
  literal: (value) => (isObject(value) ? typeof value['@value'] === 'string' : typeof value === 'string'),
  dateTime: (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
  iri: (value) => typeof value === 'string' && URL.canParse(value),
};

/** What is wrong with a catalogue by the table. */
function faultsOf(document: Node): readonly string[] {
  return [...nodesOf(document)].flatMap((node) =>
    DCAT_AP.filter(({ type }) => type === node['@type']).flatMap(({ property, clause, min, max, range }) => {
      const values = valuesOf(node[property]);
      const isRight = (value: unknown): boolean =>
        typeof range === 'string' ? isOf[range](value) : isObject(value) && value['@type'] === range.node;
      if (values.length < min || (max !== null && values.length > max)) return [`#${clause}: ${values.length} values`];
      return values.every(isRight) ? [] : [`#${clause}: ${JSON.stringify(values)}`];
    }),
  );
}

const CASES: readonly (readonly [string, Node])[] = [
  ['of no register', written(PLACE)],
  ['of a register that says nothing', written(PLACE, PERMITS)],
  ['of registers that say all', written({ ...PLACE, service: SERVICE }, TOLD, PERMITS)],
  ['of a part', written({ ...PLACE, parts: { self: 'https://registers.example/c?offset=1', next: null } }, TOLD)],
];

describe('a catalogue', () => {
  it.each(CASES)('%s has what DCAT-AP wants, as often as it may', (_, document) => {
    expect(faultsOf(document)).toEqual([]);
    const classes = new Set(DCAT_AP.map(({ type }) => type));
    for (const node of nodesOf(document)) {
      if (!classes.has(String(node['@type']))) continue;
      const own = DCAT_AP.filter(({ type }) => type === node['@type']).map(({ property }) => property);
      const others = Object.keys(node).filter((name) => !name.startsWith('@') && !own.includes(name));
      expect(others).toEqual('hydra:view' in node ? ['hydra:view'] : []);
    }
  });

  it('says whose a register is, who may read it and under what licence, each in the tables of the EU', () => {
    const document = written({ ...PLACE, service: SERVICE }, TOLD, PERMITS);
    const [told, permits] = document['dcat:dataset'] as [Node, Node];
    const [csv, rss, ndjson] = told['dcat:distribution'] as [Node, Node, Node];
    const authority = 'http://publications.europa.eu/resource/authority';
    expect(told).toMatchObject({
      'dct:title': { '@value': 'Standorte', '@language': 'de-AT' },
      'dct:publisher': { 'foaf:name': 'Amt für Standorte' },
      'dcat:contactPoint': { 'vcard:hasEmail': "mailto:o'hara@example.org" },
      'dct:accessRights': { '@id': `${authority}/access-right/PUBLIC` },
      'dct:accrualPeriodicity': { '@id': `${authority}/frequency/WEEKLY` },
      'dct:language': { '@id': `${authority}/language/DEU` },
      'dcat:landingPage': [{ '@id': TOLD.page }, { '@id': 'https://amt.example/standorte' }],
    });
    expect(csv).toMatchObject({
      'dcat:accessURL': TOLD.page,
      'dcat:downloadURL': 'https://registers.example/r.csv',
      'dct:format': { '@id': `${authority}/file-type/CSV` },
      'dcat:mediaType': { '@id': 'https://www.iana.org/assignments/media-types/text/csv' },
      'dct:license': { '@id': SERVICE.licenceUrl },
      'dct:rights': { 'rdfs:label': 'Alle Rechte beim Amt' },
    });
    // Neither of these media types is registered, and there is no term for NDJSON.
    expect([rss, ndjson].map((node) => [node['dcat:mediaType'], node['dct:format']])).toEqual([
      [undefined, { '@id': `${authority}/file-type/RSS`, '@type': 'dct:MediaTypeOrExtent' }],
      [undefined, { '@type': 'dct:MediaTypeOrExtent', 'rdfs:label': 'ndjson' }],
    ]);
    expect(permits).toMatchObject({
      'dct:publisher': { '@id': 'https://registers.example/#publisher', 'foaf:name': 'Registers' },
      'dct:description': 'Permits',
      'dct:accessRights': { '@id': `${authority}/access-right/RESTRICTED` },
    });
    expect(document['dct:modified']).toBe(TOLD.lastChange);
  });

  it('writes the addresses that people gave as URIs, for one that is none would make the whole unreadable', () => {
    const homepage = 'https://blåbær.example/[1]#a#b';
    const document = written(PLACE, { ...PERMITS, definition: { ...DEFINITION, homepage } });
    expect(JSON.stringify(document)).toContain('"https://xn--blbr-roah.example/%5B1%5D#a%23b"');
  });

  it('is one catalogue over all its parts: none says what another may contradict', () => {
    const parts = { self: 'https://registers.example/c', next: 'https://registers.example/c?offset=1000' };
    const [first, second] = [
      written({ ...PLACE, parts }, TOLD),
      written({ ...PLACE, parts: { self: parts.next, next: null } }, PERMITS),
    ];
    expect(first['hydra:view']).toMatchObject({ '@id': parts.self, 'hydra:next': parts.next });
    expect(second['hydra:view']).toEqual({ '@id': parts.next, '@type': 'hydra:PartialCollectionView' });
    for (const { property, max, type } of DCAT_AP)
      if (type === 'dcat:Catalog' && max === 1) expect(first[property]).toEqual(second[property]);
  });
});
