// Checks the URLs of sources that a consumer can cite and follow, and writes them as URIs.

/**
 * Whether `text` is an absolute http(s) URL written in URI characters (RFC 3986), as links in feeds and spreadsheets
 * need it. Anything else that a browser might repair or execute (`javascript:`, `//host`, spaces, controls) is refused.
 */
export function isHttpUrl(text: string): boolean {
  return BEGINNING.test(text) && !UNSAFE.test(text) && text.isWellFormed() && isUrl(text);
}

/**
 * An address in a publisher's file as {@link isHttpUrl} takes it: without spaces around it, and in the form of {@link toUri}
 * where it has characters that a URI does not have. Any other text stays as it is, also one with two addresses.
 *
 * @example repairUrl(' https://example.org/q?id=1|2') // 'https://example.org/q?id=1%7C2'
 */
export function repairUrl(text: string): string {
  if (!UNSAFE.test(text)) return text;
  const bare = text.trim();
  if (!BEGINNING.test(bare) || CONTROL.test(bare) || SECOND.test(bare)) return text;
  const written = UNSAFE.test(bare) && bare.isWellFormed() ? toUri(bare) : bare;
  return isHttpUrl(written) ? written : text;
}

function isUrl(text: string): boolean {
  // Node 22's optimised `URL.canParse` misreads Latin-1 text beyond ASCII; `URL.parse` does not, and costs three times as much.
  return NON_ASCII.test(text) ? URL.parse(text) !== null : URL.canParse(text);
}

/** The scheme, and a host that is not empty. Schemas cannot say that a pattern ignores case. */
const BEGINNING = /^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s/?#\\]/;

const NON_ASCII = /[^\u0000-\u007f]/;

// RFC 3986 appendix A excludes these from every component. Non-ASCII letters (RFC 3987) are allowed, but not the
// characters that change direction, which RFC 3987 4.1 forbids: they display a different address than the one that is
// followed.
const UNSAFE = /[\u0000-\u0020"<>\\^`{|}\u007f-\u00a0\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/;

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Another address after a space. */
const SECOND = /\shttps?:\/\//i;

/** What stands in a path, a query or a fragment as it is (RFC 3986 3.3 to 3.5). */
const PLAIN = "[\\w.~!$&'()*+,;=:@/?-]*";

const PART = `${PLAIN}(?:%[\\dA-Fa-f]{2}${PLAIN})*`;

/** A name of the DNS. Ports of five digits may be none. */
const HOST = '[a-z\\d][\\w-]{0,62}(?:\\.[a-z\\d][\\w-]{0,62})*(?::\\d{1,4})?';

const URI = new RegExp(`^https?://${HOST}(?:[/?]${PART})?(?:#${PART})?$`, 'i');

/** Whether an http(s) URL is a URI (RFC 3986) whose host is an ordinary name, as nearly all are. */
export function isPlainUri(url: string): boolean {
  return URI.test(url);
}

/**
 * An http(s) URL as a URI (RFC 3987 3.1): hosts by IDNA, other characters percent-encoded. What is no URL stays as it is.
 *
 * @example toUri('https://blåbær.example/é') // 'https://xn--blbr-roah.example/%C3%A9'
 */
export function toUri(url: string): string {
  if (isPlainUri(url)) return url;
  const href = URL.parse(url)?.href;
  if (href === undefined) return url;
  // The URL standard leaves characters as they are that RFC 3986 does not allow there, such as brackets beyond the host.
  const [, authority = '', rest = '', , fragment] = /^([a-z]+:\/\/[^/?#]*)([^#]*)(#(.*))?$/s.exec(href) ?? [];
  const written =
    authority.replace(NOT_IN_AUTHORITY, encodeURIComponent) + rest.replace(NOT_IN_PART, encodeURIComponent);
  return fragment === undefined ? written : `${written}#${fragment.replace(NOT_IN_PART, encodeURIComponent)}`;
}

const NOT_IN_AUTHORITY = /["`{|}]/g;

const NOT_IN_PART = /[^\w.~!$&'()*+,;=:@/?%-]|%(?![\dA-Fa-f]{2})/g;

/** The patterns of a URL, for schemas: what matches both is one unless its host or port is malformed. */
export const URL_PATTERNS: { readonly beginning: RegExp; readonly characters: RegExp } = {
  beginning: BEGINNING,
  characters: new RegExp(`^[^${UNSAFE.source.slice(1)}*$`),
};

/** Where a source is said to be that nobody has named yet: a name that leads nowhere and never will (RFC 2606 2). */
export const UNKNOWN_SOURCE = 'https://source-unknown.invalid/';

/** Whether an address is one that {@link UNKNOWN_SOURCE} begins. */
export function isUnknownSource(url: string): boolean {
  return url.startsWith(UNKNOWN_SOURCE);
}
