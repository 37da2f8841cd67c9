// The HTTP comparisons: which servers answer which requests, and what is to be reached.
import type { Goal } from '../harness.ts';

/** The formats that the service exports. */
const FORMATS = ['csv', 'xlsx', 'xml', 'rss', 'atom'] as const;

/** Who answers: the service, a bare Hono app that knows the answer, or the routes of plain-exports.ts. */
export type Server = 'gazette' | 'bare Hono' | 'plain route';

/** One comparison of servers. */
export interface HttpTable {
  readonly id: string;
  readonly title: string;
  readonly format: (typeof FORMATS)[number];
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

/** All comparisons. */
export const HTTP_TABLES: readonly HttpTable[] = [
  repeated('not-modified', 'HTTP, 304'),
  repeated('cached', 'HTTP, the same CSV page again'),
  ...FORMATS.map((format) => page(format, false)),
  ...FORMATS.map((format) => page(format, true)),
];
