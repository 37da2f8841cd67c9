// Checks the URLs of sources that a consumer can cite and follow.

/**
 * Whether `text` is an absolute http(s) URL written in URI characters (RFC 3986), as links in feeds and spreadsheets
 * need it. Anything else that a browser might repair or execute (`javascript:`, `//host`, spaces, controls) is refused.
 */
export function isHttpUrl(text: string): boolean {
  return BEGINNING.test(text) && !UNSAFE.test(text) && text.isWellFormed() && isUrl(text);
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
