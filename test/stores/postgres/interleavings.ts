// Two operations of a store, each on a connection of its own, run in every order in which their statements can come. A
// statement waits until it is let go; one that waits for a lock of the other operation is found by asking the database, once
// it has taken longer than statements do.
import type pg from 'pg';
import type {
  PostgresClient,
  PostgresPool,
  PostgresQuery,
  PostgresResult,
} from '../../../src/stores/postgres/connection.ts';

/** What became of one order of the statements. */
export interface Run<Outcome> {
  readonly outcome: Outcome;
  /** The statements in their order, each with the number of its operation. */
  readonly trace: readonly string[];
}

/** How the runs are made. */
export interface Interleaving<Outcome> {
  /** The pools of the two operations. */
  readonly pools: readonly [GatedPool, GatedPool];
  /** Brings the database to where both operations start. */
  readonly prepare: () => Promise<void>;
  /** Starts both, each on a store of its pool. */
  readonly start: () => readonly [Promise<unknown>, Promise<unknown>];
  /** What became of them. */
  readonly outcome: (results: readonly [unknown, unknown]) => Promise<Outcome>;
}

/** Statements that need no lock of the other operation have mostly ended by then. What has not is asked about. */
const ASK_AFTER_MS = 2;

/** More orders than that are a mistake in a test: they would take minutes. */
const MOST_RUNS = 2000;

/** The tables that each of the operations uses, as far as is known. */
type Used = readonly [Set<string>, Set<string>];

/**
 * Every order of the statements of both operations, one run after the other. Of orders that differ in neighbours alone of
 * which neither writes what the other one uses, one is run: they come to the same (sleep sets, Godefroid 1996).
 */
export async function* everyInterleaving<Outcome>(interleaving: Interleaving<Outcome>): AsyncGenerator<Run<Outcome>> {
  const used: Used = [new Set(), new Set()];
  // What an operation uses is known once it has run.
  for (const order of [0, 1]) await runOnce(interleaving, Array<number>(100).fill(order), used);
  let choices: readonly number[] | null = [];
  for (let runs = 0; choices !== null; runs++) {
    if (runs === MOST_RUNS) throw new Error(`there are more than ${MOST_RUNS} orders`);
    const known: number = used[0].size + used[1].size;
    const { run, taken }: Ran<Outcome> = await runOnce(interleaving, choices, used);
    yield run;
    // The last choice that has not been made the other way; from the start where a run has shown another use.
    const last: number = taken.lastIndexOf(0);
    const next: readonly number[] | null = last === -1 ? null : [...taken.slice(0, last), 1];
    choices = used[0].size + used[1].size === known ? next : [];
  }
}

/** The order in which the statements of both operations take turns, as far as no lock of one holds up the other. */
export async function takingTurns<Outcome>(interleaving: Interleaving<Outcome>): Promise<Run<Outcome>> {
  const turns = Array.from({ length: 100 }, (_, number) => number % 2);
  return (await runOnce(interleaving, turns, null)).run;
}

interface Ran<Outcome> {
  readonly run: Run<Outcome>;
  /** What was chosen where both had a statement ready: 0 or 1. */
  readonly taken: readonly number[];
}

async function runOnce<Outcome>(
  { pools, prepare, start, outcome }: Interleaving<Outcome>,
  choices: readonly number[],
  // Null: every order counts, whatever the statements use.
  used: Used | null,
): Promise<Ran<Outcome>> {
  await prepare();
  for (const pool of pools) pool.close();
  const operations = start();
  for (const [number, pool] of pools.entries()) pool.watch(operations[number]!);
  const taken: number[] = [];
  const trace: string[] = [];
  // A statement of the first operation that was let go here in earlier runs: until one comes that must not change places with
  // it, it would make orders that were run.
  let asleep: string | null = null;
  while (!pools.every(({ hasEnded }) => hasEnded)) {
    await settled(pools);
    const ready = [0, 1].filter((number) => pools[number]!.next !== null);
    // None where both wait for each other: then the database undoes one of them.
    if (ready.length === 0) continue;
    for (const number of ready) for (const use of usesOf(pools[number]!.next!)) used?.[number]!.add(use);
    const isFree = (number: number): boolean =>
      ready.length === 1 || (used !== null && isAlone(pools[number]!.next!, used[1 - number]!));
    let number = ready.find(isFree);
    if (number === undefined && asleep !== null) number = 1;
    if (number === undefined) {
      number = choices[taken.length] ?? 0;
      taken.push(number);
      if (number === 1 && used !== null) asleep = pools[0].next;
    }
    if (asleep !== null && (number === 0 || !areApart(asleep, pools[1].next!))) asleep = null;
    trace.push(`${number + 1}: ${pools[number]!.next!.replace(/\s+/g, ' ')}`);
    pools[number]!.letGo();
  }
  for (const pool of pools) pool.open();
  const results = [await resultOf(operations[0]), await resultOf(operations[1])] as const;
  return { run: { outcome: await outcome(results), trace }, taken };
}

async function resultOf(operation: Promise<unknown>): Promise<unknown> {
  return operation.catch((error: unknown) => ({ error: (error as { readonly code?: unknown }).code ?? error }));
}

/** Tables that a write looks at by itself, to keep a reference. */
const REFERENCES: Readonly<Record<string, string>> = { api_keys: 'accounts', webhook_endpoints: 'accounts' };

/** The tables a statement uses, as `r:name` and, where it writes or locks them, `w:name`. */
function usesOf(text: string): string[] {
  const locks = text.includes('FOR UPDATE');
  const written = new Set([...text.matchAll(/(?:INTO|UPDATE|DELETE FROM) "\w+"\.(\w+)/g)].map(([, name]) => name));
  return [...text.matchAll(/"\w+"\.(\w+)/g)].flatMap(([, name]) => {
    const isWritten = locks || written.has(name);
    const reference = isWritten ? REFERENCES[name!] : undefined;
    return [`r:${name}`, ...(isWritten ? [`w:${name}`] : []), ...(reference === undefined ? [] : [`r:${reference}`])];
  });
}

/** Whether a statement and everything the other operation does may come in either order: no table is written by one of them. */
function isAlone(text: string, others: ReadonlySet<string>): boolean {
  if (ENDS.test(text)) return false;
  return usesOf(text).every(
    (use) => !others.has(use.startsWith('w:') ? use.replace('w:', 'r:') : use.replace('r:', 'w:')),
  );
}

/** Whether two statements may come in either order. */
function areApart(one: string, other: string): boolean {
  return !ENDS.test(other) && isAlone(one, new Set(usesOf(other)));
}

/** What ends a transaction: others see from then on what it wrote, and wait for it no longer. */
const ENDS = /^(?:COMMIT|ROLLBACK)/;

/** Waits until each operation has ended, has a statement ready, or waits for a lock of the other one. */
async function settled(pools: readonly GatedPool[]): Promise<void> {
  for (let before = -1; ;) {
    for (const pool of pools) while (pool.isRunning && !(await pool.goesOn()) && !(await pool.isBlocked()));
    const now = pools.reduce((sum, { changes }) => sum + changes, 0);
    if (now === before) return;
    before = now;
  }
}

/** The connections of one operation, whose statements wait to be let go while it is closed. */
export class GatedPool implements PostgresPool {
  /** The statement that waits to be let go; null when there is none. */
  next: string | null = null;
  hasEnded = false;
  /** Another number when anything has happened. */
  changes = 0;
  readonly #connections: pg.Pool;
  readonly #observer: pg.Pool;
  #isOpen = true;
  #process: number | null = null;
  #go: () => void = () => undefined;
  #noticed: () => void = () => undefined;

  /** @param observer other connections to the same database, to ask who waits */
  constructor(connections: pg.Pool, observer: pg.Pool) {
    this.#connections = connections;
    this.#observer = observer;
  }

  /** Whether its operation is on its way to its next statement, or its end. */
  get isRunning(): boolean {
    return this.next === null && !this.hasEnded;
  }

  open(): void {
    this.#isOpen = true;
  }

  close(): void {
    this.#isOpen = false;
    this.#process = null;
    this.hasEnded = false;
  }

  /** Sees when its operation has ended. */
  watch(operation: Promise<unknown>): void {
    const end = (): void => {
      this.hasEnded = true;
      this.#notice();
    };
    operation.then(end, end);
  }

  /** Lets its next statement go. */
  letGo(): void {
    this.next = null;
    this.#go();
  }

  #notice(): void {
    this.changes++;
    this.#noticed();
  }

  /** Whether its operation comes to its next statement, or its end, within the time that statements take. */
  async goesOn(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        resolve(false);
      }, ASK_AFTER_MS);
      this.#noticed = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }

  /** Whether its statement waits for a lock. */
  async isBlocked(): Promise<boolean> {
    const sql = 'SELECT cardinality(pg_blocking_pids($1)) > 0 AS blocked';
    const { rows } = await this.#observer.query<{ readonly blocked: boolean }>(sql, [this.#process ?? 0]);
    return rows[0]!.blocked && this.isRunning;
  }

  async query(query: PostgresQuery): Promise<PostgresResult> {
    const client = await this.connect();
    try {
      return await client.query(query);
    } finally {
      client.release();
    }
  }

  async connect(): Promise<PostgresClient> {
    const client = await this.#connections.connect();
    const { rows } = await client.query<{ readonly pid: number }>('SELECT pg_backend_pid() AS pid');
    this.#process = rows[0]!.pid;
    return {
      query: async (query) => {
        await this.#leaveFor(query.text);
        return client.query(query);
      },
      on: (event, listener) => client.on(event, listener),
      removeListener: (event, listener) => client.removeListener(event, listener),
      release: (error) => {
        client.release(error);
      },
    };
  }

  async #leaveFor(text: string): Promise<void> {
    // Where a transaction begins says nothing: each of its statements sees what is committed when it begins itself.
    if (this.#isOpen || text.startsWith('BEGIN')) return;
    await new Promise<void>((resolve) => {
      this.#go = resolve;
      this.next = text;
      this.#notice();
    });
  }
}
