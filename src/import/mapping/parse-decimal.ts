// Amounts as people on the European continent write them: `1.234,56`, `1 234,56`, `1'234,56`.

/** An amount with a decimal comma, whole thousands in groups of three or without a separator. */
const AMOUNT = /^([+-]?)(0|[1-9]\d{0,2}(?:([.\u0020\u00a0\u2009\u202f'’])\d{3})?(?:\3\d{3})*|[1-9]\d*)(?:,(\d+))?$/;

/**
 * An amount with a decimal comma as JSON writes it, every digit kept: `1.234,50` becomes `1234.50`. Null for anything
 * else, also for an amount with a decimal point (`1.5`), which could be meant otherwise.
 *
 * @example parseDecimal("-1.234,56") // '-1234.56'
 */
export function parseDecimal(text: string): string | null {
  // U+2212 is the minus sign of typography.
  const match = AMOUNT.exec(text.trim().replace('\u2212', '-'));
  if (match === null) return null;
  const [, sign, whole = '', separator, fraction] = match;
  const digits = separator === undefined ? whole : whole.replaceAll(separator, '');
  return `${sign === '-' ? '-' : ''}${digits}${fraction === undefined ? '' : `.${fraction}`}`;
}
