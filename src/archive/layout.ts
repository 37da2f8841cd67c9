// Which records are in which file of a snapshot or page of a service, and the names of files. A register is divided into pages of 100
// positions. A page whose positions are all taken is closed: its membership never changes again (RFC 5005 4).
import { PAGE_SIZE } from '../register/page.ts';

/** A file's name within a register's folder, without extension: `index` or `pages/000012`. */
export type PageName = string;

/** A page of a snapshot, with the positions it covers, both ends included. */
export interface PagePlace {
  readonly name: PageName;
  readonly from: number;
  readonly to: number;
  /** The closed page with the next lower positions; null if there is none. */
  readonly previous: PageName | null;
  readonly isClosed: boolean;
}

/** The newest page, which grows. */
export const HEAD_NAME: PageName = 'index';

/** The folder of closed pages. */
export const PAGES_FOLDER = 'pages';

/** The name of the manifest, in a register's folder and at the root. */
export const MANIFEST_FILE = 'manifest.json';

/** The folder of the signed log, with a folder named by the log's UUID. Its files come last in a manifest. */
export const LOG_FOLDER = 'log';

/** What the file beside a page ends with that proves what the records on it say. */
export const PROOF_ENDING = 'proof.ndjson';

/** The folder of the search, with a folder for each index. Its files come before those of the log. */
export const SEARCH_FOLDER = 'search';

/** The folder of the log of logs at the root, with a folder named by its UUID: the path that it has over HTTP. */
export const LOG_OF_LOGS_FOLDER = 'api/v1/log';

/** Where the log of logs and its keys are said, at the root (RFC 8615). */
export const WELL_KNOWN_LOG_FILE = '.well-known/gazette-log.json';

/** The list of corrected and withdrawn records. */
export const CHANGES_FILE = 'changes.atom';

/** The XML schema of the register's XML files. */
export const SCHEMA_FILE = 'register.xsd';

/** What tells programs how the register's CSV is to be read. */
export const DATA_PACKAGE_FILE = 'datapackage.json';

/** The file that has the whole register, of this extension. */
export function wholeFile(ending: Ending): string {
  return `register.${ending}`;
}

/** What the names of the files begin with that have the versions of a month. */
export const MONTH_STEM = 'changes-';

/** The file of all versions that were recorded in a month, such as `2026-11`, in UTC. */
export function monthFile(month: string): string {
  return `${MONTH_STEM}${month}.ndjson.gz`;
}

/** The pages, for search engines, at the root. */
export const SITEMAP_FILE = 'sitemap.xml';

/** All registers, for portals, at the root. */
export const CATALOG_FILE = 'catalog.jsonld';

/** All registers, for feed readers, at the root. */
export const OPML_FILE = 'opml.xml';

/** The script of pages with a search, at the root. */
export const SEARCH_SCRIPT_FILE = 'search.js';

/** The page that checks what is signed. */
export const VERIFY_FILE = 'verify.html';

/** The script of that page. */
export const VERIFY_SCRIPT_FILE = 'verify.js';

/** The style sheet and the icon of all pages, at the root. */
export const STYLE_FILE = 'style.css';
export const ICON_FILE = 'icon.svg';

/** The extension of one of a page's files: `json`, `html`, or that of a format. */
export type Ending = string;

/** The media types of the page's files that are not formats, by their extensions, in the order of writing. */
export const VIEW_TYPES = { json: 'application/json', html: 'text/html; charset=utf-8' } as const;

/** Their extensions. */
export const VIEW_ENDINGS: readonly Ending[] = Object.keys(VIEW_TYPES);

/** How many pages of a register with this highest position are closed. */
export function closedPages(top: number): number {
  return Math.floor(top / PAGE_SIZE);
}

/** The number of the page, from 1, that a position belongs to. */
export function pageNumberOf(position: number): number {
  return Math.ceil(position / PAGE_SIZE);
}

/** The closed page of this number, from 1. */
export function closedPage(number: number): PagePlace {
  const to = number * PAGE_SIZE;
  return {
    name: pageName(number),
    from: to - PAGE_SIZE + 1,
    to,
    previous: number > 1 ? pageName(number - 1) : null,
    isClosed: true,
  };
}

/**
 * The newest page: the positions of the last closed page and all above it. Without those of the last closed page it
 * would be nearly empty after each closing, and readers that look only here would miss records. Its predecessor is the
 * page before that one, so that a walk reads every record once.
 */
export function headPage(top: number): PagePlace {
  const before = Math.max(closedPages(top) - 1, 0);
  return {
    name: HEAD_NAME,
    from: before * PAGE_SIZE + 1,
    to: top,
    previous: before > 0 ? pageName(before) : null,
    isClosed: false,
  };
}

/** Six digits sort as text up to a hundred million records; above that, names only grow longer. */
function pageName(number: number): PageName {
  return `${PAGES_FOLDER}/${String(number).padStart(6, '0')}`;
}
