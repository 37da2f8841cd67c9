// The frame of a page in the service: the reader's language, the addresses under the service's mount, and the way to answer.
import { linkHeader } from '../export/page-links.ts';
import type { Addresses } from '../templates/addresses.ts';
import { type Frame, siteHeader } from '../templates/layout.ts';
import { acceptedLanguage, knownLanguage, LANGUAGES, wordingIn } from '../templates/wording.ts';
import type { WrittenBody } from '../web/representation.ts';
import { utf8 } from '../web/utf8.ts';
import { ICON_FILE, STYLE_FILE } from './assets.ts';
import type { PageContext, PageOptions } from './services.ts';
import { sessionSecret } from './sign-in/session.ts';

/** The parameter that chooses a language. */
export const LANGUAGE_PARAMETER = 'lang';

/** The cookie of an editor's session. */
export const DESK_COOKIE = 'gazette-desk';

/** The path of the API in that of the service. */
const API_PATH = '/api/v1';

/** The public URL of the service, without a slash at its end. */
export function siteOf({ api }: Pick<PageContext, 'api'>): string {
  return api.slice(0, -API_PATH.length);
}

/** The path of the service, without a slash at its end. It never begins with two, which would name another host. */
export function rootOf(context: Pick<PageContext, 'api'>): string {
  return new URL(siteOf(context)).pathname.replace(/^\/{2,}/, '/').replace(/\/$/, '');
}

/** What a page's frame depends on besides the request. */
export interface FrameOptions {
  /** BCP 47. Null: it is not known, or the page is of no register. */
  readonly registerLanguage?: string | null;
  /**
   * What the page was asked for, for the same page in other languages: never other parameters of the request, which a cached page
   * would give to others. Null: it is not offered in other languages. Default: no parameters.
   */
  readonly parameters?: URLSearchParams | null;
}

/** Whether a page was asked for with nothing but a language: no link repeats anything else, which may be a secret. */
export function isPlain({ parameters }: Pick<PageContext, 'parameters'>): boolean {
  return [...parameters.keys()].every((name) => name === LANGUAGE_PARAMETER);
}

/**
 * The frame of a page. The reader's language is the one that the address names, else the first one that the browser accepts, else the
 * register's.
 */
export function frameOf(
  context: PageContext,
  { service, hasAccounts }: PageOptions,
  { registerLanguage = null, parameters = new URLSearchParams() }: FrameOptions = {},
): Frame {
  const asked = knownLanguage(context.parameters.get(LANGUAGE_PARAMETER));
  const accepted = acceptedLanguage(context.request.headers.get('accept-language'));
  const wording = wordingIn(asked ?? accepted ?? knownLanguage(registerLanguage));
  const root = rootOf(context);
  const inLanguage = (tag: string): string => {
    const all = new URLSearchParams(parameters ?? undefined);
    all.set(LANGUAGE_PARAMETER, tag);
    return `${root}${context.path}?${all.toString()}`;
  };
  return {
    wording,
    addresses: serviceAddresses(root, { language: asked, hasAccounts }),
    service,
    isSignedIn: context.access.account !== undefined,
    // What they may do there, the desk finds out; here nobody is asked who they are.
    ...(sessionSecret(context, DESK_COOKIE) !== null && { desk: `${root}/desk` }),
    languages:
      parameters === null
        ? null
        : Object.fromEntries(Object.keys(LANGUAGES).map((tag) => [tag, inLanguage(tag)] as const)),
  };
}

/** The site's header above the reference, which is in English, and the same for everybody. */
export function referenceHeader(context: Pick<PageContext, 'api'>, { service, hasAccounts }: PageOptions): string {
  const addresses = serviceAddresses(rootOf(context), { language: null, hasAccounts });
  const frame: Frame = { wording: wordingIn('en'), addresses, service, isSignedIn: false, languages: null };
  return siteHeader(frame, { current: 'reference' }).toString();
}

/** What of a frame shapes the bytes of a page, for entity tags. */
export function frameShape({ wording, isSignedIn, desk, addresses }: Frame): readonly unknown[] {
  return [STYLE_FILE, wording.language, isSignedIn, ...(desk === undefined ? [] : [desk]), addresses.home()];
}

/**
 * The addresses of the service's pages, as absolute paths.
 *
 * @param root the path of the service, without a slash at its end
 * @param options `language`: links keep the language that the address names
 */
function serviceAddresses(
  root: string,
  { language, hasAccounts }: { readonly language: string | null; readonly hasAccounts: boolean },
): Addresses {
  const page = (path: string, given?: URLSearchParams): string => root + pathWith(path, { language, given });
  return {
    home: (parameters) => page('/', parameters),
    register: (feedId, parameters) => page(`/feeds/${feedId}`, parameters),
    values: (feedId, parameters) => page(`/feeds/${feedId}/values`, parameters),
    figures: (feedId, parameters) => page(`/feeds/${feedId}/figures`, parameters),
    record: (id) => page(`/records/${id}`),
    proof: (id, version) =>
      page(`/records/${id}/proof`, version === null ? undefined : new URLSearchParams({ version: String(version) })),
    export: (feedId, format, parameters) => {
      const query = parameters === undefined || parameters.size === 0 ? '' : `?${parameters.toString()}`;
      return `${root}${API_PATH}/feeds/${feedId}/records/export.${format}${query}`;
    },
    whole: (feedId, format, parameters) => {
      const query = new URLSearchParams(parameters);
      // Spreadsheets recognise UTF-8 by it.
      if (format === 'csv') query.set('bom', '1');
      return page(`/feeds/${feedId}/register.${format}`, query);
    },
    guide: () => page('/guide'),
    reference: () => `${root}${API_PATH}/reference`,
    opml: () => `${root}/opml`,
    account: () => (hasAccounts ? page('/account') : null),
    style: () => `${root}/assets/${STYLE_FILE}`,
    icon: () => `${root}/assets/${ICON_FILE}`,
  };
}

/** A path with parameters, which keeps the language that an address names. */
export function pathWith(
  path: string,
  { language, given }: { readonly language: string | null; readonly given?: URLSearchParams | undefined },
): string {
  if (given === undefined) return language === null ? path : `${path}?${LANGUAGE_PARAMETER}=${language}`;
  const parameters = new URLSearchParams(given);
  if (language !== null) parameters.set(LANGUAGE_PARAMETER, language);
  return `${path}${parameters.size === 0 ? '' : `?${parameters.toString()}`}`;
}

/** A document, or its bytes, as a body. @param next the page after it, for `Link` */
export function pageBody(
  document: string | Uint8Array<ArrayBuffer>,
  { language, next = null }: PageBodyOptions,
): WrittenBody {
  const body = typeof document === 'string' ? utf8(document) : document;
  return {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-length': String(body.length),
      'content-language': language,
      ...(next === null ? {} : { link: linkHeader(next, 'next') }),
    },
    body,
  };
}

/** Options of {@link pageBody}. */
export interface PageBodyOptions {
  readonly language: string;
  readonly next?: URL | null;
}
