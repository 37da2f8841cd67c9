// Which media type a request prefers (RFC 9110 12.5.1), as far as it matters here: a page for people, or data.

/**
 * Whether a request names HTML, and nothing for programs that it wants more. Browsers do; programs that say nothing, or that they
 * accept anything, do not.
 *
 * @example prefersHtml('text/html,application/xhtml+xml,application/xml;q=0.9,*\/*;q=0.8') // true
 */
export function prefersHtml(accept: string | null): boolean {
  if (accept === null) return false;
  let [html, json] = [0, 0];
  for (const item of accept.toLowerCase().split(',')) {
    const [type, ...parameters] = item.split(';').map((part) => part.trim());
    const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
    if (type === 'text/html' || type === 'application/xhtml+xml') html = Math.max(html, quality);
    if (/^application\/(?:[^;]*\+)?json$/.test(type!)) json = Math.max(json, quality);
  }
  return html > json;
}
