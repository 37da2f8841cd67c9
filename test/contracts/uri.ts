// What a URI is, by the grammar of RFC 3986 (appendix A), word for word and so by another way than the writers.

const PCT = '%[0-9A-Fa-f]{2}';
const UNRESERVED = '[A-Za-z0-9\\-._~]';
const SUB_DELIMS = "[!$&'()*+,;=]";
const PCHAR = `(?:${UNRESERVED}|${PCT}|${SUB_DELIMS}|[:@])`;
const USERINFO = `(?:${UNRESERVED}|${PCT}|${SUB_DELIMS}|:)*`;
const REG_NAME = `(?:${UNRESERVED}|${PCT}|${SUB_DELIMS})*`;
const IP_LITERAL = '\\[[0-9A-Fa-f:.]+\\]';
const AUTHORITY = `(?:${USERINFO}@)?(?:${IP_LITERAL}|${REG_NAME})(?::[0-9]*)?`;
const REST = `(?:${PCHAR}|[/?])*`;
const URI = new RegExp(`^[A-Za-z][A-Za-z0-9+.\\-]*://${AUTHORITY}(?:/${PCHAR}*)*(?:\\?${REST})?(?:#${REST})?$`);

/** Whether a text is a URI with an authority (RFC 3986 3). */
export function isUri(text: string): boolean {
  return URI.test(text);
}

/** Whether .NET takes the host of a URI, as its `DomainNameHelper` reads names: else it opens no workbook that links to it. */
export function hasReadableHost(url: string): boolean {
  const { hostname } = new URL(url);
  if (hostname.startsWith('[')) return true;
  const labels = hostname.replace(/\.$/, '').split('.');
  return labels.every((label) => label.length <= 63 && /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(label));
}

/** Where a URL leads, whether or not it has signs percent-encoded that the URL standard leaves as they are. */
export function placeOf(url: string): string {
  return new URL(url).href.replace(/%(?:25|5B|5D|23|7C|5E|60|7B|7D|22)/gi, decodeURIComponent);
}
