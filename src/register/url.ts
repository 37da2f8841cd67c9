// What counts as a source a consumer can cite and follow.

/**
 * Whether `text` is an absolute http(s) URL written in URI characters (RFC 3986), as links in feeds and spreadsheets
 * need it. Anything else a browser might mend or run (`javascript:`, `//host`, spaces, controls) is not.
 */
export function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^\s/?#\\]/i.test(text) && !UNSAFE.test(text) && text.isWellFormed() && isUrl(text);
}

function isUrl(text: string): boolean {
  // Node 22's optimised `URL.canParse` misreads Latin-1 text beyond ASCII; `URL.parse` does not, and costs three times as much.
  return NON_ASCII.test(text) ? URL.parse(text) !== null : URL.canParse(text);
}

const NON_ASCII = /[^\u0000-\u007f]/;

// RFC 3986 appendix A leaves these out of every component. Non-ASCII letters (RFC 3987) are let through, but not the
// characters that change direction, which RFC 3987 4.1 forbids: they show another address than is followed.
const UNSAFE = /[\u0000-\u0020"<>\\^`{|}\u007f-\u00a0\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/;
