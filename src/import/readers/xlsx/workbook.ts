// The parts of a workbook other than the sheets' rows: the list of sheets, the shared texts, the date formats.
import { GazetteError, quote } from '../../../errors.ts';
import type { Archive } from './archive.ts';
import { builtInKind, kindOfFormat, type NumberKind } from './cell-date.ts';
import { readWholePart } from './xml-part.ts';

/** One worksheet. */
export interface SheetPart {
  readonly name: string;
  readonly part: string;
}

/** A workbook without its sheets' rows. */
export interface Workbook {
  /** The visible worksheets, in their order. */
  readonly sheets: readonly SheetPart[];
  readonly date1904: boolean;
  readonly sharedStrings: readonly string[];
  /** The kind of number that each cell style displays. */
  readonly kinds: readonly NumberKind[];
}

/** The maximum amount of shared text held in memory, in UTF-16 units: 128 Mi. */
const MAX_SHARED_TEXT = 134_217_728;

/** @throws GazetteError `invalid_input` when the archive contains no workbook, or one with too much shared text. */
export async function readWorkbook(archive: Archive, input: string, signal?: AbortSignal): Promise<Workbook> {
  const refuse = (reason: string): GazetteError =>
    new GazetteError('invalid_input', `${input} ${reason}`, { details: { input } });
  if (!archive.has('_rels/.rels')) throw refuse('is a zip archive but no .xlsx workbook');
  const root = await readRelationships(archive, input, '_rels/.rels', '', signal);
  const main = [...root.values()].find(({ type }) => type.endsWith('/officeDocument'));
  if (main === undefined) throw refuse('is a zip archive but no .xlsx workbook');
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
        if (target?.type.endsWith('/worksheet') !== true || (attributes.state ?? 'visible') !== 'visible') return;
        sheets.push({ name: attributes.name ?? '', part: target.part });
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
    kinds: styles === undefined ? [] : await readKinds(archive, input, styles, signal),
  };
}

interface Relationship {
  readonly type: string;
  readonly part: string;
}

async function readRelationships(
  archive: Archive,
  input: string,
  part: string,
  folder: string,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, Relationship>> {
  const found = new Map<string, Relationship>();
  await readWholePart(
    archive,
    input,
    part,
    {
      open(name, { Id, Type, Target, TargetMode }) {
        if (name !== 'Relationship' || Id === undefined || Type === undefined || Target === undefined) return;
        if (TargetMode === 'External') return;
        found.set(Id, { type: Type, part: resolve(folder, Target) });
      },
    },
    signal,
  );
  return found;
}

/** A target is relative to its folder; one that starts with a slash is relative to the archive. */
function resolve(folder: string, target: string): string {
  return new URL(target, `archive:///${folder}`).pathname.slice(1);
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

async function readKinds(
  archive: Archive,
  input: string,
  part: string,
  signal?: AbortSignal,
): Promise<readonly NumberKind[]> {
  const formats = new Map<number, NumberKind>();
  const kinds: NumberKind[] = [];
  let inCellFormats = false;
  await readWholePart(
    archive,
    input,
    part,
    {
      open(name, attributes) {
        if (name === 'numFmt') formats.set(Number(attributes.numFmtId), kindOfFormat(attributes.formatCode ?? ''));
        else if (name === 'cellXfs') inCellFormats = true;
        else if (name === 'xf' && inCellFormats) {
          const id = Number(attributes.numFmtId ?? 0);
          kinds.push(formats.get(id) ?? builtInKind(id));
        }
      },
      close(name) {
        if (name === 'cellXfs') inCellFormats = false;
      },
    },
    signal,
  );
  return kinds;
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

/** @throws GazetteError `invalid_input` when no visible worksheet has this name; without a name the first is used. */
export function chooseSheets(workbook: Workbook, input: string, name: string | undefined): readonly SheetPart[] {
  const first = name === undefined ? workbook.sheets[0] : workbook.sheets.find((sheet) => sheet.name === name);
  if (first === undefined) {
    const names = workbook.sheets.map((sheet) => quote(sheet.name)).join(', ');
    throw new GazetteError(
      'invalid_input',
      name === undefined ? `${input} has no worksheet` : `${input} has no worksheet ${quote(name)}; it has ${names}`,
      { details: { input } },
    );
  }
  // Beyond Excel's last row gazette continues in `Records 2`, `Records 3`.
  const chosen = [first];
  for (let number = 2; ; number++) {
    const next = workbook.sheets.find((sheet) => sheet.name === `${first.name} ${number}`);
    if (next === undefined) return chosen;
    chosen.push(next);
  }
}
