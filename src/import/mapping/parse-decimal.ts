// Amounts as people write them: with a decimal comma on the European continent (`1.234,56`, `1 234,56`), with whole
// thousands in groups elsewhere (`1,234.56`).

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

/** An amount with a decimal point and whole thousands in groups of three. */
const GROUPED = /^([+-]?[1-9]\d{0,2})((?:,\d{3})+|(?:[\u0020\u00a0\u2009\u202f]\d{3})+|(?:['’]\d{3})+)(\.\d+)?$/;

/** What none of the amounts that are written as in JSON has. */
const NOT_PLAIN = /[^\d.eE+-]/;

/**
 * An amount with a decimal point whose thousands are in groups, or that has spaces around it, as JSON writes it: `1,709`
 * becomes `1709`. Null for anything else, also for an amount as in JSON.
 *
 * @example parseGrouped('1,234.50') // '1234.50'
 */
export function parseGrouped(text: string): string | null {
  if (!NOT_PLAIN.test(text)) return null;
  const amount = text.trim().replace('\u2212', '-');
  const match = GROUPED.exec(amount);
  if (match === null) return amount === '' || NOT_PLAIN.test(amount) ? null : amount;
  const [, first = '', groups = '', fraction = ''] = match;
  return `${first.replace('+', '')}${groups.replace(/\D/g, '')}${fraction}`;
}

/** What the groups of an amount leave open: `1,709` may be less than two, `601 234 567` the number of a telephone. */
const MAY_BE_ELSE = /^[+-]?\d{1,3}(?:,\d{3}|(?:[\u0020\u00a0\u2009\u202f]\d{3}){2,})$/;

/** Whether an amount with groups may be something else: another of its column, written without or with other groups, then decides. */
export function isUnclear(text: string): boolean {
  return MAY_BE_ELSE.test(text.trim());
}
