// What portals for open data harvest: the registers as a catalogue of DCAT-AP 3.0 (SEMIC), in JSON-LD 1.1. Only what everybody may
// know of a register is in it. Its context stands in the document, so that nobody has to fetch another one to read it.
import { toUri } from '../../register/url.ts';
import type { ServiceTexts } from '../layout.ts';
import { licenceOf } from './structured-data.ts';

/** How many registers a document has. */
export const CATALOGUED_REGISTERS = 1000;

/** IANA's registered name of JSON-LD. */
export const CATALOG_TYPE = { extension: 'jsonld', mediaType: 'application/ld+json' };

/** What is said of a register: what its definition says of it to people. */
export interface CataloguedDefinition {
  readonly title: string;
  readonly description: string;
  readonly language: string | null;
  readonly author: string | null;
  readonly rights: string | null;
  readonly homepage: string | null;
  readonly created_at: string;
  readonly access?: 'open';
  readonly every?: string;
}

/** A register, with absolute addresses. */
export interface CataloguedRegister {
  readonly definition: CataloguedDefinition;
  /** RFC 3339; null: it never changed. */
  readonly lastChange: string | null;
  /** Its page, which says how its files are to be had. */
  readonly page: string;
  readonly files: readonly {
    /** The name of the format. */
    readonly name: string;
    readonly mediaType: string;
    readonly url: string;
    /** Whether all records are in it. */
    readonly isWhole: boolean;
  }[];
}

/** The catalogue that they are in, with absolute addresses. */
export interface CatalogPlace {
  /** The page that lists the registers. */
  readonly page: string;
  readonly service: ServiceTexts;
  /** This document, and the one with further registers; null: this is all. */
  readonly parts: { readonly self: string; readonly next: string | null } | null;
}

const AUTHORITY = 'http://publications.europa.eu/resource/authority';

const CONTEXT = {
  dcat: 'http://www.w3.org/ns/dcat#',
  dct: 'http://purl.org/dc/terms/',
  foaf: 'http://xmlns.com/foaf/0.1/',
  hydra: 'http://www.w3.org/ns/hydra/core#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  vcard: 'http://www.w3.org/2006/vcard/ns#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
  'dct:issued': { '@type': 'xsd:dateTime' },
  'dct:modified': { '@type': 'xsd:dateTime' },
  'dcat:accessURL': { '@type': '@id' },
  'dcat:downloadURL': { '@type': '@id' },
  'hydra:next': { '@type': '@id' },
  'vcard:hasEmail': { '@type': '@id' },
  'vcard:hasURL': { '@type': '@id' },
};

/** The document. Addresses that people gave are written as URIs: one that is none would make the whole unreadable. */
export function catalog({ page, service, parts }: CatalogPlace, registers: readonly CataloguedRegister[]): string {
  const publisher = agent(service.title, `${page}#publisher`);
  const languages = new Set(registers.flatMap(({ definition }) => languageOf(definition) ?? []));
  const changes = registers.flatMap(({ lastChange }) => lastChange ?? []);
  // What is undefined is left out. What differs between the parts of a catalogue stands in none of them: together they are one.
  return `${JSON.stringify({
    '@context': CONTEXT,
    '@id': `${page}#catalog`,
    '@type': 'dcat:Catalog',
    'dct:title': service.title,
    'dct:description': `The registers of ${service.title}`,
    'dct:publisher': publisher,
    'dct:language': [...languages].map((term) => node('dct:LinguisticSystem', 'language', term)),
    'dct:license': licenceNode(service.licenceUrl),
    'dct:modified': parts === null ? changes.toSorted().at(-1) : undefined,
    'foaf:homepage': document(page),
    'hydra:view':
      parts === null
        ? undefined
        : { '@id': parts.self, '@type': 'hydra:PartialCollectionView', 'hydra:next': parts.next ?? undefined },
    'dcat:dataset': registers.map((register) => datasetNode(register, service, publisher)),
  })}\n`;
}

function datasetNode(register: CataloguedRegister, service: ServiceTexts, publisher: object): object {
  const { definition, lastChange, page, files } = register;
  const { title, description, language, author, rights, homepage, access, every, created_at: begun } = definition;
  const licence = licenceOf(definition, service);
  const own = (text: string): object | string => (language === null ? text : { '@value': text, '@language': language });
  return {
    '@id': `${page}#dataset`,
    '@type': 'dcat:Dataset',
    'dct:title': own(title),
    // It must not be empty.
    'dct:description': own(description === '' ? title : description),
    'dct:publisher': author === null ? publisher : agent(author),
    'dcat:contactPoint': contactOf(service),
    'dct:accessRights': node('dct:RightsStatement', 'access-right', access === 'open' ? 'PUBLIC' : 'RESTRICTED'),
    'dct:accrualPeriodicity': node('dct:Frequency', 'frequency', FREQUENCIES[every ?? '']),
    'dct:language': node('dct:LinguisticSystem', 'language', languageOf(definition)),
    'dct:issued': begun,
    'dct:modified': lastChange ?? undefined,
    'dcat:landingPage': [page, ...(homepage === null ? [] : [homepage])].map(document),
    'dcat:distribution': files.map(({ name, mediaType, url, isWhole }) => ({
      '@id': `${url}#distribution`,
      '@type': 'dcat:Distribution',
      'dct:description': isWhole ? 'The whole register' : 'The latest records, or a list of all parts',
      'dcat:accessURL': page,
      'dcat:downloadURL': url,
      'dct:format': node('dct:MediaTypeOrExtent', 'file-type', FILE_TYPES[name]) ?? {
        '@type': 'dct:MediaTypeOrExtent',
        'rdfs:label': name,
      },
      'dcat:mediaType': mediaTypeNode(mediaType),
      'dct:license': licenceNode(licence),
      'dct:rights':
        rights === null || rights === licence ? undefined : { '@type': 'dct:RightsStatement', 'rdfs:label': rights },
    })),
  };
}

/** With an address it is the same one wherever it stands. */
function agent(name: string, id?: string): object {
  return { '@id': id, '@type': 'foaf:Agent', 'foaf:name': name };
}

function document(url: string): object {
  return { '@id': toUri(url), '@type': 'foaf:Document' };
}

function contactOf({ title, contact }: ServiceTexts): object | undefined {
  if (contact === null) return undefined;
  const address =
    'url' in contact
      ? { 'vcard:hasURL': toUri(contact.url) }
      : { 'vcard:hasEmail': `mailto:${encodeURI(contact.email)}` };
  return { '@type': 'vcard:Kind', 'vcard:fn': title, ...address };
}

function licenceNode(url: string | null): object | undefined {
  return url === null ? undefined : { '@id': toUri(url), '@type': 'dct:LicenseDocument' };
}

/** A term of one of the authority tables of the Publications Office of the EU. */
function node(type: string, table: string, term: string | undefined): object | undefined {
  return term === undefined ? undefined : { '@id': `${AUTHORITY}/${table}/${term}`, '@type': type };
}

/** A media type as IANA's address of it; none for those that are not registered there. */
function mediaTypeNode(mediaType: string): object | undefined {
  const [name = ''] = mediaType.split(';');
  return /\/x-|^application\/rss\+xml$/.test(name)
    ? undefined
    : { '@id': `https://www.iana.org/assignments/media-types/${name.trim()}`, '@type': 'dct:MediaType' };
}

function languageOf({ language }: CataloguedDefinition): string | undefined {
  return LANGUAGES.get(language?.split('-')[0]!.toLowerCase() ?? '');
}

/** The terms of the table of file types, by the names of formats. */
// prettier-ignore
const FILE_TYPES: Readonly<Record<string, string>> = {
  csv: 'CSV', json: 'JSON', xml: 'XML', xlsx: 'XLSX', rss: 'RSS', atom: 'ATOM', parquet: 'PARQUET', geojson: 'GEOJSON',
};

/** Those of the table of frequencies, by `every` of a definition. */
// prettier-ignore
const FREQUENCIES: Readonly<Record<string, string>> = {
  '1h': 'HOURLY', '24h': 'DAILY', '1d': 'DAILY', '7d': 'WEEKLY', '1w': 'WEEKLY', '14d': 'BIWEEKLY', '2w': 'BIWEEKLY',
};

/** Those of the table of languages (ISO 639-3), by the primary subtags of BCP 47: of the languages that Europe publishes in. */
const LANGUAGES: ReadonlyMap<string, string> = new Map(
  (
    'bg BUL,bs BOS,ca CAT,cs CES,cy CYM,da DAN,de DEU,el ELL,en ENG,es SPA,et EST,eu EUS,fi FIN,fr FRA,ga GLE,gl GLG,hr HRV,' +
    'hu HUN,is ISL,it ITA,lb LTZ,lt LIT,lv LAV,mk MKD,mt MLT,nb NOB,nl NLD,nn NNO,no NOR,pl POL,pt POR,ro RON,ru RUS,sk SLK,' +
    'sl SLV,sq SQI,sr SRP,sv SWE,tr TUR,uk UKR'
  )
    .split(',')
    .map((line): [string, string] => [line.slice(0, 2), line.slice(3)]),
);
