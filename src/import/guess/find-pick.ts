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

/**
 * The path of the array with the most objects, for `pick`. It reads the file once, and only its beginning where the
 * document itself is an array.
 *
 * @returns null where the document is an array, has none of objects, or is not JSON: reading it then says why
 * @throws GazetteError `invalid_input` for a file that cannot be read; `aborted`
 */
export async function findPick(
  source: ByteSource,
  options: TextReaderOptions,
  signal?: AbortSignal,
): Promise<string | null> {
  const tokenizer = new Tokenizer();
  const open: Container[] = [];
  let best: { readonly path: string; readonly objects: number } | null = null;
  for await (const { text } of readText(source, 'json', options, () => undefined, signal)) {
    const tokens = tokensOf(tokenizer, text);
    if (tokens === null) return null;
    for (const token of tokens) {
      const parent = open.at(-1);
      if (token.name === 'keyValue') {
        parent!.key = token.value;
      } else if (token.name === 'startObject' || token.name === 'startArray') {
        const isArray = token.name === 'startArray';
        if (isArray && parent === undefined) return null;
        if (!isArray && parent !== undefined) parent.objects++;
        open.push({ isArray, key: '', objects: 0 });
      } else if (token.name === 'endObject' || token.name === 'endArray') {
        const { isArray, objects } = open.pop()!;
        if (!isArray || open.some((container) => container.isArray) || objects <= (best?.objects ?? 0)) continue;
        best = { path: formatPath(open.map(({ key }) => key)), objects };
      }
    }
  }
  return best?.path ?? null;
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

/** How many sheets are looked at, and how many records of each. */
const MAX_SHEETS = 20;
const LOOKED_AT = 200;

/**
 * The name of the visible sheet with the most values, for `sheet`: a cover has few.
 *
 * @returns null where it is the first one, which is read without a name
 * @throws GazetteError `invalid_input` for a file that is not a workbook; `aborted`
 */
export async function findSheet(source: ByteSource, signal?: AbortSignal): Promise<string | null> {
  const names = (await sheetNames(source, signal)).slice(0, MAX_SHEETS);
  const counts = new Map<string, number>();
  for (const sheet of names.length > 1 ? names : []) {
    counts.set(sheet, await countValues(xlsxReader(source, { sheet, keepsFaults: true }), signal));
  }
  const most = Math.max(0, ...counts.values());
  const fullest = names.find((name) => counts.get(name) === most);
  return fullest === undefined || fullest === names[0] ? null : fullest;
}

/** How many values the first records have; 0 for a sheet that is no table. */
async function countValues(reader: RecordReader, signal?: AbortSignal): Promise<number> {
  let count = 0;
  let looked = 0;
  try {
    for await (const { records } of reader.batches(signal)) {
      for (const { value } of records.slice(0, LOOKED_AT - looked)) {
        if (isRawObject(value)) count += Object.values(value).filter((cell) => cell !== null).length;
      }
      looked += records.length;
      if (looked >= LOOKED_AT) break;
    }
  } catch (error) {
    if (!isGazetteError(error, 'invalid_input')) throw error;
    return 0;
  }
  return count;
}
