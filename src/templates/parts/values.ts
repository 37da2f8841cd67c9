// The value of a field as people read it: numbers and dates in the page's language, addresses as links, everything else as text.
import { canonicalJson, type JsonValue } from '../../register/canonical-json.ts';
import type { Field } from '../../register/record.ts';
import { isHttpUrl } from '../../register/url.ts';
import { markup, type Markup } from '../markup.ts';
import { timeOf, type Wording } from '../wording.ts';
import { shortened } from './excerpt.ts';
import { ownText } from './texts.ts';

/** How a value is shown. */
export interface ValueOptions {
  /** BCP 47, of the register; null: not known. */
  readonly language: string | null;
  /** How many bytes of the page it may take. */
  readonly bytes: number;
}

/** A value; null is shown as missing. */
export function valueOf(
  wording: Wording,
  { type }: Pick<Field, 'type'>,
  value: JsonValue | undefined,
  { language, bytes }: ValueOptions,
): Markup {
  const { texts } = wording;
  if (value === null || value === undefined) return markup`<span class="quiet">${texts.noValue}</span>`;
  if (typeof value === 'boolean') return markup`${value ? texts.yes : texts.no}`;
  if (typeof value === 'object')
    return markup`<code class="lines" lang="" dir="ltr">${shortened(linesOf(value), bytes)}</code>`;
  const text = String(value);
  if (type === 'date' || type === 'datetime') return timeOf(wording, text);
  if (type === 'url' && isHttpUrl(text)) return linkTo(text, bytes);
  if (type === 'number' || type === 'integer' || type === 'decimal') {
    return markup`<data value="${text}">${wording.exactNumber(text)}</data>`;
  }
  return markup`<span class="value"${ownText(wording, language)}>${shortened(text, bytes)}</span>`;
}

/** A list or an object as JSON: an item, or a member, a line. What is deeper stays on it. */
function linesOf(value: Exclude<JsonValue, string | number | boolean | null>): string {
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((item: JsonValue) => canonicalJson(item))
    : Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${canonicalJson(member)}`);
  const [begin, end] = isList ? '[]' : '{}';
  return parts.length < 2 ? canonicalJson(value) : `${begin}\n${parts.map((part) => `  ${part}`).join(',\n')}\n${end}`;
}

/** A link to another site that shows its address. An address too long for the page leads there all the same, or is only shown. */
function linkTo(url: string, bytes: number): Markup {
  if (url.length > MAX_HREF || !isHttpUrl(url))
    return markup`<span class="long" dir="ltr">${shortened(url, bytes)}</span>`;
  return markup`<a class="long" dir="ltr" rel="noopener" href="${url}">${shortened(url, Math.min(bytes, MAX_SHOWN))}</a>`;
}

/** An address that narrow screens break before its dots and slashes, and not within its words. */
export function breakable(address: string): Markup {
  const [first = '', ...others] = address.split(/(?<=[^./])(?=[./])/);
  return markup`${first}${others.map((part) => markup`<wbr>${part}`)}`;
}

/** The longest address that a page links to, in characters: the longest that all browsers open. */
export const MAX_HREF = 2000;

/** How much of an address is shown. */
const MAX_SHOWN = 120;

/** The site of an address, for people. @example siteNameOf('https://www.example.org/a') // 'www.example.org' */
export function siteNameOf(url: string): string {
  return PLAIN_SITE.exec(url)?.[1] ?? URL.parse(url)?.host ?? url;
}

/** An address whose site is written as {@link URL} would write it, which most are: parsing takes ten times as long. */
const PLAIN_SITE = /^https?:\/\/((?:[a-z0-9-]+\.)+[a-z]+)(?=[/?#]|$)/;
