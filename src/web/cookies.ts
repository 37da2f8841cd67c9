// Cookies (RFC 6265, and its successor draft-ietf-httpbis-rfc6265bis for SameSite and the prefix `__Host-`).

/**
 * The value of a cookie; null if it is absent, or given more than once: then one of them may have been set by another
 * service, on a subdomain for instance, and nobody knows which.
 */
export function cookieIn(header: string | null, name: string): string | null {
  if (header === null) return null;
  const values = header.split(';').flatMap((pair) => {
    const [given, value] = splitPair(pair);
    return given === name ? [value] : [];
  });
  return values.length === 1 ? values[0]! : null;
}

/** What a cookie is set with. */
export interface CookieOptions {
  /** Whether the service is published over HTTPS: then the cookie has the prefix `__Host-`, which ties it to the host. */
  readonly isSecure: boolean;
  /** Seconds; 0 deletes the cookie. */
  readonly maxAgeSeconds: number;
  /** Whether it comes with requests that another site's link began (`Lax`) or not (`Strict`). */
  readonly sameSite: 'Lax' | 'Strict';
}

/** The name under which a cookie is set and found. */
export function cookieName(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}

/**
 * A field `Set-Cookie` for a cookie that no script can read.
 *
 * @param value letters, digits and `-_` only
 * @example setCookie('gazette', 'x', { isSecure: true, maxAgeSeconds: 60, sameSite: 'Lax' })
 * // '__Host-gazette=x; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure'
 */
export function setCookie(name: string, value: string, { isSecure, maxAgeSeconds, sameSite }: CookieOptions): string {
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`;
  return `${cookieName(name, isSecure)}=${value}; ${attributes}`;
}

function splitPair(pair: string): readonly [name: string, value: string] {
  const at = pair.indexOf('=');
  return at === -1 ? ['', pair.trim()] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
}
