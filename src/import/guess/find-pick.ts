// Where the records of a file are: in the longest array of objects of a JSON document that is inside of objects alone, in
// the fullest sheet of a workbook.
import { isGazetteError } from '../../errors.ts';
import { Tokenizer } from '../readers/json-value.ts';
import type { ByteSource } from '../readers/byte-source.ts';
import { readText, type TextReaderOptions } from '../readers/text/read-text.ts';
import { isRawObject, type RecordReader } from '../readers/raw-record.ts';
import { formatPath } from '../readers/value-path.ts';
import { sheetNames, xlsxReader } from '../readers/xlsx/index.ts';

/** A container, and how many objects are directly in it. */
interface Container {
  readonly isArray: boolean;
  key: string;
  objects: number;
}

/** Where the records of a document are. */
interface FoundPick {
  /** The path of their array, for `pick`. */
  readonly pick: string;
  /** What the document calls itself, in a member `title` or `name` beside them; null: it does not. */
  readonly title: string | null;
}

/** The longest title that is taken, in UTF-16 units. */
const MAX_TITLE = 200;

/**
 * The array with the most objects. It reads the file once, and only its beginning where the
 * document itself is an array.
 *
 * @returns null where the document is an array, has none of objects, or is not JSON: reading it then says why
 * @throws GazetteError `invalid_input` for a file that cannot be read; `aborted`
 */
export async function findPick(
  source: ByteSource,
  options: TextReaderOptions,
  signal?: AbortSignal,
): Promise<FoundPick | null> {
  const tokenizer = new Tokenizer();
  const open: Container[] = [];
  const titles = new Map<string, string>();
  let best: { readonly pick: string; readonly objects: number } | null = null;
  for await (const { text } of readText(source, 'json', options, () => undefined, signal)) {
    const tokens = tokensOf(tokenizer, text);
    if (tokens === null) return null;
    for (const token of tokens) {
      const parent = open.at(-1);
      if (token.name === 'keyValue') {
        parent!.key = token.value;
      } else if (token.name === 'stringValue') {
        if (open.length === 1 && !parent!.isArray) titles.set(parent!.key, token.value);
      } else if (token.name === 'startObject' || token.name === 'startArray') {
        const isArray = token.name === 'startArray';
        if (isArray && parent === undefined) return null;
        if (!isArray && parent !== undefined) parent.objects++;
        open.push({ isArray, key: '', objects: 0 });
      } else if (token.name === 'endObject' || token.name === 'endArray') {
        const { isArray, objects } = open.pop()!;
        if (!isArray || open.some((container) => container.isArray) || objects <= (best?.objects ?? 0)) continue;
        best = { pick: formatPath(open.map(({ key }) => key)), objects };
      }
    }
  }
  if (best === null) return null;
  const title = (titles.get('title') ?? titles.get('name') ?? '').trim();
  return { pick: best.pick, title: title === '' || title.length > MAX_TITLE ? null : title };
}

/** Null for what is not JSON. */
function tokensOf(tokenizer: Tokenizer, text: string): ReturnType<Tokenizer['push']> | null {
  try {
    return tokenizer.push(text);
  } catch {
    // The reader of the records says where the fault is.
    return null;
  }
}

/** How many sheets are looked at. */
const MAX_SHEETS = 20;

/**
 * The name of the visible sheet with the most values, a cover has few, and whether it is the first one, which is read without
 * a name. Null where none is visible.
 *
 * @throws GazetteError `invalid_input` for a file that is not a workbook; `aborted`
 */
export async function findSheet(
  source: ByteSource,
  signal?: AbortSignal,
): Promise<{ readonly sheet: string; readonly isFirst: boolean } | null> {
  const names = (await sheetNames(source, signal)).slice(0, MAX_SHEETS);
  const counts = new Map<string, number>();
  for (const sheet of names.length > 1 ? names : []) {
    counts.set(sheet, await countValues(xlsxReader(source, { sheet, keepsFaults: true }), signal));
  }
  const most = Math.max(0, ...counts.values());
  const sheet = names.find((name) => counts.get(name) === most) ?? names[0];
  return sheet === undefined ? null : { sheet, isFirst: sheet === names[0] };
}

/** How many values the records have; 0 for a sheet that is no table. */
async function countValues(reader: RecordReader, signal?: AbortSignal): Promise<number> {
  let count = 0;
  try {
    for await (const { records } of reader.batches(signal)) {
      for (const { value } of records) {
        if (isRawObject(value)) count += Object.values(value).filter((cell) => cell !== null).length;
      }
    }
  } catch (error) {
    if (!isGazetteError(error, 'invalid_input')) throw error;
    return 0;
  }
  return count;
}
