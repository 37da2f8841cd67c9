// The parts of a workbook other than the sheets' rows: the list of sheets, the shared texts, the date formats.
import { GazetteError, quote } from '../../../errors.ts';
import type { Archive } from './archive.ts';
import { builtInFormat, type CellFormat, formatOfCode } from './cell-date.ts';
import { readRelationships } from './relationships.ts';
import { readWholePart } from './xml-part.ts';

/** One worksheet. */
export interface SheetPart {
  readonly name: string;
  readonly part: string;
  readonly isHidden: boolean;
}

/** A workbook without its sheets' rows. */
export interface Workbook {
  /** The worksheets, in their order. */
  readonly sheets: readonly SheetPart[];
  readonly date1904: boolean;
  readonly sharedStrings: readonly string[];
  /** How each cell style displays a number. */
  readonly formats: readonly CellFormat[];
}

/** The maximum amount of shared text held in memory, in UTF-16 units: 128 Mi. */
const MAX_SHARED_TEXT = 134_217_728;

/** @throws GazetteError `invalid_input` when the archive contains no workbook, or one with too much shared text. */
export async function readWorkbook(archive: Archive, input: string, signal?: AbortSignal): Promise<Workbook> {
  const refuse = (reason: string): GazetteError =>
    new GazetteError('invalid_input', `${input} ${reason}`, { details: { input } });
  if (!archive.has('_rels/.rels')) throw refuse(describeArchive(archive));
  const root = await readRelationships(archive, input, '_rels/.rels', '', signal);
  const main = [...root.values()].find(({ type }) => type.endsWith('/officeDocument'));
  if (main === undefined) throw refuse(describeArchive(archive));
  if (/\.bin$/i.test(main.part)) throw refuse('is a binary workbook (.xlsb); save it as .xlsx or as CSV');
  if (/^(?:word|ppt)\//i.test(main.part))
    throw refuse('is a document, not a workbook; save its table as .xlsx or as CSV');
  const slash = main.part.lastIndexOf('/') + 1;
  const folder = main.part.slice(0, slash);
  const related = await readRelationships(
    archive,
    input,
    `${folder}_rels/${main.part.slice(slash)}.rels`,
    folder,
    signal,
  );
  const sheets: SheetPart[] = [];
  let date1904 = false;
  await readWholePart(
    archive,
    input,
    main.part,
    {
      open(name, attributes) {
        if (name === 'workbookPr') date1904 = isTrue(attributes.date1904);
        if (name !== 'sheet') return;
        const id = Object.entries(attributes).find(([attribute]) => attribute.endsWith(':id'))?.[1];
        const target = related.get(id ?? '');
        // Charts and dialogues are sheets too; only worksheets have rows.
        if (target?.type.endsWith('/worksheet') !== true) return;
        const isHidden = (attributes.state ?? 'visible') !== 'visible';
        sheets.push({ name: attributes.name ?? '', part: target.part, isHidden });
      },
    },
    signal,
  );
  const partOf = (type: string): string | undefined =>
    [...related.values()].find((relationship) => relationship.type.endsWith(`/${type}`))?.part;
  const strings = partOf('sharedStrings');
  const styles = partOf('styles');
  return {
    sheets,
    date1904,
    sharedStrings: strings === undefined ? [] : await readSharedStrings(archive, input, strings, refuse, signal),
    formats: styles === undefined ? [] : await readFormats(archive, input, styles, signal),
  };
}

async function readSharedStrings(
  archive: Archive,
  input: string,
  part: string,
  refuse: (reason: string) => GazetteError,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const strings: string[] = [];
  const text = new RichText();
  let total = 0;
  await readWholePart(
    archive,
    input,
    part,
    {
      open(name) {
        if (name === 'si') text.clear();
        else text.open(name);
      },
      text: (piece) => {
        text.add(piece);
      },
      close(name) {
        if (name !== 'si') {
          text.close(name);
          return;
        }
        strings.push(text.value);
        total += text.value.length;
        if (total > MAX_SHARED_TEXT) {
          throw refuse(
            `has more than ${MAX_SHARED_TEXT} characters of shared text, the most that is held in memory; save it as CSV`,
          );
        }
      },
    },
    signal,
  );
  return strings;
}

async function readFormats(
  archive: Archive,
  input: string,
  part: string,
  signal?: AbortSignal,
): Promise<readonly CellFormat[]> {
  const custom = new Map<number, CellFormat>();
  const formats: CellFormat[] = [];
  let inCellFormats = false;
  await readWholePart(
    archive,
    input,
    part,
    {
      open(name, attributes) {
        if (name === 'numFmt') custom.set(Number(attributes.numFmtId), formatOfCode(attributes.formatCode ?? ''));
        else if (name === 'cellXfs') inCellFormats = true;
        else if (name === 'xf' && inCellFormats) {
          const id = Number(attributes.numFmtId ?? 0);
          formats.push(custom.get(id) ?? builtInFormat(id));
        }
      },
      close(name) {
        if (name === 'cellXfs') inCellFormats = false;
      },
    },
    signal,
  );
  return formats;
}

/** Collects the text of a string item: its runs joined, without the phonetic guides (ECMA-376-1 18.4.6). */
export class RichText {
  #text = '';
  #inText = false;
  #phonetic = 0;

  get value(): string {
    return unescape(this.#text);
  }

  clear(): void {
    this.#text = '';
    this.#inText = false;
    this.#phonetic = 0;
  }

  open(name: string): void {
    if (name === 'rPh') this.#phonetic++;
    else if (name === 't') this.#inText = this.#phonetic === 0;
  }

  add(text: string): void {
    if (this.#inText) this.#text += text;
  }

  close(name: string): void {
    if (name === 'rPh') this.#phonetic--;
    else if (name === 't') this.#inText = false;
  }
}

/** ECMA-376-1 22.9.2.19 (ST_Xstring): a character that XML cannot represent is written `_xHHHH_`. */
export function unescape(text: string): string {
  return text.includes('_x')
    ? text.replace(/_x([0-9a-fA-F]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;
}

function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}

/** What an archive is that has no workbook. */
function describeArchive(archive: Archive): string {
  const named = archive.parts.slice(0, 3).map((name) => quote(name));
  const others = archive.parts.length > 3 ? ` and ${archive.parts.length - 3} more` : '';
  const content = named.length === 0 ? '' : ` with ${named.join(', ')}${others}`;
  return `is a zip archive${content}, not a workbook; unpack it, and import the file inside`;
}

/** The sheets to read, and what to say of it. */
export interface ChosenSheets {
  readonly sheets: readonly SheetPart[];
  readonly others: readonly SheetPart[];
  /** Which is read and which are not; null where nothing else is there. */
  readonly note: string | null;
}

/**
 * The sheet of a name, whatever its case; without a name the first that is visible. Sheets that continue it follow.
 *
 * @throws GazetteError `invalid_input` when no worksheet has this name
 */
export function chooseSheets(workbook: Workbook, input: string, name: string | undefined): ChosenSheets {
  const { sheets } = workbook;
  const fold = (text: string): string => text.trim().normalize().toLowerCase();
  const first =
    name === undefined
      ? (sheets.find(({ isHidden }) => !isHidden) ?? sheets[0])
      : (sheets.find((sheet) => sheet.name === name) ?? sheets.find((sheet) => fold(sheet.name) === fold(name)));
  if (first === undefined) {
    throw new GazetteError(
      'invalid_input',
      name === undefined
        ? `${input} has no worksheet`
        : `${input} has no worksheet ${quote(name)}; it has ${namesOf(sheets)}`,
      { details: { input } },
    );
  }
  // Beyond Excel's last row gazette continues in `Records 2`, `Records 3`.
  const chosen = [first];
  for (let number = 2; ; number++) {
    const next = sheets.find((sheet) => sheet.name === `${first.name} ${number}`);
    if (next === undefined) break;
    chosen.push(next);
  }
  const others = sheets.filter((sheet) => !chosen.includes(sheet));
  if (others.length === 0) return { sheets: chosen, others, note: null };
  const read = chosen.length === 1 ? `the sheet ${namesOf(chosen)} is read` : `the sheets ${namesOf(chosen)} are read`;
  return { sheets: chosen, others, note: `${read}, not ${namesOf(others)}; --pick names another` };
}

/** How many sheets are named. */
const MAX_NAMED = 10;

function namesOf(sheets: readonly SheetPart[]): string {
  const names = sheets.slice(0, MAX_NAMED).map(({ name, isHidden }) => quote(name) + (isHidden ? ' (hidden)' : ''));
  return names.join(', ') + (sheets.length > MAX_NAMED ? ` and ${sheets.length - MAX_NAMED} more` : '');
}
