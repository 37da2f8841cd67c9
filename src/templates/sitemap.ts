// What search engines read to find pages: Sitemaps 0.9 (sitemaps.org).
import { escapeText } from '../formats/xml/text.ts';

const ELEMENTS = { sitemapindex: 'sitemap', urlset: 'url' } as const;

/**
 * A sitemap, or a list of sitemaps.
 *
 * @param root `urlset` for pages, `sitemapindex` for sitemaps
 * @param addresses absolute, at most 50,000
 */
export function sitemap(root: keyof typeof ELEMENTS, addresses: readonly string[]): string {
  const element = ELEMENTS[root];
  const entries = addresses.map((address) => `<${element}><loc>${escapeText(address)}</loc></${element}>\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('')}</${root}>\n`;
}
