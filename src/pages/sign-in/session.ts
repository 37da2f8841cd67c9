// Sessions in cookies, and the tokens that tie forms to them. The cookie of a session is `SameSite=Lax`: a link from elsewhere
// opens what its owner may see, and nothing is changed by a GET. Forms of other sites come without it, and are refused by
// their Origin and for want of the token besides.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { GazetteError } from '../../errors.ts';
import { LINK_MS, SESSION_MS } from '../../operate/sign-in.ts';
import { cookieIn, cookieName, setCookie } from '../../web/cookies.ts';
import { checkOwnPage } from '../../web/own-page.ts';
import { readForm } from '../../web/request-body.ts';
import type { ServedRequest } from '../../web/served-request.ts';

/** The cookie of a page from which somebody signs in. */
const PAGE = 'gazette-page';

const PAGE_SECRET = /^[0-9a-f]{40}$/;

/** More than all fields of a form need. */
const MAX_FORM_BYTES = 64 * 1024;

/** The part of a request that says whose it is. */
export type CookieRequest = Pick<ServedRequest, 'request' | 'api'>;

/** Whether the service is published over HTTPS. */
function isSecure({ api }: CookieRequest): boolean {
  return api.startsWith('https:');
}

function cookieOf(asked: CookieRequest, name: string): string | null {
  return cookieIn(asked.request.headers.get('cookie'), cookieName(name, isSecure(asked)));
}

/** The secret of the session that a cookie of a request names; null if it names none, or more than one. */
export function sessionSecret(asked: CookieRequest, cookie: string): string | null {
  return cookieOf(asked, cookie);
}

/** `Set-Cookie` for a session that has begun; null for one that has ended. */
export function sessionCookie(asked: CookieRequest, cookie: string, secret: string | null): string {
  const maxAgeSeconds = secret === null ? 0 : SESSION_MS / 1000;
  return setCookie(cookie, secret ?? '', { isSecure: isSecure(asked), maxAgeSeconds, sameSite: 'Lax' });
}

/** The secret of the page from which somebody signs in, from its cookie. Null: there is none. */
export function pageSecret(asked: CookieRequest): string | null {
  const known = cookieOf(asked, PAGE);
  return known !== null && PAGE_SECRET.test(known) ? known : null;
}

/** A new {@link pageSecret}. */
export function newPageSecret(): string {
  return randomBytes(20).toString('hex');
}

/** `Set-Cookie` for {@link pageSecret}. Only pages of this service have forms that need it. */
export function pageCookie(asked: CookieRequest, secret: string): string {
  const options = { isSecure: isSecure(asked), maxAgeSeconds: LINK_MS / 1000, sameSite: 'Strict' } as const;
  return setCookie(PAGE, secret, options);
}

/** The token of forms. @param secret of the session, or of the page @param purpose what the form is for */
export function formToken(secret: string, purpose: string): string {
  return createHmac('sha256', secret).update(purpose).digest('base64url');
}

/**
 * Reads a form that was sent from a page of this service.
 *
 * @param tie what its token was made of, as in {@link formToken}; without a secret there is no token
 * @throws GazetteError `origin_refused`, `form_expired` for another token, `unsupported_media_type`, `body_too_large`
 */
export async function readOwnForm(
  asked: CookieRequest,
  { secret, purpose }: { readonly secret: string | null; readonly purpose: string },
): Promise<URLSearchParams> {
  checkOwnPage(asked);
  const fields = await readForm(asked.request, MAX_FORM_BYTES);
  checkFormToken(fields.get('token'), { secret, purpose });
  return fields;
}

/** Refuses another token than {@link formToken} makes. @throws GazetteError `form_expired` */
export function checkFormToken(
  given: string | null,
  { secret, purpose }: { readonly secret: string | null; readonly purpose: string },
): void {
  const token = Buffer.from(given ?? '');
  const expected = Buffer.from(secret === null ? '' : formToken(secret, purpose));
  if (secret === null || token.length !== expected.length || !timingSafeEqual(token, expected)) {
    throw new GazetteError('form_expired', 'the form does not belong to this session: load its page again');
  }
}
