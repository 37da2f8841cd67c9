// Totals below a table: a last row is none of its records where a cell says so and all others are amounts, or where its
// amounts are the sums of those above.
import { GazetteError, quote } from '../../../errors.ts';
import { parseDecimal, parseGrouped } from '../../mapping/parse-decimal.ts';
import { isAmount } from './header-rows.ts';
import { isRawObject, type RawBatch, type RawObject, type RawRecord, type RawValue } from '../raw-record.ts';

/** What offices write beside totals, without case and signs. */
const WORDS = new Set(
  (
    'total, totals, grand total, overall total, sum, summe, gesamt, gesamtsumme, gesamtergebnis, insgesamt, zusammen, somme, total général, ' +
    'totaal, totale, totale generale, total general, total geral, suma, suma total, totalt, summa, i alt, yhteensä, kokku, kopā, iš viso, ' +
    'razem, ogółem, suma końcowa, celkem, součet, spolu, összesen, mindösszesen, ukupno, skupaj, toplam, genel toplam, σύνολο, γενικό σύνολο, ' +
    'итого, всего, общий итог, разом, усього, общо, укупно, סה"כ, סך הכל, المجموع, الإجمالي, المجموع الكلي, 合計, 総計, 合计, 总计, 總計, 共計, 总和, ' +
    '합계, 총계, รวม, รวมทั้งหมด, รวมทั้งสิ้น, कुल, tổng, tổng cộng, jumlah'
  ).split(', '),
);

/** How many records before the last are looked at: sums are known only of tables that are not longer. */
const LOOKED_AT = 2000;

/** The least number of rows above that a sum is of. */
const LEAST_ROWS = 3;

/** Half of the smallest unit of money: what sums of rounded amounts may be off. */
const TOLERANCE = 0.005;

/**
 * The records of a table, a total at its end as one with a fault.
 *
 * @param place describes a record's place with the file's name
 * @throws GazetteError `invalid_input` for a total, unless faults are kept
 */
export async function* withoutTotal(
  batches: AsyncIterable<RawBatch>,
  {
    keepsFaults = false,
    place,
  }: { readonly keepsFaults?: boolean | undefined; readonly place: (at: number) => string },
): AsyncGenerator<RawBatch, void, undefined> {
  let held: { readonly record: RawRecord; readonly bytes: number } | null = null;
  let before: readonly RawRecord[] = [];
  let count = 0;
  for await (const { records, bytes } of batches) {
    const ready: readonly RawRecord[] = held === null ? records : [held.record, ...records];
    held = { record: ready.at(-1)!, bytes };
    const given = ready.slice(0, -1);
    count += given.length;
    before = (given.length >= LOOKED_AT ? given : [...before, ...given]).slice(-LOOKED_AT);
    if (given.length > 0) yield { records: given, bytes };
  }
  if (held === null) return;
  const { value, at } = held.record;
  const above = before.flatMap(({ value: each }) => (isRawObject(each) ? [each] : []));
  const reason =
    held.record.fault !== undefined || !isRawObject(value) ? null : totalIn(value, above, above.length === count);
  if (reason === null) {
    yield { records: [held.record], bytes: held.bytes };
    return;
  }
  const fault = new GazetteError(
    'invalid_input',
    `${place(at)} is a total, not a record: ${reason}; --skip-invalid leaves it out`,
    {
      details: { where: place(at) },
    },
  );
  if (!keepsFaults) throw fault;
  yield { records: [{ value, at, fault }], bytes: held.bytes };
}

/** Why a row is a total; null where it is a record. @param isAll whether these are all rows above it */
function totalIn(row: RawObject, above: readonly RawObject[], isAll: boolean): string | null {
  const filled = Object.entries(row).filter(([, cell]) => textOf(cell) !== '');
  const words = filled.filter(([, cell]) => isTotalWord(textOf(cell)));
  const amounts = filled.filter(([, cell]) => isAmount(textOf(cell)));
  if (amounts.length === 0 || words.length + amounts.length < filled.length) return null;
  const [word] = words;
  if (word !== undefined) {
    // Where other rows say it too, it is one of the things that the table counts.
    const isRepeated = above.some((other) => isTotalWord(textOf(other[word[0]] ?? null)));
    return isRepeated ? null : `it says ${quote(textOf(word[1]))}`;
  }
  if (!isAll || above.length < LEAST_ROWS) return null;
  const names = new Set(above.flatMap((other) => Object.keys(other)));
  const leavesOut = [...names].some(
    (name) => textOf(row[name] ?? null) === '' && above.every((other) => textOf(other[name] ?? null) !== ''),
  );
  const sums = amounts.filter(([, cell]) => amountOf(cell) !== null);
  const areSums = sums.every(([name, cell]) => {
    const sum = above.reduce((all, other) => all + (amountOf(other[name] ?? null) ?? 0), 0);
    return Math.abs(sum - amountOf(cell)!) < TOLERANCE;
  });
  const isSum = leavesOut && areSums && sums.some(([, cell]) => amountOf(cell) !== 0);
  return isSum ? `${quote(sums[0]![0])} is the sum of the rows above` : null;
}

function isTotalWord(text: string): boolean {
  return WORDS.has(text.toLowerCase().replace(/[\s:.=]+$/, ''));
}

function textOf(cell: RawValue): string {
  return cell === null || typeof cell === 'object' ? '' : String(cell).trim().normalize();
}

/** The amount that a cell states, in whatever form; null for a share, a date and any other text. */
function amountOf(cell: RawValue): number | null {
  if (typeof cell === 'number') return cell;
  const text = textOf(cell);
  if (text === '') return null;
  const amount = Number(parseGrouped(text) ?? text);
  const continental = Number.isNaN(amount) ? parseDecimal(text) : null;
  return continental !== null ? Number(continental) : Number.isNaN(amount) ? null : amount;
}
