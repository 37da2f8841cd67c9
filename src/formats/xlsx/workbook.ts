// The parts that describe the workbook (ECMA-376 parts 1 and 2): content types, relationships, the list of sheets and
// the document's properties. They use no clock: the dates are the register's.
import { toEpochMs } from '../../register/time.ts';
import type { DocumentHead } from '../format.ts';
import { escapeAttribute, escapeText } from '../xml/text.ts';

const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006';
const CONTENT_TYPE = 'application/vnd.openxmlformats-officedocument';

/** A sheet as the workbook lists it. */
export interface SheetEntry {
  readonly name: string;
  /** The last corner of the filtered range; null for a sheet without a filter. */
  readonly filterRange: { readonly lastColumn: string; readonly lastRow: number } | null;
}

/** Path of the sheet with this number, from 1. Some readers look for exactly this name. */
export function sheetPath(number: number): string {
  return `xl/worksheets/sheet${number}.xml`;
}

/** Path of the relationships of the sheet with this number. */
export function sheetRelationshipsPath(number: number): string {
  return `xl/worksheets/_rels/sheet${number}.xml.rels`;
}

/** `[Content_Types].xml` (part 2, 10.1.2.2). */
export function contentTypesXml(sheets: number): string {
  const override = (path: string, type: string): string => `<Override PartName="/${path}" ContentType="${type}"/>`;
  const worksheets = Array.from({ length: sheets }, (_, i) =>
    override(sheetPath(i + 1), `${CONTENT_TYPE}.spreadsheetml.worksheet+xml`),
  );
  return (
    `${XML_DECLARATION}<Types xmlns="${PACKAGE}/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>' +
    override('xl/workbook.xml', `${CONTENT_TYPE}.spreadsheetml.sheet.main+xml`) +
    override('xl/styles.xml', `${CONTENT_TYPE}.spreadsheetml.styles+xml`) +
    override('docProps/core.xml', 'application/vnd.openxmlformats-package.core-properties+xml') +
    override('docProps/app.xml', `${CONTENT_TYPE}.extended-properties+xml`) +
    `${worksheets.join('')}</Types>`
  );
}

/** `_rels/.rels`: what the package is. */
export function packageRelationshipsXml(): string {
  return relationships([
    [`${OFFICE}/relationships/officeDocument`, 'xl/workbook.xml'],
    [`${PACKAGE}/relationships/metadata/core-properties`, 'docProps/core.xml'],
    [`${OFFICE}/relationships/extended-properties`, 'docProps/app.xml'],
  ]);
}

/** `xl/_rels/workbook.xml.rels`: the sheets in order from `rId1` on, then the styles. */
export function workbookRelationshipsXml(sheets: number): string {
  return relationships([
    ...Array.from({ length: sheets }, (_, i): [string, string] => [
      `${OFFICE}/relationships/worksheet`,
      `worksheets/sheet${i + 1}.xml`,
    ]),
    [`${OFFICE}/relationships/styles`, 'styles.xml'],
  ]);
}

/** `xl/workbook.xml` (part 1, 18.2.27). */
export function workbookXml(sheets: readonly SheetEntry[]): string {
  const list = sheets.map(
    ({ name }, i) => `<sheet name="${escapeAttribute(name)}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`,
  );
  // 18.2.5: without this hidden name Excel shows the filter's arrows but treats the range as empty.
  const filters = sheets.map(({ name, filterRange }, i) =>
    filterRange === null
      ? ''
      : `<definedName name="_xlnm._FilterDatabase" localSheetId="${i}" hidden="1">` +
        `'${escapeText(name)}'!$A$1:$${filterRange.lastColumn}$${filterRange.lastRow}</definedName>`,
  );
  return (
    `${XML_DECLARATION}<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" ` +
    `xmlns:r="${OFFICE}/relationships"><bookViews><workbookView/></bookViews>` +
    `<sheets>${list.join('')}</sheets><definedNames>${filters.join('')}</definedNames></workbook>`
  );
}

/** `docProps/app.xml`: which program wrote it. */
export function applicationPropertiesXml(): string {
  return `${XML_DECLARATION}<Properties xmlns="${OFFICE}/extended-properties"><Application>gazette</Application></Properties>`;
}

/**
 * `docProps/core.xml` (part 2, 11.1). Its vocabulary has no rights, so they are part of the description, which
 * spreadsheet programs show as comments.
 */
export function corePropertiesXml(head: DocumentHead): string {
  const properties = documentProperties(head);
  const element = (name: string, text: string | null): string =>
    text === null ? '' : `<${name}>${escapeText(text)}</${name}>`;
  const date = (name: string, date: Date | null): string =>
    date === null ? '' : `<dcterms:${name} xsi:type="dcterms:W3CDTF">${w3cSeconds(date)}</dcterms:${name}>`;
  return (
    `${XML_DECLARATION}<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" ` +
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" ' +
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">' +
    element('dc:title', properties.title) +
    element('dc:creator', properties.author) +
    element('dc:description', properties.description) +
    element('dc:language', head.definition.language) +
    date('created', properties.created) +
    date('modified', properties.modified) +
    '</cp:coreProperties>'
  );
}

/** The document's properties as both XLSX writers write them. */
interface DocumentProperties {
  readonly title: string;
  readonly author: string | null;
  /** The register's description followed by its rights. */
  readonly description: string | null;
  readonly created: Date | null;
  readonly modified: Date | null;
}

/** The properties of a register; missing dates are left out. */
export function documentProperties({ definition, lastChange }: DocumentHead): DocumentProperties {
  const description = [definition.description, definition.rights].filter((text) => text !== null && text !== '');
  return {
    title: definition.title,
    author: definition.author,
    description: description.length === 0 ? null : description.join('\n\n'),
    created: dateOf(definition.created_at),
    modified: dateOf(lastChange ?? definition.created_at),
  };
}

/** The date, or null if its year in UTC does not have four digits, as W3CDTF requires. */
function dateOf(text: string): Date | null {
  const ms = toEpochMs(text);
  return ms >= FIRST_YEAR && ms < END_OF_YEARS ? new Date(ms) : null;
}

const FIRST_YEAR = Date.parse('0001-01-01T00:00:00Z');
const END_OF_YEARS = Date.UTC(10_000, 0, 1);

/** W3CDTF in UTC; Excel reads no fractions of a second here. */
function w3cSeconds(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

function relationships(list: readonly (readonly [type: string, target: string])[]): string {
  const elements = list.map(
    ([type, target], i) => `<Relationship Id="rId${i + 1}" Type="${type}" Target="${target}"/>`,
  );
  return `${XML_DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">${elements.join('')}</Relationships>`;
}
