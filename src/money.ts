// Amounts of money: what a record of a register costs, how a price is written for people and read again, and what is more than
// what somebody agreed to pay. Amounts of tokens on chain, which no double holds, are digits.
import { GazetteError, quote } from './errors.ts';

/** An amount of money: a whole number in the smallest unit of its currency, at most `Number.MAX_SAFE_INTEGER`. */
export interface Money {
  /** How much. */
  readonly amount: number;
  /** Of what: a code of ISO 4217 such as `EUR`. */
  readonly currency: string;
}

/** An amount of a token on chain. Two amounts of a token are equal exactly if their texts are. */
export interface Tokens {
  /** How much, in the smallest unit of the token: digits from `1` on, below 2^256. */
  readonly amount: string;
  /** Of what: the asset by CAIP-19, in lower case. */
  readonly currency: string;
}

/** How an amount of a token is written: digits, from 1 on. ERC-20 counts in `uint256`, and tokens have up to 18 decimals. */
export const TOKEN_AMOUNTS: { readonly pattern: RegExp; readonly expected: string } = {
  pattern: /^[1-9][0-9]{0,77}$/,
  expected: 'a text of digits from "1" on and below 2^256, in the smallest unit of the token',
};

/** Whether a value is an amount of a token. */
export function isTokenAmount(value: unknown): value is string {
  return typeof value === 'string' && TOKEN_AMOUNTS.pattern.test(value) && BigInt(value) < 2n ** 256n;
}

/** A register's definition, as far as it decides on prices. */
interface Priced {
  readonly prices?: { readonly currency: string; readonly per_record: number };
  readonly access?: string;
}

/** What a record of a register costs; null where nothing is sold, and in an open register, which everybody reads. */
export function priceOf({ prices, access }: Priced): Money | null {
  if (prices === undefined || access === 'open') return null;
  return { amount: prices.per_record, currency: prices.currency };
}

/** Whether a price is more than a bound, or in another currency. */
export function exceeds(price: Money, bound: Money): boolean {
  return price.currency !== bound.currency || price.amount > bound.amount;
}

/** How a price is written: `2.00 EUR`, with a code of ISO 4217. */
export const PRICE_TEXTS: { readonly pattern: RegExp } = { pattern: /^[0-9]{1,15}(?:\.[0-9]{1,4})? [A-Z]{3}$/ };

/**
 * The price that {@link moneyText} writes so; null for another text, or for more decimals than the currency has.
 *
 * @example priceIn('2.00 EUR') // { amount: 200, currency: 'EUR' }
 */
export function priceIn(text: string): Money | null {
  if (!PRICE_TEXTS.pattern.test(text)) return null;
  const [written = '', currency = ''] = text.split(' ');
  const amount = amountIn(written, currency);
  return amount === null ? null : { amount, currency };
}

/** A price that an option gives, above nothing. @throws GazetteError `invalid_option` for another text */
export function parsePrice(option: string, text: string): Money {
  const price = priceIn(text);
  if (price !== null && price.amount > 0) return price;
  throw new GazetteError('invalid_option', `${option} must be a price such as 2.00 EUR, got ${quote(text)}`, {
    details: { option },
  });
}

/**
 * An amount of money in the unit that people know: no number is divided on the way.
 *
 * @example moneyText({ amount: 500, currency: 'EUR' }) // '5.00 EUR'
 */
export function moneyText({ amount, currency }: Money | Tokens): string {
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

/** Whether a text has the form of a code of ISO 4217. */
export function isCurrency(code: string): boolean {
  return /^[A-Z]{3}$/.test(code);
}

function decimalsOf(currency: string): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 0;
}
