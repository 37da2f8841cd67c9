// What a reader may take from a date alone: services with one configuration and another, one after the other and side by side,
// over one store.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GazetteError } from '../../src/errors.ts';
import { createGazette } from '../../src/service/create-gazette.ts';
import type { ServiceStore } from '../../src/stores/contract/accounts.ts';
import { BASE_URL, world, type World, type OpenServiceStore, PRODUCT } from '../world.ts';
import { at, say } from './store-register.ts';

/** Addresses of every kind, of a register, of a record and of none. */
const PATHS = [
  ...['', '/feeds/permits', '/feeds/permits/register.xsd', '/feeds/permits/records', '/feeds/permits/changes'],
  ...['/feeds/permits/facets', '/feeds/permits/records/export.csv', '/feeds/permits/records/export.xlsx'],
  ...['/feeds/permits/records/export.xml', '/feeds/permits/records/export.rss', '/feeds/permits/records/export.atom'],
  ...['/records/permits:001', '/records/permits:001/history', '/openapi.json', '/reference'],
];

/** Another configuration writes other bytes of the same data. */
type Title = 'A' | 'B';

/** A running node. */
interface Node {
  readonly title: Title;
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Response>;
  close(): Promise<void>;
}

/** Runs the suite. */
export function configurationContract(name: string, open: OpenServiceStore): void {
  describe(`configurations over ${name}`, () => {
    let opened: Awaited<ReturnType<OpenServiceStore>>;
    let store: ServiceStore;
    let first: World;
    let now: number;
    const nodes: Node[] = [];
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
      first = await world({ store });
      // Its own configuration is noted.
      await first.pro('/feeds/permits');
      now = first.clock.now;
    });
    afterEach(async () => {
      for (const node of nodes.splice(0)) await node.close();
      await opened.dispose();
    });

    /** Starts a node, a minute later. */
    async function start(title: Title): Promise<Node> {
      now += 60_000;
      const tiers = { window: title === 'A' ? 3 : 2 };
      const clock = (): number => now;
      const gazette = createGazette({
        ...{ store, title, tiers, baseUrl: `${BASE_URL}/${title}`, product: PRODUCT, limits: null, now: clock },
      });
      const get: Node['get'] = (path, headers = {}) =>
        gazette.fetch(
          new Request(`${BASE_URL}/api/v1${path}`, { headers: { authorization: `Bearer ${first.key}`, ...headers } }),
        );
      const node = { title, get, close: () => gazette.close() };
      nodes.push(node);
      // Noted, and two seconds old.
      await get('/feeds/permits');
      now += 60_000;
      return node;
    }

    async function datesOf({ get }: Node): Promise<ReadonlyMap<string, string>> {
      const dates = new Map<string, string>();
      for (const path of PATHS) {
        const date = (await get(path)).headers.get('last-modified');
        if (date !== null) dates.set(path, date);
      }
      return dates;
    }

    /** Which of the addresses answer 304 to these dates. */
    async function unchanged({ get }: Node, dates: ReadonlyMap<string, string>): Promise<readonly string[]> {
      const paths: string[] = [];
      for (const [path, date] of dates) {
        const { status } = await get(path, { 'if-modified-since': date });
        if (status === 304) paths.push(path);
      }
      return paths;
    }

    it('honours every date after a restart, and on another node, also of a register that changed long before', async () => {
      const before = await start('A');
      const dates = await datesOf(before);
      expect([...dates.keys()].sort()).toEqual(PATHS.filter((path) => path !== '/openapi.json').sort());
      await before.close();
      expect(await unchanged(await start('A'), dates)).toEqual([...dates.keys()]);
      expect(await unchanged(await start('A'), dates)).toEqual([...dates.keys()]);
    });

    it('honours no date of another configuration: A, B, A again', async () => {
      const seen: ReadonlyMap<string, string>[] = [];
      for (const title of ['A', 'B', 'A', 'B'] as const) {
        const node = await start(title);
        for (const dates of seen) expect(await unchanged(node, dates)).toEqual([]);
        seen.push(await datesOf(node));
        expect(await unchanged(node, seen.at(-1)!)).toEqual([...seen.at(-1)!.keys()]);
        await node.close();
      }
    });

    it.each([0, -3600, 3600])(
      'tells two nodes of two configurations apart, and a writer %i s off',
      async (offSeconds) => {
        const [one, other] = [await start('A'), await start('B')];
        const states: (readonly [Title, ReadonlyMap<string, string>])[] = [];
        for (let change = 0; change < 3; change++) {
          for (const node of [one, other]) {
            for (const [title, dates] of states) {
              const same = title === node.title && states.at(-1)![1] === dates ? [...dates.keys()] : [];
              const told = await unchanged(node, dates);
              expect(told.filter((path) => !same.includes(path) && isOfRegister(path))).toEqual([]);
            }
            states.push([node.title, await datesOf(node)]);
          }
          const recordedAt = new Date(now + offSeconds * 1000).toISOString();
          await store.apply('permits', [say(`x${change}`, { title: `change ${change}` })], { recordedAt });
          now += 5000;
        }
      },
    );

    it('honours no date of a configuration in between on a node that was there before', async () => {
      const before = await start('A');
      const dates = await datesOf(before);
      const between = await start('B');
      await store.apply('permits', [say('x', { title: 'changed' })], { recordedAt: new Date(now).toISOString() });
      now += 60_000;
      const others = await datesOf(between);
      const after = await start('A');
      for (const node of [before, after]) {
        expect((await unchanged(node, others)).filter(isOfRegister)).toEqual([]);
        expect((await unchanged(node, dates)).filter(isOfRegister)).toEqual([]);
      }
    });

    it('sends no date before the configuration is noted, and notes it as soon as the store can be written', async () => {
      const begin = vi.spyOn(store.configuration, 'begin');
      begin.mockRejectedValue(new GazetteError('store_busy', 'others write'));
      const node = await start('A');
      expect([...(await datesOf(node)).keys()]).toEqual([]);
      begin.mockRestore();
      await node.get('/feeds/permits');
      const dates = await datesOf(node);
      expect(dates.size).toBe(PATHS.length - 1);
      expect(await unchanged(node, dates)).toEqual([...dates.keys()]);
    });

    it('keeps one time for one configuration, after every change before it and before every one after it', async () => {
      const dateOf = async (): Promise<number> => (await store.register('permits'))!.lastModified!;
      await store.apply('permits', [say('a', { title: 'ahead' })], { recordedAt: at(100_000) });
      const ahead = await dateOf();
      const a = await store.configuration.begin('a', 1000);
      expect(a).toBeGreaterThan(ahead);
      expect(await store.configuration.begin('a', a + 5000)).toBe(a);
      const b = await store.configuration.begin('b', a + 5000);
      expect([b, await store.configuration.since()]).toEqual([a + 5000, a + 5000]);
      expect(await store.configuration.begin('a', 1000)).toBe(b + 1);
      await store.apply('permits', [say('b', { title: 'behind' })], { recordedAt: at(0) });
      expect(await dateOf()).toBeGreaterThan(b + 1);
    });
  });
}

const isOfRegister = (path: string): boolean => path.includes('permits');
