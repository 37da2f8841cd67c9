// Mirrors of a store in another one: after any history of the source, with cuts and restarts, both answer the same.
import { randomUUID } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isGazetteError } from '../../src/errors.ts';
import { mirrorRegister, type MirrorOptions } from '../../src/mirror/mirror.ts';
import { Imports } from '../../src/operate/registers/imports.ts';
import { defineRegister } from '../../src/register/definition.ts';
import type { RegisterDefinition } from '../../src/register/record.ts';
import { createGazette } from '../../src/service/create-gazette.ts';
import { registerFigures } from '../../src/service/register-figures.ts';
import type { InspectedStore } from '../../src/stores/contract/inspection.ts';
import { holdRegister } from '../../src/stores/lease/hold-register.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { closedAfter } from '../closed-after.ts';
import { tries } from '../effort.ts';
import { inspected } from './overwrites.ts';
import { at, permits, say } from './store-register.ts';

const FEED = 'https://registers.example.org/api/v1/feeds/permits';
const NOW = Date.parse(at(1000));
const KEYS = ['a', 'b', 'c', 'd', 'e', '1/2'] as const;

/** A definition of an open register. @param at how many before it */
function openRegister(version: number): RegisterDefinition {
  const { fields, ...others } = permits();
  const amount = { name: 'amount', type: 'number' as const, filterable: version % 2 === 1 };
  return defineRegister({
    ...{ ...others, access: 'open', title: `Permits ${version}` },
    fields: [amount, ...fields.slice(version % 3 === 2 ? 2 : 1)],
  });
}

const said = fc.record({
  key: fc.constantFrom(...KEYS),
  title: fc.constantFrom('Mill lane', 'Mill pond'),
  observed_at: fc.constantFrom(null, null, '2020-01-01T00:00:00Z'),
  amount: fc.constantFrom(1, 2.5, null),
  // In the order in which a publisher may write them.
  conditions: fc.constantFrom(null, { b: 1, a: [null, { d: 1, c: 2 }] }, { a: [null, { d: 1, c: 2 }], b: 1 }),
  others: fc.constantFrom({}, { undeclared: { z: 1, y: 2 } }),
});

const act = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      ...{ kind: fc.constant('import' as const), isCorrection: fc.boolean() },
      rows: fc.uniqueArray(said, { minLength: 1, maxLength: 6, selector: ({ key }) => key }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('withdraw' as const), key: fc.constantFrom(...KEYS) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('redact' as const), key: fc.constantFrom(...KEYS) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('lift' as const), key: fc.constantFrom(...KEYS) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('renumber' as const), key: fc.constantFrom(...KEYS) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('undo' as const), pick: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('define' as const) }) },
  // After how many requests the connection breaks: at the whole effort everywhere.
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('mirror' as const), cutAfter: fc.constantFrom(0, 1, 2, 3, 99) }),
  },
);

type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/** What both must answer alike. */
const PATHS = [
  '',
  '/records?limit=3',
  '/records?limit=3&document_type=adopted&total=1',
  '/records?limit=9&key=1/2',
  '/changes?limit=9',
  '/changes?limit=9&statement=1',
  '/changes?limit=99&proof=1',
  '/register.csv',
  '/register.ndjson',
  '/records/export.csv?limit=4',
  '/facets',
  '/register.xsd',
  ...KEYS.map((key) => `/../../records/permits:${key.replace('/', '~2F')}`),
  ...KEYS.map((key) => `/../../records/permits:${key.replace('/', '~2F')}/history`),
  ...KEYS.map((key) => `/../../records/permits:${key.replace('/', '~2F')}/proof`),
  '/../../records/permits:new~2Fa',
];

/** The answer of a service as a text; dates of configurations are each one's own. */
async function answerOf(serve: typeof fetch, path: string): Promise<object> {
  const response = await serve(new URL(FEED + path).href);
  const headers = Object.fromEntries(
    [...response.headers].filter(([name]) => !['last-modified', 'date', 'x-request-id'].includes(name)),
  );
  return { path, status: response.status, headers, body: (await response.text()).replace(/"request_id":"[^"]*"/, '') };
}

/** A service over a store. */
export function served(store: InspectedStore): typeof fetch {
  const gazette = closedAfter(
    createGazette({
      ...{ store, product: 'registers', baseUrl: 'https://registers.example.org', limits: null, now: () => NOW },
      logger: { info: () => undefined, error: () => undefined },
    }),
  );
  return async (url: string | URL | Request, init?: RequestInit) =>
    gazette.fetch(new Request(url, init), { remoteAddress: '203.0.113.7' });
}

function pathOf(url: Parameters<typeof fetch>[0]): string {
  return new URL(url instanceof Request ? url.url : url).pathname;
}

/** This many records. */
export function some(count: number, name = 'a'): ReturnType<typeof say>[] {
  return Array.from({ length: count }, (_, index) => say(`${name}${index}`));
}

/** A source with records, and the same once more, restored from a copy of it. */
export async function restorable(
  records: readonly ReturnType<typeof say>[],
): Promise<{ readonly source: SqliteStore; readonly older: SqliteStore }> {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-mirror-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [path, copy] = [join(folder, 'source.db'), join(folder, 'older.db')];
  const begun = SqliteStore.open(path);
  await begun.createRegister(openRegister(0));
  if (records.length > 0) await begun.apply('permits', records, { recordedAt: at(1) });
  await begun.close();
  await copyFile(path, copy);
  return { source: closedAfter(SqliteStore.open(path)), older: closedAfter(SqliteStore.open(copy)) };
}

/** A service whose answers at a path are changed. */
function answering(
  serve: typeof fetch,
  path: string,
  change: (body: Readonly<Record<string, unknown>>) => object,
): typeof fetch {
  return async (...asked) => {
    const answer = await serve(...asked);
    const [url] = asked;
    if (!pathOf(url).endsWith(path)) return answer;
    return Response.json(change((await answer.json()) as Readonly<Record<string, unknown>>));
  };
}

/** What an undo brings back was observed when it was there before, not when what it takes back was. */
const UNDONE: Act[] = [
  ...[null, '2020-01-01T00:00:00Z'].map((observed) => importOf(observed)),
  { kind: 'undo', pick: 0 },
  importOf(null),
];

function importOf(observed: string | null): Act {
  const row = { key: 'a', title: 'Mill lane', observed_at: observed, amount: 1, conditions: null, others: {} };
  return { kind: 'import', isCorrection: false, rows: [row] } as Act;
}

/** Registers the suite for one database. */
export function mirrorContract(
  name: string,
  open: () => Promise<{ readonly store: InspectedStore; readonly dispose: () => Promise<void> }>,
): void {
  const withStores = async (work: (source: InspectedStore, mirror: InspectedStore) => Promise<void>): Promise<void> => {
    const [source, mirror] = [await open(), await open()];
    try {
      await work(source.store, mirror.store);
    } finally {
      await source.dispose();
      await mirror.dispose();
    }
  };
  const mirrorOnce = (store: InspectedStore, fetch: typeof globalThis.fetch, more: Partial<MirrorOptions> = {}) =>
    mirrorRegister(store, FEED, { once: true, attempts: 1, fetch, now: () => NOW, ...more });

  /** With a mirror that has both records of its source. */
  const withMirror = (
    work: (source: InspectedStore, mirror: InspectedStore, answers: typeof fetch) => Promise<void>,
  ): Promise<void> =>
    withStores(async (source, mirror) => {
      await source.createRegister(openRegister(0));
      await source.apply('permits', [say('a'), say('b')], { recordedAt: at(1) });
      const answers = served(source);
      await mirrorOnce(mirror, answers);
      await work(source, mirror, answers);
    });

  describe(`${name}, mirrored`, () => {
    // Each ends its services before the next one begins.
    const parts = Array.from({ length: tries(1, 20) }, (_, index) => index + 1);
    it.each(parts)(
      'answers what its source answers, after any history with cuts (%i)',
      { timeout: 1_800_000 },
      async () => {
        await fc.assert(
          fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 14 }), async (acts) => {
            await withStores(async (source, mirror) => {
              await source.createRegister(openRegister(0));
              const answers = served(source);
              const history = new History(source);
              const tryMirror = async (cutAfter: number): Promise<void> => {
                let left = cutAfter;
                const cut = (async (...asked: Parameters<typeof fetch>) => {
                  if (left-- > 0) return answers(...asked);
                  throw new TypeError('cut');
                }) as typeof fetch;
                await mirrorOnce(mirror, cut).catch((error: unknown) => {
                  if (!isGazetteError(error, 'request_failed')) throw error;
                });
              };
              for (const one of acts) {
                if (one.kind === 'mirror') await tryMirror(one.cutAfter);
                else await history.act(one);
              }
              await mirrorOnce(mirror, answers);
              for (const { finding } of [source, mirror])
                while ((await finding.incomplete()).length > 0) await finding.build('permits');
              const mirrored = served(mirror);
              for (const path of PATHS) expect(await answerOf(mirrored, path)).toEqual(await answerOf(answers, path));
              expect((await inspected(mirror)).map(({ problem }) => problem)).toEqual([]);
            });
          }),
          { numRuns: tries(10, 500), examples: [[UNDONE]] },
        );
      },
    );

    it('waits for a source that is behind its own word, and shows nothing of what was erased meanwhile', async () => {
      await withStores(async (source, mirror) => {
        await source.createRegister(openRegister(0));
        await source.apply('permits', [say('a')], { recordedAt: at(1) });
        await source.redact('permits:a', { recordedAt: at(2) });
        const answers = served(source);
        const behind = answering(answers, '/changes', (body) => ({
          ...body,
          versions: (body.versions as readonly { readonly change: number }[]).filter(({ change }) => change === 1),
        }));
        let waited = 0;
        const sleep = async (): Promise<void> => {
          waited++;
        };
        await expect(mirrorOnce(mirror, behind, { sleep })).rejects.toMatchObject({ code: 'invalid_answer' });
        expect(waited).toBe(4);
        expect(await mirror.mirrors.find('permits')).toMatchObject({ change: 1, behind: 1 });
        const figures = registerFigures(mirror, () => NOW);
        const read = figures.map(async (figure) => [figure.name, (await figure.read()).get('permits')] as const);
        expect(Object.fromEntries(await Promise.all(read))).toMatchObject({
          ...{ gazette_mirror_changes_behind: 1, gazette_mirror_asked_seconds: NOW / 1000 },
        });
        expect(await mirror.versionAt('permits:a', at(1))).toBeNull();
        expect(await mirrorOnce(mirror, answers)).toEqual({ change: 2, of: 2 });
      });
    });

    it.each<readonly [string, string, object]>([
      ['last_change', '/feeds/permits', { last_change: 'yesterday' }],
      ['last_change ahead', '/feeds/permits', { last_change: '9999-12-31T23:59:59Z' }],
      ['definition_version', '/feeds/permits', { definition_version: 2 ** 31 }],
      ['log', '/changes', { log: 'nobody' }],
      ['log of another register', '/changes', { log: '' }],
    ])('takes no state of a source that says a wrong %s, and goes on afterwards', async (name, path, wrong) => {
      await withStores(async (source, mirror) => {
        await source.createRegister(openRegister(0));
        await mirror.createRegister(permits('own'));
        await source.apply('permits', [say('a')], { recordedAt: at(1) });
        const answers = served(source);
        await mirrorOnce(mirror, answers);
        await source.apply('permits', [say('b')], { recordedAt: at(2) });
        const { logUuid } = await mirror.changes('own', { since: 0, limit: 1 });
        const given = name === 'log of another register' ? { log: logUuid } : wrong;
        const lying = answering(answers, path, (body) => ({ ...body, ...given }));
        await expect(mirrorOnce(mirror, lying)).rejects.toMatchObject({ code: 'invalid_answer' });
        await source.apply('permits', [say('c')], { recordedAt: at(3) });
        expect(await mirrorOnce(mirror, answers)).toEqual({ change: 3, of: 3 });
        expect(await answerOf(served(mirror), '')).toEqual(await answerOf(answers, ''));
      });
    });

    it.each<readonly [string, (version: Said) => object]>([
      [
        'states something else than it commits to',
        ({ statement }) => ({ statement: { ...statement, title: 'Forged' } }),
      ],
      ['commits to something else', (version) => entryOf(version, { commitment: OTHER })],
      ['is of another log', ({ proof }) => ({ proof: { ...proof, log: randomUUID() } })],
      ['is of another record', () => ({ record_id: 'permits:x' })],
      ['is of another register', () => ({ record_id: 'other:b' })],
      ['is not the first of its record', () => ({ version: 2 })],
      ['is not at the next position', () => ({ position: 3 })],
      ['corrects what there is not', () => ({ cause: 'extraction_correction' })],
      ['was recorded before the one before it', () => ({ recorded_at: at(0) })],
      ['is another change', () => ({ change: 3 })],
      ['has no statement', () => ({ statement: null })],
      ['takes back what no import can be', () => ({ undoes: 0 })],
    ])('takes nothing of a batch with a version that %s, and goes on afterwards', async (_, change) => {
      await withStores(async (source, mirror) => {
        await source.createRegister(openRegister(0));
        await source.apply('permits', [say('a'), say('b')], { recordedAt: at(1) });
        const answers = served(source);
        const lying = answering(answers, '/changes', (body) => ({
          ...body,
          versions: (body.versions as readonly Said[]).map((one) =>
            one.record_id === 'permits:b' ? { ...one, ...change(one) } : one,
          ),
        }));
        await expect(mirrorOnce(mirror, lying)).rejects.toMatchObject({ code: 'invalid_answer' });
        expect(await mirror.register('permits')).toMatchObject({ change: 0, top: 0 });
        expect(await mirrorOnce(mirror, answers)).toEqual({ change: 2, of: 2 });
        expect(await inspected(mirror)).toEqual([]);
      });
    });

    it.each<readonly [string, (source: InspectedStore) => Promise<unknown>]>([
      ['was removed', (source) => source.removeRegister('permits')],
      ['was restored from a copy', (source) => source.beginNewLogs({ at: at(4) })],
      [
        'is another one of this id',
        async (source) => {
          await source.removeRegister('permits');
          await source.createRegister(openRegister(0));
          await source.apply('permits', [say('a'), say('b')], { recordedAt: at(4) });
        },
      ],
    ])('stops with what it has where the register %s', async (_, change) => {
      await withMirror(async (source, mirror, answers) => {
        await change(source);
        await expect(mirrorOnce(mirror, answers, { once: false })).rejects.toMatchObject({ code: 'register_changed' });
        expect(await mirror.register('permits')).toMatchObject({ change: 2, total: 2 });
      });
    });

    it('stops with what it has where the source has an older state', async () => {
      await withStores(async (source, mirror) => {
        await source.createRegister(openRegister(0));
        await source.apply('permits', [say('a')], { recordedAt: at(1) });
        await withStores(async (older) => {
          await mirrorOnce(older, served(source));
          await source.apply('permits', [say('b')], { recordedAt: at(2) });
          await mirrorOnce(mirror, served(source));
          const restored = mirrorOnce(mirror, served(older), { once: false });
          await expect(restored).rejects.toMatchObject({ code: 'register_changed' });
        });
        expect(await mirror.register('permits')).toMatchObject({ change: 2, total: 2 });
      });
    });

    it.each<readonly [string, number, (older: InspectedStore) => Promise<unknown>]>([
      ['has as many changes again', 1, async (older) => older.apply('permits', [say('x')], { recordedAt: at(4) })],
      ['has more', 1, async (older) => older.apply('permits', [say('x'), say('y')], { recordedAt: at(4) })],
      ['has more, from the first one on', 0, async (older) => older.apply('permits', some(9), { recordedAt: at(4) })],
      ['has the same records again', 1, async (older) => older.apply('permits', [say('b')], { recordedAt: at(2) })],
      ['has not as many', 1, async () => undefined],
      [
        'has erased what it has instead',
        1,
        async (older) => {
          await older.apply('permits', [say('x')], { recordedAt: at(4) });
          await older.redact('permits:x', { recordedAt: at(5) });
        },
      ],
    ])('mixes no histories where its source was restored under the name of its log, and %s', async (_, kept, grow) => {
      await withStores(async (__, mirror) => {
        const { source, older } = await restorable(some(kept));
        await source.apply('permits', [say('b')], { recordedAt: at(2) });
        await mirrorOnce(mirror, served(source));
        await grow(older);
        await expect(mirrorOnce(mirror, served(older))).rejects.toMatchObject({ code: 'register_changed' });
        expect(await mirror.register('permits')).toMatchObject({ change: kept + 1, total: kept + 1 });
        // It is not the mirror that is wrong.
        await source.apply('permits', [say('c')], { recordedAt: at(6) });
        expect(await mirrorOnce(mirror, served(source))).toEqual({ change: kept + 2, of: kept + 2 });
      });
    });

    it('mixes no histories where its source is restored between two pages', async () => {
      await withStores(async (_, mirror) => {
        const { source, older } = await restorable(some(50));
        await source.apply('permits', some(150).slice(50), { recordedAt: at(2) });
        await older.apply('permits', some(150, 'other').slice(50), { recordedAt: at(3) });
        const [before, after] = [served(source), served(older)];
        let pages = 0;
        const changing: typeof fetch = async (url, init) => {
          // The first one tells the name of the log alone.
          if (pathOf(url).endsWith('/changes')) pages++;
          return (pages < 3 ? before : after)(url, init);
        };
        await expect(mirrorOnce(mirror, changing)).rejects.toMatchObject({ code: 'register_changed' });
        expect(pages).toBe(3);
        expect(await mirror.register('permits')).toMatchObject({ change: 0 });
      });
    });

    it.each<readonly [string, (source: InspectedStore) => Promise<unknown>]>([
      ['was erased', (source) => source.redact('permits:b', { recordedAt: at(2) })],
      ['was withdrawn', (source) => source.withdraw('permits', ['permits:b'], { recordedAt: at(2) })],
      [
        'was renumbered, and then erased',
        async (source) => {
          const renumbered = [{ ...say('b'), key: 'new' }];
          await source.apply('permits', renumbered, { recordedAt: at(2), cause: 'renumbered' });
          await source.redact('permits:b', { recordedAt: at(2) });
          await source.lift('permits:b');
          await source.apply('permits', renumbered, { recordedAt: at(3) });
          await source.redact('permits:b', { recordedAt: at(4) });
        },
      ],
    ])('goes on where the last that it had %s meanwhile', async (_, change) => {
      await withMirror(async (source, mirror, answers) => {
        await change(source);
        await mirrorOnce(mirror, answers);
        await source.apply('permits', [say('c')], { recordedAt: at(5) });
        await mirrorOnce(mirror, answers);
        const mirrored = served(mirror);
        for (const path of PATHS) expect(await answerOf(mirrored, path)).toEqual(await answerOf(answers, path));
        expect(await inspected(mirror)).toEqual([]);
      });
    });

    it('follows on where a node of its source did not have yet what the mirror has', async () => {
      await withMirror(async (source, mirror, answers) => {
        await source.apply('permits', [say('c')], { recordedAt: at(2) });
        const stop = new AbortController();
        const troubles: string[] = [];
        const behind = answering(answers, '/changes', (body) => ({ ...body, versions: [] }));
        const following = mirrorOnce(mirror, (...asked) => (troubles.length === 0 ? behind : answers)(...asked), {
          ...{ once: false, signal: stop.signal, sleep: async () => undefined },
          onTrouble: ({ code }) => {
            troubles.push(code);
          },
          onProgress: () => {
            stop.abort();
          },
        });
        await expect(following).rejects.toMatchObject({ code: 'aborted' });
        expect(troubles).toEqual(['log_stale']);
        expect(await mirror.mirrors.find('permits')).toMatchObject({ change: 3, behind: 0 });
      });
    });

    it.each([
      [502, '<html>Bad gateway</html>'],
      [500, ''],
      [429, ''],
      [200, '<html>Back soon</html>'],
      [200, '{"change": 3, "defin'],
    ])('follows on after what is before its source answered %i with %j', async (status, body) => {
      await withMirror(async (source, mirror, answers) => {
        await source.apply('permits', [say('c')], { recordedAt: at(2) });
        const stop = new AbortController();
        const troubles: string[] = [];
        const following = mirrorOnce(
          mirror,
          async (...asked) => (troubles.length === 0 ? new Response(body, { status }) : answers(...asked)),
          {
            ...{ once: false, attempts: 2, signal: stop.signal, sleep: async () => undefined },
            onTrouble: ({ message }) => {
              troubles.push(message);
            },
            onProgress: () => {
              stop.abort();
            },
          },
        );
        await expect(following).rejects.toMatchObject({ code: 'aborted' });
        expect(troubles).toEqual([expect.stringContaining(status === 200 ? 'not JSON' : `answered ${status}`)]);
        expect(await mirror.mirrors.find('permits')).toMatchObject({ change: 3, behind: 0 });
      });
    });

    it('says that it was promoted while it followed', async () => {
      await withMirror(async (_, mirror, answers) => {
        const following = mirrorOnce(mirror, answers, {
          ...{ once: false, sleep: async () => mirror.mirrors.promote('permits', { at: at(3) }) },
        });
        await expect(following).rejects.toMatchObject({
          code: 'not_found',
          message: expect.stringContaining('gazette mirror promote') as string,
        });
      });
    });

    it.each([
      [1, 1],
      [99, 1],
      [100, 2],
      [198, 2],
    ])('asks for %i further changes with %i requests', async (count, requests) => {
      await withStores(async (source, mirror) => {
        await source.createRegister(openRegister(0));
        await source.apply('permits', [say('a')], { recordedAt: at(1) });
        await mirrorOnce(mirror, served(source));
        await source.apply('permits', some(count, 'other'), { recordedAt: at(2) });
        const answers = served(source);
        const asked: string[] = [];
        const progress = await mirrorOnce(mirror, async (url, init) => {
          asked.push(pathOf(url));
          return answers(url, init);
        });
        expect(progress).toEqual({ change: count + 1, of: count + 1 });
        const [register, ...pages] = asked;
        expect([register, pages.length]).toEqual([new URL(FEED).pathname, requests]);
      });
    });

    it('goes on with the log of its source once its store was restored', async () => {
      await withStores(async (source, mirror) => {
        await source.createRegister(openRegister(0));
        await mirror.createRegister(permits('own'));
        await source.apply('permits', [say('a'), say('b')], { recordedAt: at(1) });
        const answers = served(source);
        await mirrorOnce(mirror, answers);
        expect((await mirror.beginNewLogs({ at: at(2) })).map(({ feedId }) => feedId)).toEqual(['own']);
        await expect(mirror.beginNewLogs({ at: at(2), feedId: 'permits' })).rejects.toMatchObject({
          code: 'register_busy',
        });
        await source.apply('permits', [say('c')], { recordedAt: at(3) });
        expect(await mirrorOnce(mirror, answers)).toEqual({ change: 3, of: 3 });
        const mirrored = served(mirror);
        for (const path of PATHS) expect(await answerOf(mirrored, path)).toEqual(await answerOf(answers, path));
      });
    });

    it('is written by nobody else until it is promoted, and then has a log of its own', async () => {
      await withStores(async (source, mirror) => {
        await source.createRegister(openRegister(0));
        await source.apply('permits', [say('a'), say('b')], { recordedAt: at(1) });
        const answers = served(source);
        expect(await mirrorOnce(mirror, answers)).toEqual({ change: 2, of: 2 });
        const busy = { code: 'register_busy' };
        await expect(mirror.apply('permits', [say('c')], { recordedAt: at(2) })).rejects.toMatchObject(busy);
        await expect(mirror.withdraw('permits', ['permits:a'], { recordedAt: at(2) })).rejects.toMatchObject(busy);
        await expect(mirror.redact('permits:a', { recordedAt: at(2) })).rejects.toMatchObject(busy);
        await expect(mirror.lift('permits:a')).rejects.toMatchObject(busy);
        await expect(mirror.updateRegister(openRegister(1), { recordedAt: at(2) })).rejects.toMatchObject(busy);
        // While it follows, too: who waited for that would wait for ever.
        await holdRegister(mirror, 'permits', { what: `mirror ${FEED}`, ofMirror: true }, async () => {
          const waiting = holdRegister(mirror, 'permits', { what: 'import', wait: true }, () => Promise.resolve());
          await expect(waiting).rejects.toMatchObject({
            ...busy,
            message: expect.stringContaining('until gazette mirror promote permits') as string,
          });
          await expect(mirrorOnce(mirror, answers)).rejects.toMatchObject({
            ...busy,
            message: expect.stringMatching(/run the command again when that has ended$/) as string,
          });
        });

        const before = (await mirror.register('permits'))!.log;
        await mirror.mirrors.promote('permits', { at: at(3) });
        expect((await mirror.register('permits'))!.log).not.toBe(before);
        await mirror.apply('permits', [say('c')], { recordedAt: at(4) });
        expect(await mirror.mirrors.find('permits')).toBeNull();
        await expect(mirror.changes('permits', { since: 1, log: before, limit: 9 })).rejects.toMatchObject({
          code: 'log_restarted',
        });
        await expect(mirrorOnce(mirror, answers)).rejects.toMatchObject({ code: 'register_exists' });
      });
    });
  });
}

/** A version as a source answers it. */
interface Said {
  readonly record_id: string;
  readonly statement: object | null;
  readonly proof: { readonly entry: string };
}

/** 32 bytes that nothing is made of. */
const OTHER = Buffer.alloc(32, 9).toString('base64');

function entryOf({ proof }: Said, given: object): object {
  return { proof: { ...proof, entry: JSON.stringify({ ...(JSON.parse(proof.entry) as object), ...given }) } };
}

/** What happens to a source. */
class History {
  readonly #source: InspectedStore;
  #minute = 0;
  #definitions = 0;

  constructor(source: InspectedStore) {
    this.#source = source;
  }

  async act(one: Exclude<Act, { readonly kind: 'mirror' }>): Promise<void> {
    const source = this.#source;
    const recordedAt = at(++this.#minute);
    if (one.kind === 'import') {
      const cause = one.isCorrection ? 'extraction_correction' : 'source_change';
      const batch = one.rows.map(({ key, title, observed_at, amount, conditions, others }) =>
        say(key.replace('/', '~2F'), { title, observed_at, data: { ...others, conditions, amount } }),
      );
      const { number } = await source.imports.begin(
        'permits',
        { file: 'permits.csv', cause, who: null, begunAt: recordedAt },
        { key: new Uint8Array(32) },
      );
      const counts = await source.apply('permits', batch, { recordedAt, cause, import: number });
      await source.imports.end(number, {
        ...{ counts: { ...counts, withdrawn: 0, refused: 0 }, endedAt: recordedAt, error: null, digest: null },
      });
    } else if (one.kind === 'define') {
      await source.updateRegister(openRegister(++this.#definitions), { recordedAt });
    } else if (one.kind === 'undo') {
      const imports = await source.imports.list('permits', { limit: 9 });
      const undone = imports[one.pick];
      if (undone?.kind === 'file')
        await new Imports(source, { now: () => Date.parse(recordedAt) })
          .undo('permits', undone.number, { who: null })
          .catch((error: unknown) => {
            if (!isGazetteError(error)) throw error;
          });
    } else {
      const id = `permits:${one.key.replace('/', '~2F')}`;
      const stored = await source.record(id);
      if (stored === null) return;
      if (one.kind === 'redact') await source.redact(id, { recordedAt });
      else if (one.kind === 'lift') await source.lift(id);
      else if (one.kind === 'withdraw') await source.withdraw('permits', [id], { recordedAt });
      else if (stored.state === 'live') {
        const key = `new/${one.key}${this.#minute}`;
        const renumbered = { ...say(one.key.replace('/', '~2F')), key };
        await source.apply('permits', [renumbered], { recordedAt, cause: 'renumbered' });
      }
    }
  }
}
