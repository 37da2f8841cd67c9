// Reads new keys from a table of two columns: the keys that records have, and those that they get. A first row of names, as people
// write it above such a table, is none of them.
import { GazetteError } from '../../errors.ts';
import { toText } from '../../import/mapping/to-field.ts';
import { isRawObject, type RawRecord, type RecordReader } from '../../import/readers/raw-record.ts';
import type { KeyMap } from './renumber.ts';

/** Words of which names of such columns are made: `old;new`, `Key before,Key now`, `Aktenzeichen alt`, `ancien numéro`. */
const WORDS = new Set(
  (
    'old new from to before after now previous current former source target key keys id ids number numbers no nr code ref reference ' +
    'identifier record permit case file alt alte alter altes neu neue neuer neues von nach bisher bisherig bisherige vorher nachher ' +
    'künftig schlüssel nummer kennung kennzeichen aktenzeichen az zeichen ancien ancienne nouveau nouvelle avant après clé numéro ' +
    'viejo nuevo antiguo antes clave número oud nieuw sleutel nummer vecchio nuovo chiave numero'
  ).split(' '),
);

/**
 * Reads a table of two columns without a header, as the reader takes it.
 *
 * @throws GazetteError `invalid_record` for a row that has not two values, naming its place; `invalid_input` for a table without rows;
 *   the errors of the reader
 */
export async function readKeyMap(
  reader: RecordReader,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<KeyMap> {
  const rows: KeyMap['rows'][number][] = [];
  for await (const { records } of reader.batches(signal)) {
    for (const record of records) {
      const where = `${reader.name}: ${reader.where(record.at)}`;
      const [from, to] = pairIn(record, where);
      rows.push({ from, to, where, ...(rows.length === 0 && { mayBeHeader: isHeader(from) && isHeader(to) }) });
    }
  }
  const isEmpty = rows.every(({ mayBeHeader }) => mayBeHeader === true);
  if (isEmpty) throw new GazetteError('invalid_input', `${reader.name}: there is no row with an old key and a new one`);
  return { name: reader.name, rows };
}

function pairIn({ value, fault }: RawRecord, where: string): readonly [string, string] {
  if (fault !== undefined) throw fault;
  const cells = isRawObject(value) ? Object.values(value).map((cell) => (cell === null ? '' : toText(cell))) : [];
  const [from, to] = cells;
  if (cells.length === 2 && typeof from === 'string' && typeof to === 'string' && from !== '' && to !== '')
    return [from, to];
  const message = `${where}: a row must have two values, the key that a record has and its new one`;
  throw new GazetteError('invalid_record', message, { details: { where, field: 'key' } });
}

/** Whether a cell is made of words that name a column. */
function isHeader(cell: string): boolean {
  const words = cell.toLowerCase().match(/\p{L}+/gu);
  return words !== null && words.every((word) => WORDS.has(word)) && !/\d/.test(cell);
}
