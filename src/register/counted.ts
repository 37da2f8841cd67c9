// Numbers with their nouns, for people.

/**
 * An amount of money in the unit that people know: no number is divided on the way.
 *
 * @example moneyText({ amount: 500, currency: 'EUR' }) // '5.00 EUR'
 */
export function moneyText({ amount, currency }: { readonly amount: number; readonly currency: string }): string {
  // What is no code of ISO 4217 is an asset on chain, whose decimals only its contract knows.
  if (!/^[A-Z]{3}$/.test(currency)) return `${amount} of the smallest unit of ${currency}`;
  const format = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
  const decimals = format.maximumFractionDigits ?? 0;
  const digits = String(amount).padStart(decimals + 1, '0');
  return `${digits.slice(0, digits.length - decimals)}${decimals === 0 ? '' : `.${digits.slice(-decimals)}`} ${currency}`;
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
