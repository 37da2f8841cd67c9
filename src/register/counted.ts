// Numbers with their nouns, for people.

/**
 * An amount of money in the unit that people know: no number is divided on the way.
 *
 * @example moneyText({ amount: 500, currency: 'EUR' }) // '5.00 EUR'
 */
export function moneyText({ amount, currency }: { readonly amount: number; readonly currency: string }): string {
  // What is no code of ISO 4217 is an asset on chain, whose decimals only its contract knows.
  if (!isCurrency(currency)) return `${amount} of the smallest unit of ${currency}`;
  const decimals = decimalsOf(currency);
  const digits = String(amount).padStart(decimals + 1, '0');
  return `${digits.slice(0, digits.length - decimals)}${decimals === 0 ? '' : `.${digits.slice(-decimals)}`} ${currency}`;
}

/**
 * The amount that somebody wrote, in the smallest unit of the currency; null for a text that is none, or has more decimals
 * than the currency. Without a code of ISO 4217 it is a whole number of that unit.
 *
 * @example amountIn('2,5', 'EUR') // 250
 * @example amountIn('1,000', 'EUR') // null
 */
export function amountIn(text: string, currency: string): number | null {
  const [, whole = '', fraction = ''] = /^(\d{1,15})(?:[.,](\d+))?$/.exec(text) ?? [];
  const decimals = isCurrency(currency) ? decimalsOf(currency) : 0;
  const amount = Number(whole + fraction.padEnd(decimals, '0'));
  return whole === '' || fraction.length > decimals || !Number.isSafeInteger(amount) ? null : amount;
}

function isCurrency(code: string): boolean {
  return /^[A-Z]{3}$/.test(code);
}

function decimalsOf(currency: string): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 0;
}

/**
 * A number with its noun.
 *
 * @param many the plural, where it is not `one` with an s
 * @example counted(1, 'record') // '1 record'
 * @example counted(1404, 'record') // '1,404 records'
 */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${Math.round(count).toLocaleString('en-US')} ${count === 1 ? one : many}`;
}
