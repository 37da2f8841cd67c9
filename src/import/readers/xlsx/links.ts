// The targets of a sheet's hyperlinks (ECMA-376-1 18.3.1.47). A sheet names them behind its rows, and their addresses
// stand in the sheet's relationships, so they are read before the rows.
import { SaxesParser } from 'saxes';
import type { GazetteError } from '../../../errors.ts';
import { MAX_COLUMNS } from '../table/row-header.ts';
import type { Archive } from './archive.ts';
import { readRelationships } from './relationships.ts';

/** The targets of one sheet's links, by their cells: see {@link linkKey}. */
export type SheetLinks = ReadonlyMap<number, string>;

/** The most links that are held in memory; Excel writes at most 65,530 to a sheet. */
const MAX_LINKS = 1_048_576;

/** The key of a cell. @param row from 1 @param column from 1 */
export function linkKey(row: number, column: number): number {
  return row * (MAX_COLUMNS + 1) + column;
}

/**
 * The links of a sheet that lead out of the workbook.
 *
 * @param refuse creates the error for too many links
 */
export async function readLinks(
  archive: Archive,
  input: string,
  part: string,
  refuse: (reason: string) => GazetteError,
  signal?: AbortSignal,
): Promise<SheetLinks> {
  const links = new Map<number, string>();
  const slash = part.lastIndexOf('/') + 1;
  const list = `${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`;
  if (!archive.has(list)) return links;
  const related = await readRelationships(archive, input, list, part.slice(0, slash), signal);
  const isLink = ({ type }: { readonly type: string }): boolean => type.endsWith('/hyperlink');
  if (![...related.values()].some(isLink)) return links;
  const parser = new SaxesParser();
  parser.on('error', () => undefined);
  parser.on('opentag', ({ name, attributes }) => {
    if (!/(?:^|:)hyperlink$/.test(name)) return;
    const id = Object.entries(attributes).find(([attribute]) => attribute.endsWith(':id'))?.[1];
    const target = related.get(id ?? '')?.external;
    if (target === undefined) return;
    // Excel keeps what follows a `#` in the address apart.
    const place = attributes.location;
    const address = place === undefined || place === '' || target.includes('#') ? target : `${target}#${place}`;
    for (const cell of cellsOf(attributes.ref ?? '')) links.set(cell, address);
    if (links.size > MAX_LINKS)
      throw refuse(`has more than ${MAX_LINKS} links, the most that are read; save it as CSV`);
  });
  for await (const text of linkElements(archive, part, signal)) parser.write(text);
  return links;
}

/** The text of the element with all links, searched and not parsed: it comes behind the rows of the whole sheet. */
async function* linkElements(
  archive: Archive,
  part: string,
  signal?: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let text = '';
  let isInside = false;
  for await (const bytes of archive.read(part, signal)) {
    text += decoder.decode(bytes, { stream: true });
    if (!isInside) {
      const start = OPENING.exec(text);
      // The opening tag may be cut.
      if (start === null) text = text.slice(-MAX_TAG_LENGTH);
      else {
        isInside = true;
        text = text.slice(start.index);
      }
    }
    if (!isInside) continue;
    yield text;
    text = '';
  }
}

const OPENING = /<(?:[\w.-]+:)?hyperlinks[\s>]/;
const MAX_TAG_LENGTH = 100;

/** The most cells of one link: a link may cover a range. */
const MAX_CELLS = 10_000;

/** The keys of the cells of a reference such as `B2` or `B2:B9`; none for a range that is too large. */
function cellsOf(reference: string): number[] {
  const match = /^\$?([A-Z]{1,3})\$?(\d{1,7})(?::\$?([A-Z]{1,3})\$?(\d{1,7}))?$/.exec(reference);
  if (match === null) return [];
  const [, left, top, right = left, bottom = top] = match;
  const columns = [columnOf(left!), columnOf(right!)] as const;
  const rows = [Number(top), Number(bottom)] as const;
  if ((columns[1] - columns[0] + 1) * (rows[1] - rows[0] + 1) > MAX_CELLS) return [];
  const cells: number[] = [];
  for (let row = rows[0]; row <= rows[1]; row++) {
    for (let column = columns[0]; column <= columns[1]; column++) cells.push(linkKey(row, column));
  }
  return cells;
}

/** The number of a column, from 1. @param letters such as `AB` */
export function columnOf(letters: string): number {
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
}

/** The target of a formula `HYPERLINK("https://…", …)`; null for any other formula, and for one that computes it. */
export function linkOfFormula(formula: string): string | null {
  const target = /^\s*HYPERLINK\(\s*"((?:[^"]|"")*)"\s*[,;)]/i.exec(formula)?.[1];
  return target === undefined ? null : target.replaceAll('""', '"');
}
