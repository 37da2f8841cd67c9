// Counts the records in a file of a snapshot from the file itself. Workbooks are not counted: their digest must
// suffice.
import { parse } from 'csv-parse/sync';

/** The text with which each record begins. Because of escaping, it cannot occur inside a record. */
const BEGINNINGS: Readonly<Record<string, RegExp>> = {
  atom: /^<entry>$/gm,
  rss: /^<item>$/gm,
  xml: /^<record id="/gm,
  html: /^<tr><th scope="row">/gm,
};

/** The number of records; null if it cannot be determined. Never throws: an unreadable file has none. */
export function countRecords(path: string, bytes: Uint8Array): number | null {
  const ending = path.slice(path.lastIndexOf('.') + 1);
  const beginning = BEGINNINGS[ending];
  if (beginning === undefined && ending !== 'json' && ending !== 'csv') return null;
  const text = new TextDecoder().decode(bytes);
  if (beginning !== undefined) return text.match(beginning)?.length ?? 0;
  try {
    if (ending === 'csv') return parse(text).length - 1;
    return (JSON.parse(text) as { readonly records?: readonly unknown[] }).records?.length ?? 0;
  } catch {
    return 0;
  }
}
