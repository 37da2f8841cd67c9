// The files at the root of a snapshot: the list of registers for feed readers and for people, and headers for static
// hosts. Hosts that support `_headers` (Netlify, Cloudflare Pages) limit the number of its rules, so there are only a
// few general ones.
import type { Format } from '../../formats/format.ts';
import type { Tier } from '../../register/tier.ts';
import type { ListedRegister } from '../../templates/home-page.ts';
import { type ListedFeed, opml } from '../../templates/opml.ts';
import { sitemap } from '../../templates/sitemap.ts';
import { ICON, STYLE } from '../../templates/style.ts';
import type { RegisterManifestHead } from '../folder/manifest.ts';
import { registersHtml } from './html.ts';
import {
  HEAD_NAME,
  ICON_FILE,
  LOG_FOLDER,
  LOG_OF_LOGS_FOLDER,
  OPML_FILE,
  SITEMAP_FILE,
  STYLE_FILE,
} from '../../archive/layout.ts';

/** As the service sends it. */
export const XML_SCHEMA = { extension: 'xsd', mediaType: 'application/xml; charset=utf-8' };

/** The files at the root, by name. */
export function siteFiles(
  baseUrl: string,
  registers: readonly RegisterManifestHead[],
  tier: Tier,
  formats: readonly Pick<Format, 'extension' | 'mediaType'>[],
): Readonly<Record<string, string>> {
  return {
    [OPML_FILE]: opml(
      'Registers',
      registers.map((register) => feedOf(baseUrl, register)),
    ),
    // What is not for everybody is not for search engines.
    ...(tier === 'pro' ? {} : { [SITEMAP_FILE]: sitemap('urlset', pagesOf(baseUrl, registers)) }),
    ...registersHtml(baseUrl, registers.map(listed)),
    [STYLE_FILE]: STYLE,
    [ICON_FILE]: ICON,
    _headers: headers(tier, formats),
  };
}

/** The pages that search engines may show: the list of registers, and each register's newest page. */
function pagesOf(baseUrl: string, registers: readonly RegisterManifestHead[]): readonly string[] {
  return [`${baseUrl}/${HEAD_NAME}.html`, ...registers.map(({ feed_id: id }) => `${baseUrl}/${id}/${HEAD_NAME}.html`)];
}

function listed(manifest: RegisterManifestHead): ListedRegister {
  const { feed_id: id, title, description, language, total, last_change: lastChange } = manifest;
  return { definition: { id, title, description, language }, total, lastChange };
}

function feedOf(baseUrl: string, { feed_id: id, title }: RegisterManifestHead): ListedFeed {
  const address = `${baseUrl}/${id}/${HEAD_NAME}`;
  return { title, feed: `${address}.atom`, page: `${address}.html` };
}

/** Of what the pages load, only the style sheet and the icon, and no script. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The media types of a log's files, whose names have no extensions (C2SP tlog-tiles). */
export const LOG_TYPES = { checkpoint: 'text/plain; charset=utf-8', tile: 'application/octet-stream' } as const;

/** How long caches keep a file: a closed page changes only when a record in it is corrected, but clients must still revalidate it. */
export function cacheControl(tier: Tier): string {
  return `${tier === 'pro' ? 'private' : 'public'}, max-age=60`;
}

function headers(tier: Tier, formats: readonly Pick<Format, 'extension' | 'mediaType'>[]): string {
  const types = [...formats, XML_SCHEMA].map(
    ({ extension, mediaType }) => `/*.${extension}\n  Content-Type: ${mediaType}\n`,
  );
  const robots = tier === 'pro' ? '  X-Robots-Tag: noindex\n' : '';
  // A checkpoint grows, and tiles never change.
  const logs = [`/:register/${LOG_FOLDER}`, `/${LOG_OF_LOGS_FOLDER}`].map(
    (place) =>
      `${place}/:log/checkpoint\n  Content-Type: ${LOG_TYPES.checkpoint}\n` +
      `${place}/:log/tile/*\n  Content-Type: ${LOG_TYPES.tile}\n`,
  );
  const all = `/*\n  X-Content-Type-Options: nosniff\n  Content-Security-Policy: ${POLICY}\n  Cache-Control: ${cacheControl(tier)}\n${robots}`;
  return all + types.join('') + logs.join('');
}
