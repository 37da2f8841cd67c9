// Markup that is safe by its type: whatever is not markup already is escaped, by hono/html. What is put together here is text in
// memory, never a promise.
import { html, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { GazetteError } from '../errors.ts';

/** HTML that is escaped already. */
export type Markup = HtmlEscapedString;

/** What may be put into markup. Null, undefined and false are nothing; texts and numbers are escaped. */
export type Content = string | number | Markup | null | undefined | false | readonly Content[];

/**
 * Puts markup together; every value is escaped unless it is markup itself.
 *
 * @example markup`<p>${'1 < 2'}</p>` // <p>1 &lt; 2</p>
 */
export function markup(strings: TemplateStringsArray, ...values: readonly Content[]): Markup {
  const made = html(strings, ...values.map(shownIn));
  if (made instanceof Promise) throw new GazetteError('internal_error', 'markup must be made at once');
  return made;
}

/** Markup that was made elsewhere: the caller answers for it. */
export function trusted(text: string): Markup {
  return raw(text);
}

/** No markup. */
export const NOTHING: Markup = raw('');

/**
 * A value as JSON inside a script element that is a data block. `<` would end the element (HTML 13.2.5.4), and its code point in
 * JSON is the same text.
 */
export function jsonData(value: unknown): Markup {
  return raw(JSON.stringify(value).replaceAll('<', '\\u003c'));
}

/**
 * Characters that HTML cannot have (HTML 13.2.3.5) become U+FFFD, so that a reader sees that something is there.
 */
function shownIn(value: Content): Content {
  if (Array.isArray(value)) return value.map(shownIn);
  // Markup is an object to the machine.
  if (typeof value !== 'string' || !FORBIDDEN.test(value)) return value;
  return value.toWellFormed().replaceAll(ALL_FORBIDDEN, '\ufffd');
}

const FORBIDDEN = /[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f\ud800-\udfff\ufffe\uffff]/;

const ALL_FORBIDDEN = /[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g;
