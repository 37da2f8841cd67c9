// The HTTP comparisons: which servers answer which requests, and what is to be reached.
import type { PageKind } from './pages.ts';
import type { Goal } from '../harness.ts';

/** The formats that the service exports. */
const FORMATS = ['csv', 'xlsx', 'xml', 'rss', 'atom'] as const;

/**
 * Who answers: the service, the service with spans of every request, a bare Hono app that knows the answer, the routes of
 * plain-exports.ts, or the service with JSON.
 */
export type Server = 'gazette' | 'gazette, traced' | 'bare Hono' | 'plain route' | 'its JSON';

/** One comparison of servers. */
export interface HttpTable {
  readonly id: string;
  readonly title: string;
  readonly format: (typeof FORMATS)[number];
  /** The pages for people that are asked for instead of exports, as in pages.ts. */
  readonly page?: PageKind;
  /**
   * `not-modified`: the client has the page already. `cached`: the same page again. `page`: pages that nobody asked for
   * before, from `start` on.
   */
  readonly kind: 'not-modified' | 'cached' | 'page';
  /** Where the pages begin, as a part of the register. */
  readonly start: number;
  readonly rival: Exclude<Server, 'gazette'>;
  readonly goals: readonly Goal[];
}

function page(format: (typeof FORMATS)[number], isDeep: boolean): HttpTable {
  const rival = 'plain route';
  const atLeast = isDeep ? 10 : format === 'csv' ? 1.3 : 3;
  return {
    id: `http-${format}${isDeep ? '-deep' : ''}`,
    title: `HTTP, a ${format.toUpperCase()} page nobody asked for before, ${isDeep ? 'half way down' : 'at the top'}`,
    format,
    kind: 'page',
    start: isDeep ? 0.5 : 0,
    rival,
    goals: [{ label: `>= ${atLeast} × a plain route`, atLeast, against: [rival] }],
  };
}

function repeated(kind: 'not-modified' | 'cached', title: string): HttpTable {
  const goals = [{ label: '>= 0.7 × bare Hono', atLeast: 0.7, against: ['bare Hono'] }];
  return { id: `http-${kind}`, title, format: 'csv', kind, start: 0, rival: 'bare Hono', goals };
}

/** What spans of every request cost. */
function traced(kind: 'not-modified' | 'page', title: string): HttpTable {
  const id = `http-traced-${kind}`;
  return { id, title: `HTTP, ${title}`, format: 'csv', kind, start: 0, rival: 'gazette, traced', goals: [] };
}

/** A page for people in at most one and a half times the time of its JSON. */
const MAX_PAGE = 1.5;

/** @param answers how many answers in JSON say what one page says */
function forPeople(page: PageKind, title: string, answers: number): HttpTable {
  const atLeast = 1 / (MAX_PAGE * answers);
  const label = `one page in <= ${MAX_PAGE} × the time of ${answers === 1 ? 'its JSON' : `${answers} answers in JSON`}`;
  const goals = [{ label, atLeast, against: ['its JSON'] }];
  return { id: `http-page-${page}`, title, format: 'csv', page, kind: 'page', start: 0, rival: 'its JSON', goals };
}

/** All comparisons. Those of pages come last: they open the register. */
export const HTTP_TABLES: readonly HttpTable[] = [
  repeated('not-modified', 'HTTP, 304'),
  repeated('cached', 'HTTP, the same CSV page again'),
  ...FORMATS.map((format) => page(format, false)),
  ...FORMATS.map((format) => page(format, true)),
  traced('not-modified', '304, with and without spans'),
  traced('page', 'a CSV page nobody asked for before, with and without spans'),
  forPeople('first', 'HTTP, the first page of a register for people, with its chart', 1),
  forPeople('register', 'HTTP, a page of 20 records for people that nobody asked for before', 1),
  forPeople('record', 'HTTP, a page of a record with its versions; as JSON the record, then its versions', 2),
];
