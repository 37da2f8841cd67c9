// A reader of workbooks that shares no code with the writers: fflate takes the archive apart, saxes every part, and what
// ECMA-376 says of cells, styles, links and names is followed from there. Throws where a part is missing or malformed.
import { unzipSync } from 'fflate';
import { childrenOf, parseXml, type XmlElement } from './xml-tree.ts';

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';
const TYPES = 'http://schemas.openxmlformats.org/package/2006/content-types';

/** A cell as a spreadsheet program would hold it. */
export interface ReadCell {
  readonly value: string | number | boolean;
  /** The number format's code; `General` by default. */
  readonly format: string;
  readonly isBold: boolean;
  readonly link: string | null;
}

/** A sheet: its rows, of which row 1 is the first, each cell under its column's letters. */
export interface ReadSheet {
  readonly name: string;
  readonly rows: readonly ReadonlyMap<string, ReadCell>[];
  readonly filter: string | null;
  /** Rows that stay in sight. */
  readonly frozenRows: number;
  readonly widths: readonly number[];
  /** Names of the worksheet's elements in their order. */
  readonly elements: readonly string[];
  readonly linkCount: number;
}

/** A workbook taken apart. */
export interface ReadWorkbook {
  readonly sheets: readonly ReadSheet[];
  readonly parts: ReadonlyMap<string, XmlElement>;
  /** Defined names as `name|local sheet|text`. */
  readonly names: readonly string[];
  /** Document properties by local name. */
  readonly properties: Readonly<Record<string, string>>;
}

/** The parts of a document as text, in the order of the archive. */
export function unzip(document: Buffer): Map<string, string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return new Map(Object.entries(unzipSync(document)).map(([name, bytes]) => [name, decoder.decode(bytes)]));
}

/** The letters of a column, of which the first has the index 0 (ECMA-376 part 1, 18.18.7). */
export function lettersOf(column: number): string {
  const before = Math.floor(column / 26);
  return (before === 0 ? '' : lettersOf(before - 1)) + String.fromCharCode(65 + (column % 26));
}

/** Milliseconds since 1970, of a serial of the date system that begins in 1900 (ECMA-376 part 1, 18.17.4). */
export function msOf(serial: number): number {
  return Math.round((serial - 25_569) * 86_400_000);
}

/** Reads a workbook whole. */
export function readWorkbook(document: Buffer): ReadWorkbook {
  const parts = new Map([...unzip(document)].map(([name, text]) => [name, parseXml(Buffer.from(text))]));
  checkContentTypes(parts);
  const root = relationships(parts, '_rels/.rels');
  const workbookPath = [...root.values()].find(({ type }) => type.endsWith('/officeDocument'))!.target;
  const corePath = [...root.values()].find(({ type }) => type.endsWith('/core-properties'))!.target;
  const workbook = part(parts, workbookPath);
  const related = relationships(parts, 'xl/_rels/workbook.xml.rels');
  const styles = readStyles(part(parts, 'xl/styles.xml'));
  const sheets = childrenOf(childrenOf(workbook, `{${MAIN}}sheets`)[0]!, `{${MAIN}}sheet`).map((sheet) => {
    const path = `xl/${related.get(sheet.attributes[`{${OFFICE}}id`]!)!.target}`;
    const rels = `${path.replace('worksheets/', 'worksheets/_rels/')}.rels`;
    return readSheet(
      sheet.attributes.name!,
      part(parts, path),
      parts.has(rels) ? relationships(parts, rels) : new Map(),
      styles,
    );
  });
  const names = childrenOf(workbook, `{${MAIN}}definedNames`).flatMap((list) =>
    list.children.map(({ attributes, text }) => `${attributes.name}|${attributes.localSheetId}|${text}`),
  );
  const properties = Object.fromEntries(
    part(parts, corePath).children.map(({ name, text }) => [name.replace(/^.*\}/, ''), text]),
  );
  return { sheets, parts, names, properties };
}

/** What a cell's text stands for: `_xHHHH_` is one UTF-16 unit (ECMA-376 part 1, 22.9.2.19). */
export function unescapeLiterals(text: string): string {
  return text.replace(/_x([0-9a-f]{4})_/gi, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)));
}

function readSheet(
  name: string,
  sheet: XmlElement,
  links: ReadonlyMap<string, Relationship>,
  styles: readonly Style[],
): ReadSheet {
  const linkOf = new Map<string, string>();
  for (const list of childrenOf(sheet, `{${MAIN}}hyperlinks`)) {
    for (const { attributes } of list.children) {
      linkOf.set(attributes.ref!, links.get(attributes[`{${OFFICE}}id`]!)!.target);
    }
  }
  if (linkOf.size !== links.size) throw new Error(`${name}: ${linkOf.size} links for ${links.size} relationships`);
  const data = childrenOf(sheet, `{${MAIN}}sheetData`)[0]!;
  const rows: ReadonlyMap<string, ReadCell>[] = [];
  for (const row of data.children) {
    const number = Number(row.attributes.r);
    if (!(number > rows.length)) throw new Error(`${name}: row ${row.attributes.r} comes after row ${rows.length}`);
    // A row without cells may be left out.
    while (rows.length < number - 1) rows.push(new Map());
    rows.push(new Map(row.children.map((cell) => readCell(cell, number, styles, linkOf))));
  }
  const views = childrenOf(sheet, `{${MAIN}}sheetViews`).flatMap(({ children }) => children);
  const pane = views.flatMap((view) => childrenOf(view, `{${MAIN}}pane`));
  return {
    name,
    rows,
    filter: childrenOf(sheet, `{${MAIN}}autoFilter`)[0]?.attributes.ref ?? null,
    frozenRows: pane[0]?.attributes.state === 'frozen' ? Number(pane[0].attributes.ySplit) : 0,
    widths: childrenOf(sheet, `{${MAIN}}cols`).flatMap(({ children }) =>
      children.flatMap(({ attributes: { min, max, width } }) =>
        Array.from({ length: Number(max) - Number(min) + 1 }, () => Number(width)),
      ),
    ),
    elements: sheet.children.map((child) => child.name.replace(`{${MAIN}}`, '')),
    linkCount: linkOf.size,
  };
}

function readCell(
  cell: XmlElement,
  row: number,
  styles: readonly Style[],
  linkOf: ReadonlyMap<string, string>,
): [string, ReadCell] {
  const ref = cell.attributes.r ?? '';
  const match = /^([A-Z]{1,3})(\d+)$/.exec(ref);
  if (match === null || Number(match[2]) !== row) throw new Error(`a cell of row ${row} says it is ${ref}`);
  const style = styles[Number(cell.attributes.s ?? 0)]!;
  return [match[1]!, { value: valueOf(cell), ...style, link: linkOf.get(ref) ?? null }];
}

function valueOf(cell: XmlElement): string | number | boolean {
  const value = cell.children[0]!;
  switch (cell.attributes.t) {
    case 'inlineStr': {
      const text = value.children[0]!;
      const isKept = text.attributes['{http://www.w3.org/XML/1998/namespace}space'] === 'preserve';
      // What a spreadsheet program does without the attribute.
      return unescapeLiterals(isKept ? text.text : text.text.replace(/^[ \t\n]+|[ \t\n]+$/g, ''));
    }
    case 'str':
      return unescapeLiterals(value.text);
    case 'b':
      return { 0: false, 1: true }[value.text]!;
    case undefined:
      if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value.text)) throw new Error(`${value.text} is no number`);
      return Number(value.text);
    default:
      throw new Error(`cell type ${cell.attributes.t}`);
  }
}

interface Style {
  readonly format: string;
  readonly isBold: boolean;
}

function readStyles(styles: XmlElement): Style[] {
  const list = (name: string): readonly XmlElement[] => childrenOf(styles, `{${MAIN}}${name}`)[0]?.children ?? [];
  const formats = new Map(list('numFmts').map(({ attributes }) => [attributes.numFmtId, attributes.formatCode!]));
  const bold = list('fonts').map((font) => childrenOf(font, `{${MAIN}}b`).length > 0);
  return list('cellXfs').map(({ attributes }) => ({
    format: formats.get(attributes.numFmtId) ?? 'General',
    isBold: bold[Number(attributes.fontId)]!,
  }));
}

interface Relationship {
  readonly type: string;
  readonly target: string;
}

function relationships(parts: ReadonlyMap<string, XmlElement>, path: string): Map<string, Relationship> {
  const list = childrenOf(part(parts, path), `{${PACKAGE}}Relationship`);
  const found = new Map(
    list.map(({ attributes }) => [attributes.Id!, { type: attributes.Type!, target: attributes.Target! }] as const),
  );
  if (found.size !== list.length) throw new Error(`${path}: an id is there twice`);
  return found;
}

/** Part 2, 10.1.2: every part has a content type, and every type a part. */
function checkContentTypes(parts: ReadonlyMap<string, XmlElement>): void {
  const types = part(parts, '[Content_Types].xml');
  const overrides = new Set(
    childrenOf(types, `{${TYPES}}Override`).map(({ attributes }) => attributes.PartName!.slice(1)),
  );
  for (const name of overrides) part(parts, name);
  for (const name of parts.keys()) {
    if (name !== '[Content_Types].xml' && !name.endsWith('.rels') && !overrides.has(name)) {
      throw new Error(`${name} has no content type`);
    }
  }
}

function part(parts: ReadonlyMap<string, XmlElement>, path: string): XmlElement {
  const found = parts.get(path);
  if (found === undefined) throw new Error(`there is no part ${path}`);
  return found;
}
