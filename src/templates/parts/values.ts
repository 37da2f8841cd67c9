// The value of a field as people read it: numbers and dates in the page's language, addresses as links, everything else as text.
import { canonicalJson, type JsonValue } from '../../register/canonical-json.ts';
import { type Field, isNumberType } from '../../register/record.ts';
import { isHttpUrl } from '../../register/url.ts';
import { markup, type Markup, NOTHING } from '../markup.ts';
import { timeOf, type Wording } from '../wording.ts';
import { fittingItems, shortened } from './excerpt.ts';
import { ownText } from './texts.ts';

type JsonObject = Readonly<Record<string, JsonValue>>;

/** How a value is shown. */
export interface ValueOptions {
  /** BCP 47, of the register; null: not known. */
  readonly language: string | null;
  /** How many bytes of the page it may take. */
  readonly bytes: number;
}

/** A field, as far as it decides how its values are shown. */
export type ShownField = Pick<Field, 'type'> & Partial<Pick<Field, 'name'>>;

/** A value; null is shown as missing. */
export function valueOf(
  wording: Wording,
  field: ShownField,
  value: JsonValue | undefined,
  { language, bytes }: ValueOptions,
): Markup {
  const { texts } = wording;
  const { type } = field;
  if (value === null || value === undefined) return markup`<span class="quiet">${texts.noValue}</span>`;
  if (typeof value === 'boolean') return markup`${value ? texts.yes : texts.no}`;
  if (typeof value === 'object') return partsOf(wording, value, { language, bytes });
  const text = String(value);
  if (type === 'date' || type === 'datetime') return timeOf(wording, text);
  if (type === 'url' && isHttpUrl(text)) return linkTo(text, bytes);
  if (isNumberType(type)) {
    return markup`<data value="${text}">${numberText(wording, field, text)}</data>`;
  }
  return markup`<span class="value"${ownText(wording, language)}>${shortened(text, bytes)}</span>`;
}

/** Numbers that are read digit by digit, by the names of their fields. */
const CODES =
  /(?:^|_)(?:ids?|codes?|no|nr|number|num|nummer|key|year|jahr|zip|plz|post(?:al)?_?codes?|phone|fax)(?:_|$)/i;

/** A number as people read it. @param text as in JSON */
export function numberText(wording: Wording, { name = '', type }: ShownField, text: string): string {
  if (CODES.test(name) && !text.includes('.')) return text;
  // Of a column with fractions, whole numbers are amounts as well.
  return wording.exactNumber(text, type !== 'integer');
}

/** A list as a list, an object as a table of its members, a list of objects as a table of theirs; what is deeper as JSON. */
function partsOf(wording: Wording, value: JsonObject | readonly JsonValue[], options: ValueOptions): Markup {
  const { language, bytes } = options;
  const own = ownText(wording, language);
  const isList = isArray(value);
  const items = isList ? value : Object.values(value);
  if (items.length === 0) return markup`<code lang="" dir="ltr">${isList ? '[]' : '{}'}</code>`;
  const columns = isList ? columnsOf(value) : null;
  const cell = (part: JsonValue): Markup => partOf(wording, part, own, Math.min(bytes, PART_BYTES));
  const rows = isList
    ? columns === null
      ? value.map((item) => markup`<li>${cell(item)}</li>`)
      : value.map(
          (item) =>
            markup`<tr>${columns.map((name) => markup`<td>${cell((item as JsonObject)[name] ?? null)}</td>`)}</tr>`,
        )
    : Object.entries(value).map(
        ([name, member]) =>
          markup`<tr><th scope="row">${breakableName(shortened(name, 100))}</th><td>${cell(member)}</td></tr>`,
      );
  const shown = fittingItems(rows, bytes);
  const left = rows.length - shown.length;
  const more =
    left === 0 ? NOTHING : markup`<p class="hint">${wording.texts.register.moreValues(wording.number(left))}</p>`;
  if (isList && columns === null) return markup`<ul class="parts-list">${shown}</ul>${more}`;
  const head =
    columns === null
      ? NOTHING
      : markup`<thead><tr>${columns.map((name) => markup`<th scope="col">${breakableName(shortened(name, 100))}</th>`)}</tr></thead>`;
  return markup`<table class="members">${head}<tbody>${shown}</tbody></table>${more}`;
}

/** `Array.isArray()` knows no lists that are read only. */
function isArray(value: JsonObject | readonly JsonValue[]): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** How much of one part is shown, in bytes. */
const PART_BYTES = 500;

/** The most columns of a list of objects. */
const MAX_MEMBERS = 5;

/** The members of a list of objects that have few, and only plain ones; null: it is another list. */
function columnsOf(items: readonly JsonValue[]): readonly string[] | null {
  const names = new Set<string>();
  for (const item of items) {
    if (item === null || typeof item !== 'object' || Array.isArray(item)) return null;
    for (const [name, member] of Object.entries(item)) {
      if (member !== null && typeof member === 'object') return null;
      names.add(name);
    }
  }
  return names.size > 0 && names.size <= MAX_MEMBERS ? [...names] : null;
}

function partOf(wording: Wording, part: JsonValue, own: Markup, bytes: number): Markup {
  const { texts } = wording;
  if (part === null) return markup`<span class="quiet">${texts.noValue}</span>`;
  if (typeof part === 'boolean') return markup`${part ? texts.yes : texts.no}`;
  if (typeof part === 'number') return markup`${wording.exactNumber(String(part))}`;
  if (typeof part === 'object') return markup`<code lang="" dir="ltr">${shortened(canonicalJson(part), bytes)}</code>`;
  return isHttpUrl(part) ? linkTo(part, bytes) : markup`<span${own}>${shortened(part, bytes)}</span>`;
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

/** Where a name that was made for programs may be broken: knownRansomwareUse, known_ransomware_use. */
const WITHIN_NAME = /(?<=\p{Ll})(?=\p{Lu})|(?<=_)(?=[^_])/gu;

/** A name that narrow columns break between its words. */
export function breakableName(name: string): Markup {
  const [first = '', ...others] = name.split(WITHIN_NAME);
  return markup`${first}${others.map((part) => markup`<wbr>${part}`)}`;
}

/** The same as a text: an attribute has no elements. */
export function breakableText(name: string): string {
  return name.replaceAll(WITHIN_NAME, '\u200B');
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
