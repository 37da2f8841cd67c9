// How pages answer that are somebody's own. None of them may be stored, shown in a frame, or found by search engines, and their
// addresses, of which some are secret, are told to nobody: other pages learn the origin alone.
import type { HttpResponse } from '../../web/representation.ts';
import type { SignInFrame } from '../../templates/account/parts.ts';
import type { Frame } from '../../templates/layout.ts';
import { knownLanguage } from '../../templates/wording.ts';
import { frameOf, LANGUAGE_PARAMETER, pageBody, pathWith, rootOf, siteOf } from '../frame.ts';
import type { PageContext, PageOptions } from '../services.ts';

/** The parameter that says what was just done: a name in the texts of its page. */
export const DONE_PARAMETER = 'done';

/** So many numbers an address says at most. */
const MOST_NUMBERS = 50;

/** A page. @param cookie a field `Set-Cookie` */
export function pageAnswer(
  context: PageContext,
  document: string,
  {
    wording,
    status = 200,
    cookie = null,
  }: Pick<Frame, 'wording'> & { readonly status?: number; readonly cookie?: string | null },
): HttpResponse {
  const { headers, body } = pageBody(document, { language: wording.language });
  return {
    status,
    headers: {
      ...context.headers,
      ...headers,
      'cache-control': 'private, no-store',
      // Not `no-referrer`: browsers then send forms with `Origin: null` (Fetch 3.1).
      'referrer-policy': 'strict-origin',
      'x-robots-tag': 'noindex',
      ...(cookie === null ? {} : { 'set-cookie': cookie }),
    },
    body: context.request.method === 'HEAD' ? null : body,
  };
}

/**
 * A redirection to a page of this service (RFC 9110 15.4.4). No request has an influence on where it leads.
 *
 * @param path under the root of the service
 */
export function seeOther(
  context: PageContext,
  path: string,
  { given, cookie = null }: { readonly given?: URLSearchParams; readonly cookie?: string | null } = {},
): HttpResponse {
  const language = knownLanguage(context.parameters.get(LANGUAGE_PARAMETER));
  return {
    status: 303,
    headers: {
      ...context.headers,
      location: siteOf(context) + pathWith(path, { language, given }),
      'content-length': '0',
      'cache-control': 'private, no-store',
      'referrer-policy': 'strict-origin',
      ...(cookie === null ? {} : { 'set-cookie': cookie }),
    },
    body: null,
  };
}

/** A redirection after something was done, which the page then says. @param done a name in its texts @param numbers said with it */
export function doneAt(
  context: PageContext,
  path: string,
  done: string,
  numbers: number | readonly number[] = [],
): HttpResponse {
  const said = [numbers].flat().slice(0, MOST_NUMBERS).join(' ');
  const given = new URLSearchParams({ [DONE_PARAMETER]: done, ...(said === '' ? {} : { count: said }) });
  return seeOther(context, path, { given });
}

/** The frame of a page that is somebody's own, or leads there. @param token of its forms */
export function signInFrame(context: PageContext, options: PageOptions, token: string): SignInFrame {
  const isSent = context.request.method === 'POST';
  const frame = frameOf(context, options, isSent ? { parameters: null } : {});
  const language = knownLanguage(context.parameters.get(LANGUAGE_PARAMETER));
  return {
    ...frame,
    at: (path, given) => rootOf(context) + pathWith(path, { language, given }),
    token,
    said: null,
  };
}

/** What was just done, as the address says. @param texts what may be said, by name */
export function saidIn(
  context: PageContext,
  { wording }: Frame,
  texts: Readonly<Record<string, unknown>>,
): string | null {
  if (context.request.method === 'POST') return null;
  const done = context.parameters.get(DONE_PARAMETER) ?? '';
  const text = Object.hasOwn(texts, done) ? texts[done] : undefined;
  // Anybody may have written the address: only numbers are taken from it.
  const numbers = (context.parameters.get('count') ?? '').split(' ').filter((one) => /^\d{1,9}$/.test(one));
  const said = { count: wording.number(Number(numbers[0] ?? 0)), numbers: numbers.slice(0, MOST_NUMBERS).join(', ') };
  return typeof text === 'string' ? text.replace('{count}', said.count).replace('{numbers}', said.numbers) : null;
}
