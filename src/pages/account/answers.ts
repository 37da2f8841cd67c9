// How the pages of accounts answer. None of them may be stored, shown in a frame, or found by search engines, and their
// addresses, of which some are secret, are told to nobody: other pages learn the origin alone.
import { GazetteError } from '../../errors.ts';
import { isInTrouble } from '../../operate/endpoint-mail.ts';
import type { Account } from '../../stores/contract/accounts.ts';
import type { HttpResponse } from '../../web/representation.ts';
import type { Frame } from '../../templates/layout.ts';
import type { OwnerFrame } from '../../templates/account/parts.ts';
import { knownLanguage } from '../../templates/wording.ts';
import { checkOwnPage } from '../../web/own-page.ts';
import { frameOf, LANGUAGE_PARAMETER, pageBody, pathWith, rootOf, siteOf } from '../frame.ts';
import type { PageContext } from '../services.ts';
import { formToken, readOwnForm, sessionSecret } from './session.ts';
import type { OwnerRequest, OwnerServices } from './services.ts';

/** The purpose of the forms of a session. */
export const SESSION_FORMS = 'session';

/** The parameter that says what was just done: a name in the texts of its page. */
export const DONE_PARAMETER = 'done';

/** What can have been done: names of texts. */
const DONE: ReadonlySet<string> = new Set([
  ...['saved', 'revoked', 'tested', 'disabled', 'enabled', 'removed', 'activatedNow'],
  ...['replayed', 'replayedOne', 'replayedNone', 'replayedNot'],
]);

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

/** A redirection after something was done, which the page then says. @param done a name in its texts */
export function doneAt(context: PageContext, path: string, done: string, count?: number): HttpResponse {
  const given = new URLSearchParams({
    [DONE_PARAMETER]: done,
    ...(count === undefined ? {} : { count: String(count) }),
  });
  return seeOther(context, path, { given });
}

/** The frame of a page on the way into an account, or in it. @param token of its forms @param said what was just done */
export function ownerFrame(
  context: PageContext,
  { options }: OwnerServices,
  {
    token,
    said = null,
    troubled = [],
  }: { readonly token: string; readonly said?: string | null; readonly troubled?: OwnerFrame['troubled'] },
): OwnerFrame {
  const isSent = context.request.method === 'POST';
  const frame = frameOf(context, options, isSent ? { parameters: null } : {});
  const language = knownLanguage(context.parameters.get(LANGUAGE_PARAMETER));
  return {
    ...frame,
    at: (path, given) => rootOf(context) + pathWith(path, { language, given }),
    token,
    said,
    troubled,
  };
}

/** The frame of a page for somebody signed in. @param texts what may be said of what was just done, by name */
export function sessionFrame(
  { context, secret, troubled }: OwnerRequest,
  services: OwnerServices,
  texts?: (frame: Frame) => Readonly<Record<string, unknown>>,
): OwnerFrame {
  const frame = ownerFrame(context, services, { token: formToken(secret, SESSION_FORMS), troubled });
  const done = context.parameters.get(DONE_PARAMETER) ?? '';
  const known = texts === undefined || context.request.method === 'POST' ? {} : texts(frame);
  const text = DONE.has(done) && Object.hasOwn(known, done) ? known[done] : undefined;
  // Anybody may have written the address: only a number is taken from it.
  const count = frame.wording.number(Number(/^\d{1,9}$/.exec(context.parameters.get('count') ?? '')?.[0] ?? 0));
  return { ...frame, said: typeof text === 'string' ? text.replace('{count}', count) : null };
}

/** Answers somebody who is signed in; everybody else is led to where one signs in. */
export function forOwner(
  services: OwnerServices,
  context: PageContext,
  answer: (request: OwnerRequest) => Promise<HttpResponse>,
): HttpResponse | Promise<HttpResponse> {
  const { account } = context.access;
  const secret = sessionSecret(context);
  if (account === undefined || secret === null) return seeOther(context, '/sign-in');
  return ownerRequest(services, context, account, secret).then(answer);
}

async function ownerRequest(
  services: OwnerServices,
  context: PageContext,
  account: Account,
  secret: string,
): Promise<OwnerRequest> {
  const own = services.ownAccount(account.id);
  const now = services.now();
  const troubled = (await own.endpoints()).filter((endpoint) => isInTrouble(endpoint, now));
  return { context, account, secret, own, troubled };
}

/**
 * Answers a form of somebody who is signed in. What another site had a browser send is refused before anything else is done.
 *
 * @throws GazetteError the errors of {@link readOwnForm}
 */
export async function forOwnersForm(
  services: OwnerServices,
  context: PageContext,
  answer: (request: OwnerRequest, fields: URLSearchParams) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const { account } = context.access;
  const secret = sessionSecret(context);
  if (account === undefined || secret === null) {
    checkOwnPage(context);
    return seeOther(context, '/sign-in');
  }
  const fields = await readOwnForm(context, { secret, purpose: SESSION_FORMS });
  return answer(await ownerRequest(services, context, account, secret), fields);
}

/** What is not there, or another account's: the same answer. */
export function notThere(context: PageContext): GazetteError {
  return new GazetteError('not_found', `nothing is served at ${context.path}`);
}
