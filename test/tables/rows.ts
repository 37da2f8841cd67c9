// The rows of `fixtures/tables/`: one JSON array a line, which begins with the name of its door.
import { readFileSync } from 'node:fs';

const FOLDER = new URL('../../fixtures/tables/', import.meta.url);

/** What JSON has no word for. */
const WORDS: Readonly<Record<string, unknown>> = { undefined, NaN, '-0': -0, '-Infinity': -Infinity };

/** The rows of a file by their doors, without the names of these. */
export function rowsOf<Row extends readonly unknown[]>(file: string): ReadonlyMap<string, readonly Row[]> {
  const lines = readFileSync(new URL(file, FOLDER), 'utf8').trimEnd().split('\n');
  const rows = lines.map((line) => valueOf(JSON.parse(line)) as [string, ...Row]);
  return new Map(
    Array.from(
      Map.groupBy(rows, ([door]) => door),
      ([door, own]) => [door, own.map(([, ...row]) => row)],
    ),
  );
}

/** What is written: a text in guillemets is a value that JSON does not have, `«65 × x»` in a text is `x` 65 times. */
function valueOf(written: unknown): unknown {
  if (Array.isArray(written)) return written.map(valueOf);
  if (typeof written === 'object' && written !== null)
    return Object.fromEntries(Object.entries(written).map(([name, value]) => [name, valueOf(value)]));
  if (typeof written !== 'string') return written;
  const word = /^«(.*)»$/.exec(written)?.[1] ?? '';
  if (Object.hasOwn(WORDS, word)) return WORDS[word];
  if (/^\d+n$/.test(word)) return BigInt(word.slice(0, -1));
  if (/^\d{4}-.*Z$/.test(word)) return new Date(word);
  return written.replaceAll(/«(\d+) × ([^»]+)»/g, (_, times: string, text: string) => text.repeat(Number(times)));
}
