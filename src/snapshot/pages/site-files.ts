// The files at the root of a snapshot: the list of registers for feed readers, portals and people, and headers for static
// hosts. Hosts that support `_headers` (Netlify, Cloudflare Pages) limit the number of its rules, so there are only a
// few general ones.
import type { Format } from '../../formats/format.ts';
import { ndjson } from '../../formats/ndjson.ts';
import { definitionInTier } from '../../archive/content.ts';
import type { Tier } from '../../register/tier.ts';
import {
  catalog,
  CATALOG_TYPE,
  CATALOGUED_REGISTERS,
  type CataloguedRegister,
} from '../../templates/catalogues/catalog.ts';
import { type ListedFeed, opml } from '../../templates/opml.ts';
import { sitemap } from '../../templates/sitemap.ts';
import { FOLDER_SEARCH_SCRIPT } from '../../templates/folder/script.ts';
import { ICON, STYLE } from '../../templates/style.ts';
import type { RegisterManifestHead } from '../folder/manifest.ts';
import { snapshotFrame } from './frame.ts';
import type { Frame } from '../../templates/layout.ts';
import type { SnapshotWing } from '../wing.ts';
import { listFrame, listsOf, registersHtml } from './html.ts';
import { POLICY, SEARCH_POLICY, VERIFY_POLICY, VERIFY_POLICY_IN_PAGES } from './policies.ts';
import type { SearchedRegister } from './search.ts';
import {
  CATALOG_FILE,
  HEAD_NAME,
  ICON_FILE,
  LOG_FOLDER,
  LOG_OF_LOGS_FOLDER,
  MANIFEST_FILE,
  OPML_FILE,
  PAGES_FOLDER,
  SEARCH_SCRIPT_FILE,
  SITEMAP_FILE,
  STYLE_FILE,
  VERIFY_FILE,
  VERIFY_SCRIPT_FILE,
  VIEW_TYPES,
} from '../../archive/layout.ts';

/** As the service sends it. */
export const XML_SCHEMA = { extension: 'xsd', mediaType: 'application/xml; charset=utf-8' };

/** The files at the root, by name. @param formats of pages @param others the types of files that are no pages */
export function siteFiles(
  baseUrl: string,
  registers: readonly RegisterManifestHead[],
  tier: Tier,
  formats: readonly Format[],
  others: readonly Pick<Format, 'extension' | 'mediaType'>[],
  wing?: Pick<SnapshotWing, 'verifyPage'>,
): Readonly<Record<string, string>> {
  const shown = registers.map(listed);
  const isSigned = wing !== undefined && hasSigned(registers);
  return {
    [OPML_FILE]: opml(
      'Registers',
      registers.map((register) => feedOf(baseUrl, register)),
    ),
    // What is not for everybody is not for search engines.
    ...(tier === 'pro' ? {} : { [SITEMAP_FILE]: sitemap('urlset', pagesOf(baseUrl, registers)) }),
    ...catalogs(baseUrl, registers, formats),
    ...registersHtml(baseUrl, shown, isSigned),
    ...(isSigned ? verifyFiles(wing, listFrame(baseUrl, shown)) : {}),
    [STYLE_FILE]: STYLE,
    [ICON_FILE]: ICON,
    ...(hasSearch(registers) ? { [SEARCH_SCRIPT_FILE]: FOLDER_SEARCH_SCRIPT } : {}),
    _headers: headers(tier, [...formats, ...others], registers),
  };
}

function verifyFiles(wing: Pick<SnapshotWing, 'verifyPage'>, frame: Frame): Readonly<Record<string, string>> {
  const { page, script } = wing.verifyPage(frame, { src: VERIFY_SCRIPT_FILE, policy: VERIFY_POLICY_IN_PAGES });
  return { [VERIFY_FILE]: page, [VERIFY_SCRIPT_FILE]: script };
}

/** The pages that search engines may show: the list of registers, and each register's newest page. */
function pagesOf(baseUrl: string, registers: readonly RegisterManifestHead[]): readonly string[] {
  return [`${baseUrl}/${HEAD_NAME}.html`, ...registers.map(({ feed_id: id }) => `${baseUrl}/${id}/${HEAD_NAME}.html`)];
}

/** The registers for portals, in parts, by the names of their files. */
function catalogs(
  baseUrl: string,
  registers: readonly RegisterManifestHead[],
  formats: readonly Format[],
): Readonly<Record<string, string>> {
  const { service } = snapshotFrame({ baseUrl, language: null, root: '', name: HEAD_NAME });
  const count = Math.max(1, Math.ceil(registers.length / CATALOGUED_REGISTERS));
  const nameOf = (number: number): string => (number === 1 ? CATALOG_FILE : CATALOG_FILE.replace('.', `-${number}.`));
  const numbers = Array.from({ length: count }, (_, at) => at + 1);
  return Object.fromEntries(
    numbers.map((number) => {
      const next = number === count ? null : `${baseUrl}/${nameOf(number + 1)}`;
      const parts = count === 1 ? null : { self: `${baseUrl}/${nameOf(number)}`, next };
      const some = registers.slice((number - 1) * CATALOGUED_REGISTERS, number * CATALOGUED_REGISTERS);
      const page = `${baseUrl}/${HEAD_NAME}.html`;
      return [
        nameOf(number),
        catalog(
          { page, service, parts },
          some.map((one) => catalogued(baseUrl, one, formats)),
        ),
      ];
    }),
  );
}

/** A register with the files of its newest page and, where that is not all, the manifest, which names the other pages. */
function catalogued(baseUrl: string, manifest: RegisterManifestHead, formats: readonly Format[]): CataloguedRegister {
  const { feed_id: id, tier, last_change: lastChange, walk } = manifest;
  const isWhole = walk.length === 1;
  const json = { name: 'json', extension: 'json', mediaType: VIEW_TYPES.json };
  const files = [...formats, json].map(({ name, extension, mediaType }) => {
    return { name, mediaType, url: `${baseUrl}/${id}/${HEAD_NAME}.${extension}`, isWhole };
  });
  return {
    definition: definitionInTier({ definition: manifest, tier }),
    lastChange,
    page: `${baseUrl}/${id}/${HEAD_NAME}.html`,
    files: isWhole ? files : [...files, { ...json, url: `${baseUrl}/${id}/${MANIFEST_FILE}`, isWhole }],
  };
}

function listed(manifest: RegisterManifestHead): SearchedRegister {
  const { feed_id: id, title, description, language, total, last_change: lastChange, search } = manifest;
  return {
    definition: { id, title, description, language },
    total,
    lastChange,
    ...(search === undefined ? {} : { search }),
  };
}

function feedOf(baseUrl: string, { feed_id: id, title }: RegisterManifestHead): ListedFeed {
  const address = `${baseUrl}/${id}/${HEAD_NAME}`;
  return { title, feed: `${address}.atom`, page: `${address}.html` };
}

/** The media types of a log's files, whose names have no extensions (C2SP tlog-tiles). */
export const LOG_TYPES = { checkpoint: 'text/plain; charset=utf-8', tile: 'application/octet-stream' } as const;

/** How long caches keep a file: a closed page changes only when a record in it is corrected, but clients must still revalidate it. */
export function cacheControl(tier: Tier): string {
  return `${tier === 'pro' ? 'private' : 'public'}, max-age=60`;
}

function headers(
  tier: Tier,
  formats: readonly Pick<Format, 'extension' | 'mediaType'>[],
  registers: readonly RegisterManifestHead[],
): string {
  const isSearched = hasSearch(registers);
  const isProved = hasSigned(registers);
  const policy = (value: string): string => `  Content-Security-Policy: ${value}\n`;
  // Besides the policy of all pages: a browser obeys every policy that it gets, and hosts send those of all rules that fit. So what
  // no rule names, or a host leaves out because there are too many, still has one.
  const also = isSearched || isProved ? policy(POLICY) : '';
  const proofs = isProved && !formats.some(({ extension }) => extension === ndjson.extension) ? [ndjson] : [];
  const types = [...formats, XML_SCHEMA, CATALOG_TYPE, ...proofs].map(
    ({ extension, mediaType }) => `/*.${extension}\n  Content-Type: ${mediaType}\n${also}`,
  );
  const robots = tier === 'pro' ? '  X-Robots-Tag: noindex\n' : '';
  // A checkpoint grows, and tiles never change.
  const logs = [`/:register/${LOG_FOLDER}`, `/${LOG_OF_LOGS_FOLDER}`].map(
    (place) =>
      `${place}/:log/checkpoint\n  Content-Type: ${LOG_TYPES.checkpoint}\n` +
      `${place}/:log/tile/*\n  Content-Type: ${LOG_TYPES.tile}\n`,
  );
  const all =
    `/*\n  X-Content-Type-Options: nosniff\n${policy(isSearched ? SEARCH_POLICY : isProved ? VERIFY_POLICY : POLICY)}` +
    `  Cache-Control: ${cacheControl(tier)}\n${robots}`;
  const stricter = isSearched || isProved ? plainPaths(registers).map((path) => `${path}\n${also}`) : [];
  // Where all pages may do what a search does, this one need not.
  const verify = isSearched && isProved ? [`/${VERIFY_FILE}`, `/${baseOf(VERIFY_FILE)}`] : [];
  return [all, ...types, ...logs, ...verify.map((path) => `${path}\n${policy(VERIFY_POLICY)}`), ...stricter].join('');
}

/** The pages that run no script, where others do: first those of which there are the most. */
function plainPaths(registers: readonly RegisterManifestHead[]): readonly string[] {
  const lists = listsOf(registers).filter(({ shown }) => !hasSearch(shown));
  return [
    `/:register/${PAGES_FOLDER}/*`,
    ...lists.flatMap(({ name }) => [`/${name === HEAD_NAME ? '' : name}`, `/${name}.html`]),
    ...(hasSearch(registers)
      ? registers.filter((register) => !hasSearch([register])).map(({ feed_id: id }) => `/${id}/*`)
      : ['/:register/*']),
  ];
}

function baseOf(file: string): string {
  return file.replace(/\.html$/, '');
}

/** Whether one can search in some of these. */
function hasSearch(registers: readonly RegisterManifestHead[]): boolean {
  return registers.some(({ search = [] }) => search.length > 0);
}

/** Whether something is signed of some of these. */
function hasSigned(registers: readonly RegisterManifestHead[]): boolean {
  return registers.some(({ checkpoint }) => checkpoint !== undefined);
}
