// DCAT-AP 3.0.1 as a table (https://semiceu.github.io/DCAT-AP/releases/3.0.1/): the properties of the classes that a catalogue of
// ours has, how often each may stand, and what its values are. A clause is found there by its address: `#Catalogue.title`.

/** What a value is: a text, a time, an address, or a node of a class. */
export type Range = 'literal' | 'dateTime' | 'iri' | { readonly node: string };

/** A property of a class. */
export interface Row {
  readonly type: string;
  readonly property: string;
  readonly clause: string;
  readonly min: 0 | 1;
  /** Null: any number. */
  readonly max: 1 | null;
  readonly range: Range;
}

const many = null;

const row = (
  type: string,
  property: string,
  clause: string,
  [min, max]: readonly [0 | 1, 1 | null],
  range: Range,
): Row => ({ type, property, clause, min, max, range });

/** The mandatory properties, the recommended and the optional ones that are written. */
export const DCAT_AP: readonly Row[] = [
  row('dcat:Catalog', 'dct:title', 'Catalogue.title', [1, many], 'literal'),
  row('dcat:Catalog', 'dct:description', 'Catalogue.description', [1, many], 'literal'),
  row('dcat:Catalog', 'dct:publisher', 'Catalogue.publisher', [1, 1], { node: 'foaf:Agent' }),
  row('dcat:Catalog', 'dcat:dataset', 'Catalogue.dataset', [0, many], { node: 'dcat:Dataset' }),
  row('dcat:Catalog', 'dct:language', 'Catalogue.language', [0, many], { node: 'dct:LinguisticSystem' }),
  row('dcat:Catalog', 'dct:license', 'Catalogue.licence', [0, 1], { node: 'dct:LicenseDocument' }),
  row('dcat:Catalog', 'dct:modified', 'Catalogue.modificationdate', [0, 1], 'dateTime'),
  row('dcat:Catalog', 'foaf:homepage', 'Catalogue.homepage', [0, 1], { node: 'foaf:Document' }),
  row('dcat:Dataset', 'dct:title', 'Dataset.title', [1, many], 'literal'),
  row('dcat:Dataset', 'dct:description', 'Dataset.description', [1, many], 'literal'),
  row('dcat:Dataset', 'dct:publisher', 'Dataset.publisher', [0, 1], { node: 'foaf:Agent' }),
  row('dcat:Dataset', 'dcat:contactPoint', 'Dataset.contactpoint', [0, many], { node: 'vcard:Kind' }),
  row('dcat:Dataset', 'dcat:distribution', 'Dataset.datasetdistribution', [0, many], { node: 'dcat:Distribution' }),
  row('dcat:Dataset', 'dct:accessRights', 'Dataset.accessrights', [0, 1], { node: 'dct:RightsStatement' }),
  row('dcat:Dataset', 'dct:accrualPeriodicity', 'Dataset.frequency', [0, 1], { node: 'dct:Frequency' }),
  row('dcat:Dataset', 'dct:language', 'Dataset.language', [0, many], { node: 'dct:LinguisticSystem' }),
  row('dcat:Dataset', 'dct:issued', 'Dataset.releasedate', [0, 1], 'dateTime'),
  row('dcat:Dataset', 'dct:modified', 'Dataset.modificationdate', [0, 1], 'dateTime'),
  row('dcat:Dataset', 'dcat:landingPage', 'Dataset.landingpage', [0, many], { node: 'foaf:Document' }),
  row('dcat:Distribution', 'dcat:accessURL', 'Distribution.accessURL', [1, many], 'iri'),
  row('dcat:Distribution', 'dcat:downloadURL', 'Distribution.downloadURL', [0, many], 'iri'),
  row('dcat:Distribution', 'dct:description', 'Distribution.description', [0, many], 'literal'),
  row('dcat:Distribution', 'dct:format', 'Distribution.format', [0, 1], { node: 'dct:MediaTypeOrExtent' }),
  row('dcat:Distribution', 'dcat:mediaType', 'Distribution.mediatype', [0, 1], { node: 'dct:MediaType' }),
  row('dcat:Distribution', 'dct:license', 'Distribution.licence', [0, 1], { node: 'dct:LicenseDocument' }),
  row('dcat:Distribution', 'dct:rights', 'Distribution.rights', [0, 1], { node: 'dct:RightsStatement' }),
  row('foaf:Agent', 'foaf:name', 'Agent.name', [1, many], 'literal'),
];
