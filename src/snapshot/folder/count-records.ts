// How many records a file of a snapshot holds, counted in the file itself. A workbook's are not: its digest has to do.
import { parse } from 'csv-parse/sync';

/** What each record begins with. Escaping keeps these texts out of everything a record may say. */
const BEGINNINGS: Readonly<Record<string, RegExp>> = {
  atom: /^<entry>$/gm,
  rss: /^<item>$/gm,
  xml: /^<record id="/gm,
  html: /^<li value="/gm,
};

/** The number of records; null where it cannot be told. Never throws: what cannot be read holds none. */
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
