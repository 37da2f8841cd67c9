// What the simulation of many machines is about: requests, what each costs a node and PostgreSQL, and what comes of it.

/**
 * Kinds of requests. `repeat`: the client has the page, and it is as it was. `rendered`: the node has the page, the client has
 * an older one. The others are read from PostgreSQL: a page as CSV and a list as JSON anywhere in a register, a record, records
 * with a word, a page of the list of registers.
 */
export const KINDS = ['repeat', 'rendered', 'page', 'list', 'record', 'search', 'feeds'] as const;

/** A kind of request. */
export type Kind = (typeof KINDS)[number];

/** What one request takes of processor time, in milliseconds, and of transactions. */
export interface Cost {
  readonly nodeMs: number;
  readonly postgresMs: number;
  readonly transactions: number;
}

/** What was measured on one node with one PostgreSQL. */
export interface Inputs {
  readonly costs: Readonly<Record<Kind, Cost>>;
  /** What a request takes besides when its node has to read the register again, because that has changed. */
  readonly look: Cost;
  /** What one commit of {@link Load.recordsACommit} records takes of PostgreSQL. */
  readonly commit: Cost;
  /** What a node that nobody asks takes, of itself and of PostgreSQL: cores, and transactions a second. */
  readonly idle: Standing & { readonly nodeCores: number };
  /** What one that is asked takes of PostgreSQL besides, however often it is asked. */
  readonly questions: Standing;
}

/** What is taken all the time: cores, and transactions a second. */
export interface Standing {
  readonly postgresCores: number;
  readonly transactions: number;
}

/** What is asked of the whole service. */
export interface Load {
  readonly requestsASecond: number;
  readonly registers: number;
  /** Each of them asks for the first page of every register, again and again. */
  readonly clients: number;
  /** Parts of the requests; `repeat` are those of the clients, some of which get a newer page. They add up to 1. */
  readonly shares: Readonly<Record<Exclude<Kind, 'rendered'>, number>>;
  readonly commitsASecond: number;
  readonly recordsACommit: number;
}

/** What answers. */
export interface Machines {
  /** Processes of one core each. */
  readonly nodes: number;
  readonly postgresCores: number;
  /** The time to PostgreSQL, one way, in milliseconds. */
  readonly networkMs: number;
}

/** What comes of it. */
export interface Outcome {
  /** Busy cores, of all nodes and of PostgreSQL. */
  readonly nodeCores: number;
  readonly postgresCores: number;
  readonly transactionsASecond: number;
  /** Parts of the requests: answered with 304, and those for which PostgreSQL was asked. */
  readonly notModified: number;
  readonly asking: number;
  /** From the request's arrival to the end of its answer, in milliseconds. */
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** The requests of both: nineteen of twenty repeat. */
export const SHARES: Load['shares'] = {
  repeat: 0.95,
  page: 0.01,
  list: 0.015,
  record: 0.015,
  search: 0.005,
  feeds: 0.005,
};

/** What is planned for. */
export const TARGET: Load & { readonly records: number } = {
  records: 500_000_000,
  requestsASecond: 50_000,
  registers: 10_000,
  clients: 20,
  shares: SHARES,
  commitsASecond: 10,
  recordsACommit: 20,
};

/** The part of the target on which the simulation is checked. */
export const CHECKED_PART: number = 1 / 50;

/** A part of the target: fewer requests, registers, commits and records, by the same clients. */
export function partOf(part: number): typeof TARGET {
  const of = (number: number): number => Math.round(number * part);
  return {
    ...TARGET,
    records: of(TARGET.records),
    requestsASecond: of(TARGET.requestsASecond),
    registers: of(TARGET.registers),
    commitsASecond: TARGET.commitsASecond * part,
  };
}
