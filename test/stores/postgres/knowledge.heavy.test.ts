// What a node answers from memory: nothing that is older than a second, whatever happens to its connection.
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Knowledge } from '../../../src/stores/postgres/knowledge/knowledge.ts';
import { MOST_NAMED } from '../../../src/stores/postgres/knowledge/written.ts';
import type { SqlRow } from '../../../src/stores/rows/columns.ts';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { createGazette } from '../../../src/service/create-gazette.ts';
import { ending, start } from '../../cli/run.ts';
import { world, type World, PRODUCT } from '../../world.ts';
import { at, say } from '../../contracts/store-register.ts';
import { freePort } from '../../docs/free-port.ts';
import { letPass, until } from '../../until.ts';
import { type PostgresServer, startPostgres } from './server.ts';
import { quiet, startWay, type Way } from './way.ts';

/** What is promised, in milliseconds. */
const BOUND_MS = 1000;

/** What the database says has changed, by default nothing. */
interface Changed {
  readonly server?: string;
  readonly registers?: readonly string[];
  readonly hasAccounts?: boolean;
}

describe('Knowledge', () => {
  let now: number;
  /** Answers the question that waits, or fails: with the snapshot, and what has changed since the one before. */
  let answer: (seen: string | null | Error, changed?: Changed) => Promise<void>;
  let asked: number;
  /** The snapshot that was sent with the last question. */
  let since: string | null;
  let knowledge: Knowledge;

  beforeEach(() => {
    [now, asked] = [0, 0];
    knowledge = new Knowledge({
      clock: () => now,
      ask: (sent) => {
        asked++;
        since = sent;
        const { promise, resolve, reject } = Promise.withResolvers<SqlRow[]>();
        answer = async (seen, { server = 'one', registers = [], hasAccounts = false } = {}) => {
          if (seen instanceof Error) reject(seen);
          else resolve([[seen === null ? null : server, seen ?? '1', JSON.stringify(registers), hasAccounts]]);
          await letPass(0, 'for the answer to be taken');
        };
        return promise;
      },
    });
  });

  /** The stamp after a question that was answered at once. */
  async function stampAfter(seen: string, changed?: Changed): Promise<number | undefined> {
    knowledge.stamp();
    await answer(seen, changed);
    return knowledge.stamp();
  }

  /** What is unchanged since a stamp: two registers, and all accounts and keys. */
  function unchangedSince(stamp: number | undefined): readonly boolean[] {
    const registers = ['permits', 'notices'].map((feedId) => knowledge.isUnchanged(feedId, stamp!));
    return [...registers, knowledge.areAccountsUnchanged(stamp!)];
  }

  it('knows nothing before the first answer', async () => {
    expect(knowledge.stamp()).toBeUndefined();
    await answer('1');
    expect(knowledge.stamp()).toBeTypeOf('number');
  });

  it('knows nothing 900 ms after the question was sent, however late it was answered', async () => {
    knowledge.stamp();
    now = 800;
    await answer('1');
    expect(knowledge.stamp()).toBeTypeOf('number');
    now = 900;
    expect(knowledge.stamp()).toBeUndefined();
  });

  it('asks one question at a time, at most every 300 ms, and only when it is needed itself', async () => {
    for (now = 0; now < 300; now++) knowledge.stamp();
    expect(asked).toBe(1);
    await answer('1');
    knowledge.stamp();
    expect(asked).toBe(2);
    await answer('1');
    for (; now < 600; now++) knowledge.stamp();
    expect(asked).toBe(2);
    now = 60_000;
    expect(asked).toBe(2);
  });

  it.each([
    ['the same while nothing changed', '1', (a: number, b: number) => a === b],
    ['a higher one after something changed', '2', (a: number, b: number) => a < b],
  ])('has a stamp that is %s', async (_, seen, compares) => {
    const before = await stampAfter('1');
    now = 300;
    expect(compares(before!, (await stampAfter(seen))!)).toBe(true);
  });

  it('never gives the stamp of an earlier state again', async () => {
    const before = await stampAfter('1');
    now = 300;
    await stampAfter('2');
    now = 600;
    expect(await stampAfter('1')).toBeGreaterThan(before!);
  });

  it('knows nothing after a question that fails, and then asks again', async () => {
    await stampAfter('1');
    now = 300;
    knowledge.stamp();
    await answer(new Error('away'));
    now = 900;
    expect(knowledge.stamp()).toBeUndefined();
    await answer('1');
    expect(knowledge.stamp()).toBeTypeOf('number');
  });

  it('tells how old what it knows is, how questions ended, and how often it knew', async () => {
    expect(knowledge.figures()).toEqual({ ageMs: null, answered: 0, failed: 0, known: 0, unknown: 0 });
    await stampAfter('1');
    now = 250;
    knowledge.stamp();
    expect(knowledge.figures()).toEqual({ ageMs: 250, answered: 1, failed: 0, known: 2, unknown: 1 });
    now = 300;
    knowledge.stamp();
    await answer(new Error('away'));
    now = 1000;
    knowledge.stamp();
    expect(knowledge.figures()).toEqual({ ageMs: 1000, answered: 1, failed: 1, known: 3, unknown: 2 });
    await answer(null);
    expect(knowledge.figures()).toMatchObject({ ageMs: 1000, answered: 2 });
    knowledge.forget();
    now = 1300;
    await stampAfter('1');
    expect(knowledge.figures()).toMatchObject({ ageMs: 0, answered: 3 });
  });

  it('asks what has changed since the snapshot that it saw last', async () => {
    knowledge.stamp();
    expect(since).toBeNull();
    await answer('1');
    now = 300;
    await stampAfter('2');
    expect(since).toBe('1');
    now = 600;
    knowledge.stamp();
    expect(since).toBe('2');
  });

  it('knows which registers have changed since a stamp, and whether any account or key has', async () => {
    const first = await stampAfter('1');
    now = 300;
    const second = await stampAfter('2', { registers: ['permits'] });
    now = 600;
    const third = await stampAfter('3', { hasAccounts: true });
    expect(unchangedSince(first)).toEqual([false, true, false]);
    expect(unchangedSince(second)).toEqual([true, true, false]);
    expect(unchangedSince(third)).toEqual([true, true, true]);
  });

  it.each<[string, string | null, Changed]>([
    ['another server answers', '2', { server: 'another' }],
    ['a replica answered in between', null, {}],
    [
      'more registers have changed than are named',
      '2',
      { registers: Array.from({ length: MOST_NAMED + 1 }, (_, n) => `r${n}`) },
    ],
  ])('takes everything for changed when %s', async (_, seen, changed) => {
    const before = await stampAfter('1');
    now = 300;
    await stampAfter(seen!, changed);
    now = 600;
    const after = await stampAfter('2', { server: changed.server ?? 'one' });
    const accounts = changed.registers === undefined ? false : true;
    expect(unchangedSince(before)).toEqual([false, false, accounts]);
    expect(unchangedSince(after)).toEqual([true, true, true]);
  });

  it('forgets when registers changed rather than to remember too many', async () => {
    const before = await stampAfter('1');
    let registers = 0;
    for (let seen = 2; registers <= 50_000; seen++) {
      now += 300;
      const changed = Array.from({ length: MOST_NAMED }, () => `register-${registers++}`);
      await stampAfter(String(seen), { registers: changed });
    }
    expect(knowledge.isUnchanged('permits', before!)).toBe(false);
    expect(knowledge.isUnchanged('permits', knowledge.stamp()!)).toBe(true);
  });

  it('knows nothing of a replica', async () => {
    await stampAfter('1');
    now = 300;
    knowledge.stamp();
    await answer(null);
    expect(knowledge.stamp()).toBeUndefined();
  });

  it('knows nothing after a write of its own until a question is answered that was sent later', async () => {
    await stampAfter('1');
    now = 300;
    knowledge.stamp();
    knowledge.forget();
    await answer('1');
    now = 599;
    expect(knowledge.stamp()).toBeUndefined();
    now = 600;
    expect(await stampAfter('2')).toBeTypeOf('number');
  });
});

describe('over a server', () => {
  let server: PostgresServer;
  /** The node that writes. */
  let pool: pg.Pool;
  let writer: PostgresStore;
  let service: World;
  let schemas = 0;
  let schema: string;

  beforeAll(async () => {
    // One of its own, as every write to a server changes what can be seen.
    server = await startPostgres({ fsync: 'off', autovacuum: 'off' });
    // A test waits until nobody but itself is connected.
    pool = quiet(new pg.Pool({ connectionString: server.url, idleTimeoutMillis: 100 }));
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  beforeEach(async () => {
    schema = `knowledge_${++schemas}`;
    writer = await PostgresStore.open(pool, { schema });
    service = await world({ store: writer });
    onTestFinished(() => service.close());
  });

  /** A node on its own connections. */
  interface Node {
    /** Asks for the first page with the tag it had, and returns the status. */
    readonly ask: () => Promise<number>;
    /** Waits until a request is answered without the database. */
    untilKnown(): Promise<void>;
    close(): Promise<void>;
  }

  /** A node that answers from memory, and sends the register's tag with each question. */
  async function startNode(url: string): Promise<Node> {
    const own = quiet(new pg.Pool({ connectionString: url, connectionTimeoutMillis: 1000 }));
    const store = await PostgresStore.open(own, { schema, answersFromMemory: true, answerTimeoutMs: 300 });
    const logger = { info: () => undefined, error: () => undefined };
    const { now } = service.clock;
    const node = createGazette({ store, product: PRODUCT, limits: null, now: () => now, logger });
    const headers = { authorization: `Bearer ${service.key}` };
    const send = (etag: string | null): Promise<Response> =>
      node.fetch(
        new Request('https://registers.example.org/api/v1/feeds/permits/records', {
          headers: { ...headers, ...(etag === null ? {} : { 'if-none-match': etag }) },
        }),
      );
    // On a busy machine the first answers may be that the database is away.
    const etag = await until('a page', async () => (await send(null)).headers.get('etag'));
    const ask = async (): Promise<number> => (await send(etag)).status;
    let taken = 0;
    own.on('acquire', () => taken++);
    return {
      ask,
      untilKnown: async () => {
        await until('an answer from memory', async () => {
          const before = taken;
          return (await ask()) === 304 && taken === before;
        });
      },
      close: async () => {
        await node.close();
        await own.end();
      },
    };
  }

  async function revoke(): Promise<void> {
    const found = await writer.accounts.keys(service.accountId);
    await writer.accounts.revokeKey(found[0]!.id, { revokedAt: at(60) });
  }

  /** Asks until the answer is `status`, and fails if one that was asked for later than the bound is a 304. */
  async function untilAnswered(status: number, ask: () => Promise<number>, changedAt: number): Promise<void> {
    await until(`the answer ${status}`, async () => {
      const startedAt = performance.now();
      const told = await ask();
      if (startedAt >= changedAt + BOUND_MS) expect(told).not.toBe(304);
      return told === status;
    });
  }

  const CHANGES: readonly [string, number, () => Promise<unknown>][] = [
    ['a revocation', 401, revoke],
    ['a commit', 200, () => writer.apply('permits', [say('new')], { recordedAt: at(61) })],
  ];
  const TROUBLES: readonly [string, (way: Way) => void, (way: Way) => void][] = [
    ['over a sound connection', () => undefined, () => undefined],
    [
      'over a connection that is half open',
      (way) => {
        way.isSilent = true;
      },
      (way) => {
        way.isSilent = false;
      },
    ],
    [
      'over a connection that is cut',
      (way) => {
        way.isCut = true;
        way.end();
      },
      (way) => {
        way.isCut = false;
      },
    ],
  ];
  const cases = CHANGES.flatMap((change) =>
    TROUBLES.map((trouble) => [change[0], trouble[0], change, trouble] as const),
  );

  it.each(cases)('knows of %s on another node within a second %s', async (_, __, change, [, begin, end]) => {
    const way = await startWay(server.url);
    const node = await startNode(way.url);
    onTestFinished(async () => {
      await node.close();
      way.stop();
    });
    await node.untilKnown();
    const [, status, make] = change;
    begin(way);
    await make();
    const changedAt = performance.now();
    // Away, or changed.
    const isSound = !way.isSilent && !way.isCut;
    await untilAnswered(isSound ? status : 503, node.ask, changedAt);
    end(way);
    await untilAnswered(status, node.ask, changedAt);
  });

  it('knows at once what it has written itself', async () => {
    const store = await PostgresStore.open(pool, { schema, answersFromMemory: true });
    await until('a stamp', () => store.stamp());
    await store.apply('permits', [say('new')], { recordedAt: at(61) });
    expect(store.stamp()).toBeUndefined();
  });

  it('tells the operator how often it knew, if it answers from memory', async () => {
    const store = await PostgresStore.open(pool, { schema, answersFromMemory: true });
    const node = createGazette({ store, product: PRODUCT, limits: null });
    const ofWriter = await service.metrics.registry.metrics();
    await until('a stamp', () => store.stamp());
    const text = await node.metrics.registry.metrics();
    await node.close();
    const { answered, known, unknown } = store.knowledge()!;
    expect(ofWriter).not.toContain('gazette_knowledge');
    expect(text).toMatch(/^gazette_knowledge_age_seconds 0(\.\d+)?$/m);
    expect(text).toContain(`gazette_knowledge_questions_total{outcome="answered"} ${answered}\n`);
    expect(text).toContain('gazette_knowledge_questions_total{outcome="failed"} 0\n');
    expect(text).toContain(`gazette_knowledge_uses_total{outcome="known"} ${known}\n`);
    expect(text).toContain(`gazette_knowledge_uses_total{outcome="unknown"} ${unknown}\n`);
    expect([answered, known, unknown].every((count) => count > 0)).toBe(true);
  });

  it('answers conditional requests with a key without a transaction of their own', async () => {
    /** The transactions of a node from its start to its end, and how many were of its questions at most. */
    const transactions = async (requests: number): Promise<{ readonly count: number; readonly asked: number }> => {
      const committed = async (): Promise<number> => {
        // Statistics of a connection count once it has ended.
        await until('the end of connections', async () => {
          const { rows } = await pool.query(
            `SELECT 1 FROM pg_stat_activity WHERE datname = 'postgres' AND pid <> pg_backend_pid()`,
          );
          return rows.length === 0;
        });
        const { rows } = await pool.query<{ n: string }>(
          `SELECT xact_commit + xact_rollback AS n FROM pg_stat_database WHERE datname = 'postgres'`,
        );
        return Number(rows[0]!.n);
      };
      await pool.query('SELECT pg_stat_force_next_flush()');
      const before = await committed();
      const startedAt = performance.now();
      const node = await startNode(server.url);
      await node.untilKnown();
      for (let request = 0; request < requests; request++) {
        expect(await node.ask()).toBe(304);
        if (request % 20 === 19) await letPass(20, 'a thousand requests a second');
      }
      const asked = Math.ceil((performance.now() - startedAt) / 300);
      await node.close();
      await pool.query('SELECT pg_stat_force_next_flush()');
      return { count: (await committed()) - before, asked };
    };
    const idle = await transactions(0);
    const busy = await transactions(1000);
    // Those that count are the same for both, but for a few: the first requests, before anything is known.
    expect(busy.count).toBeLessThanOrEqual(idle.count + busy.asked + 20);
  });

  it('does not answer from memory after its process was stopped', async () => {
    const port = await freePort();
    const url = new URL(server.url);
    // The command line has one schema.
    schema = 'gazette';
    writer = await PostgresStore.open(pool, { schema });
    service = await world({ store: writer });
    // The process has the time of day.
    await writer.accounts.updateAccount(service.accountId, { accessUntil: '2999-01-01T00:00:00Z' });
    const args = ['--store', url.href, '--port', String(port), '--product', PRODUCT, '--limit-key', 'none'];
    const child = start(['serve', ...args]);
    const ended = ending(child);
    onTestFinished(async () => {
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      await ended;
    });
    const headers = { authorization: `Bearer ${service.key}` };
    const send = async (etag: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${port}/api/v1/feeds/permits/records`, {
        headers: { ...headers, 'if-none-match': etag },
      });
    const first = await until('the service', () => send('"none"').catch(() => null));
    const etag = first.headers.get('etag')!;
    const ask = async (): Promise<number> => (await send(etag)).status;
    for (let times = 0; times < 50; times++) {
      expect(await ask()).toBe(304);
      await letPass(20, 'the process asks what changed while requests come');
    }
    child.kill('SIGSTOP');
    await revoke();
    const changedAt = performance.now();
    await letPass(5000, 'the process is stopped for longer than anything is known');
    const asked = [ask(), ask(), ask()];
    child.kill('SIGCONT');
    expect(await Promise.all(asked)).toEqual([401, 401, 401]);
    await untilAnswered(401, ask, changedAt);
  });
});
