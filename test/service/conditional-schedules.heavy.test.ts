// Schedules of commits and conditional requests: importers whose clocks are behind or ahead, imports of many batches,
// several nodes of a service, restarts with another configuration. No condition is answered 304 to what changed.
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { exportHandler } from '../../src/export/handler.ts';
import { Accounts } from '../../src/operate/accounts.ts';
import { createGazette } from '../../src/service/create-gazette.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { permits, say } from '../contracts/store-register.ts';
import { tries } from '../effort.ts';

const START = Date.parse('2026-11-20T12:00:00Z');
const RECORDS = '/api/v1/feeds/permits/records';
const EXPORT = `${RECORDS}/export.csv`;
const PATHS = ['/api/v1/feeds/permits', `${RECORDS}?limit=2`, EXPORT, '/api/v1/records/permits:a/history'] as const;

/** How far the importers' clocks are off, in milliseconds. */
const CLOCKS = [0, -400, -5000, -3_600_000, 3000] as const;

const key = fc.constantFrom('a', 'b', 'c');
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('import' as const),
      batches: fc.array(fc.tuple(key, fc.nat(2)), { minLength: 1, maxLength: 4 }),
      clock: fc.constantFrom(...CLOCKS),
    }),
  },
  fc.record({ kind: fc.constant('withdraw' as const), key, clock: fc.constantFrom(...CLOCKS) }),
  fc.record({ kind: fc.constant('define' as const), title: fc.nat(2), clock: fc.constantFrom(...CLOCKS) }),
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('tick' as const), ms: fc.constantFrom(100, 1000, 3000, 60_000) }),
  },
  fc.record({ kind: fc.constant('restart' as const), base: fc.nat(1) }),
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      node: fc.nat(2),
      by: fc.constantFrom('tag' as const, 'date' as const, 'date' as const),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What a client has of an answer. */
interface Kept {
  readonly body: string;
  readonly etag: string | null;
  readonly date: string | null;
}

const answered = { tag: 0, date: 0 };

async function run(steps: readonly Step[]): Promise<void> {
  let now = START;
  const store = SqliteStore.open(':memory:');
  await store.createRegister(permits());
  const accounts = new Accounts(store, { product: 'gazette', now: () => now });
  await accounts.add('demo', '2030-01-01T00:00:00Z');
  const { key: apiKey } = await accounts.createKey('demo');
  // Whoever runs two nodes gives them one configuration: both restart with it.
  let nodes: readonly ((request: Request) => Promise<Response>)[] = [];
  let close = async (): Promise<void> => undefined;
  const start = async (base: number): Promise<void> => {
    await close();
    const baseUrl = `https://${base}.example`;
    const options = { store, limits: null, now: () => now, baseUrl };
    const gazettes = [createGazette(options), createGazette(options)];
    const handler = exportHandler(async () => store.source('permits'), { baseUrl, now: () => now });
    nodes = [...gazettes.map((gazette) => (request: Request) => gazette.fetch(request)), handler];
    close = async () => {
      for (const gazette of gazettes) await gazette.close();
    };
  };
  await start(0);
  const kept = new Map<string, Kept>();

  const ask = async (node: number, path: string, conditions: Record<string, string>): Promise<Response> =>
    nodes[node]!(
      new Request(`https://example.org${path}`, { headers: { authorization: `Bearer ${apiKey}`, ...conditions } }),
    );

  const askAgain = async ({ node, by }: Extract<Step, { kind: 'ask' }>, path: string): Promise<void> => {
    // The handler's export has no links to the list: it is another representation.
    const place = `${node === 2} ${path}`;
    const last = kept.get(place);
    const shown = by === 'tag' ? last?.etag : last?.date;
    const name = by === 'tag' ? 'if-none-match' : 'if-modified-since';
    const response = await ask(node, path, typeof shown === 'string' ? { [name]: shown } : {});
    if (response.status === 304) {
      answered[by]++;
      expect([place, by, await (await ask(node, path, {})).text()]).toEqual([place, by, last!.body]);
    } else if (response.status === 200) {
      const { headers } = response;
      kept.set(place, { body: await response.text(), etag: headers.get('etag'), date: headers.get('last-modified') });
    }
  };

  for (const one of steps) {
    const recordedAt = 'clock' in one ? new Date(now + one.clock).toISOString() : '';
    if (one.kind === 'tick') now += one.ms;
    else if (one.kind === 'restart') await start(one.base);
    else if (one.kind === 'define')
      await store.updateRegister({ ...permits(), title: `Title ${one.title}` }, { recordedAt });
    else if (one.kind === 'withdraw') {
      if ((await store.record(`permits:${one.key}`)) !== null)
        await store.withdraw('permits', [`permits:${one.key}`], { recordedAt });
    } else if (one.kind === 'import')
      for (const [name, title] of one.batches)
        await store.apply('permits', [say(name, { title: `Permit ${title}` })], { recordedAt });
    else for (const path of one.node === 2 ? [EXPORT] : PATHS) await askAgain(one, path);
  }
  await close();
  await store.close();
}

/** A schedule in which both kinds of condition are answered 304. */
const CALM: Step[] = [
  { kind: 'tick', ms: 3000 },
  { kind: 'import', batches: [['a', 0]], clock: 0 },
  { kind: 'tick', ms: 60_000 },
  { kind: 'ask', node: 0, by: 'tag' },
  { kind: 'ask', node: 0, by: 'tag' },
  { kind: 'ask', node: 0, by: 'date' },
];

describe('a conditional request, in any schedule of commits and restarts', () => {
  afterAll(() => {
    // Otherwise nothing of this was about conditions at all.
    expect(Math.min(answered.tag, answered.date)).toBeGreaterThan(0);
  });

  it('is never answered 304 to what changed', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 25 }), run), {
      numRuns: tries(20),
      examples: [[CALM]],
    });
  });
});
