// Counts the records in a file of a snapshot from the file itself. Workbooks and files of a whole
// register are not counted: their digest must suffice.
import { parse } from 'csv-parse/sync';

/** The text with which each record begins. Because of escaping, it cannot occur inside a record. */
const BEGINNINGS: Readonly<Record<string, RegExp>> = {
  atom: /^<entry>$/gm,
  rss: /^<item>$/gm,
  xml: /^<record id="/gm,
  // Lines end with line feeds alone: a text may have other separators.
  ndjson: /(?<![^\n])\{/g,
  html: /^<tr><th scope="row">/gm,
};

/** Whether records are counted in files of this name. */
export function areCounted(path: string): boolean {
  const ending = endingOf(path);
  return Object.hasOwn(BEGINNINGS, ending) || ending === 'json' || ending === 'csv';
}

/** The number of records in a file that they are counted in. Never throws: an unreadable file has none. */
export function countRecords(path: string, bytes: Uint8Array): number {
  const ending = endingOf(path);
  const beginning = BEGINNINGS[ending];
  const text = new TextDecoder().decode(bytes);
  if (beginning !== undefined) return text.match(beginning)?.length ?? 0;
  try {
    if (ending === 'csv') return parse(text).length - 1;
    return (JSON.parse(text) as { readonly records?: readonly unknown[] }).records?.length ?? 0;
  } catch {
    return 0;
  }
}

function endingOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
