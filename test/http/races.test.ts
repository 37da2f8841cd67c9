// Changes that are committed in the middle of an answer: between its entity tag, its bytes, and the cache of bytes. Each
// interleaving is forced.
import { expect, it } from 'vitest';
import { openRequestContext, placeOf } from '../../src/http/request-context.ts';
import { jsonBody, ServiceContext } from '../../src/http/service-context.ts';
import { createGazette } from '../../src/service/create-gazette.ts';
import type { RegisterSource } from '../../src/register/sources/source.ts';
import type { WrittenBody } from '../../src/web/representation.ts';
import { DelegatingStore } from '../contracts/delegating-store.ts';
import { type World, world, keyAt, statementAt } from '../world.ts';
import { at, permits } from '../contracts/store-register.ts';
import { Sight } from '../../src/views/sight.ts';

const COUNT = 5;

/** Commits something just before the next read of records or versions. */
class ChangingStore extends DelegatingStore {
  change: (() => Promise<unknown>) | null = null;
  /** The same just after the next read of a revision. */
  changeAfterRevision: (() => Promise<unknown>) | null = null;

  override async source(...given: Parameters<DelegatingStore['source']>): Promise<RegisterSource> {
    const source = await super.source(...given);
    const page: RegisterSource['page'] = async (query) => {
      await this.#changed();
      return source.page(query);
    };
    const revision = async (): Promise<string> => {
      const read = await source.revision!();
      const { changeAfterRevision } = this;
      this.changeAfterRevision = null;
      await changeAfterRevision?.();
      return read;
    };
    return Object.create(source, { page: { value: page }, revision: { value: revision } }) as RegisterSource;
  }

  override async record(...given: Parameters<DelegatingStore['record']>): ReturnType<DelegatingStore['record']> {
    await this.#changed();
    return super.record(...given);
  }

  override async history(...given: Parameters<DelegatingStore['history']>): ReturnType<DelegatingStore['history']> {
    await this.#changed();
    return super.history(...given);
  }

  override async changes(...given: Parameters<DelegatingStore['changes']>): ReturnType<DelegatingStore['changes']> {
    await this.#changed();
    return super.changes(...given);
  }

  async #changed(): Promise<void> {
    const { change } = this;
    this.change = null;
    await change?.();
  }
}

const PATHS: readonly string[] = [
  '/feeds/permits/records',
  '/feeds/permits/changes',
  ...['csv', 'xlsx', 'xml', 'rss', 'atom'].map((format) => `/feeds/permits/records/export.${format}`),
  `/records/permits:${keyAt(COUNT)}`,
  `/records/permits:${keyAt(COUNT)}/history`,
];

async function answerOf(service: World, path: string): Promise<{ readonly tag: string; readonly body: string }> {
  const response = await service.get(path, service);
  expect([path, response.status]).toEqual([path, 200]);
  return { tag: response.headers.get('ETag')!, body: Buffer.from(await response.arrayBuffer()).toString('base64') };
}

it.each(PATHS)('%s never has one strong tag for the bytes of two revisions', async (path) => {
  const store = new ChangingStore();
  const service = await world({ store, records: COUNT, cacheBytes: 0 });
  const before = await answerOf(service, path);
  store.change = () =>
    store.apply('permits', [{ ...statementAt(COUNT, COUNT), title: 'Changed' }], { recordedAt: at(7) });
  const amid = await answerOf(service, path);
  expect(store.change).toBeNull();
  expect(amid.body).not.toBe(before.body);
  expect(amid.tag).not.toBe(before.tag);
  // And a client that comes back with that tag is told truly whether it is what there is.
  const after = await answerOf(service, path);
  const again = await service.get(path, { key: service.key, headers: { 'If-None-Match': amid.tag } });
  if (again.status === 304) expect(amid.body).toBe(after.body);
  await service.close();
  await store.close();
});

it('an answer from between two revisions is not what the next one is made of', async () => {
  const store = new ChangingStore();
  const service = await world({ store, records: COUNT });
  const path = '/feeds/permits/records';
  const say = (title: string) =>
    store.apply('permits', [{ ...statementAt(COUNT, COUNT), title }], { recordedAt: at(7) });
  store.change = () => say('Amid');
  const amid = await answerOf(service, path);
  await say('After');
  const after = await answerOf(service, path);
  expect(Buffer.from(amid.body, 'base64').toString()).toContain('Amid');
  expect(Buffer.from(after.body, 'base64').toString()).toContain('After');
  await service.close();
  await store.close();
});

it('keeps no bytes of a register that is found changed at any moment while they are made', async () => {
  const store = new DelegatingStore();
  await store.createRegister(permits());
  const service = new ServiceContext({ store, sight: new Sight({}), now: Date.now });
  const context = openRequestContext(new Request('https://example.org/api/v1/feeds'), 'id', {}, placeOf({}));
  const kept: number[] = [];
  for (let turns = 0; turns < 20; turns++) {
    const view = await service.registers.view('permits');
    await store.apply('permits', [statementAt(turns + 1, 30)], { recordedAt: at(7 + turns) });
    let written = 0;
    const ask = () =>
      service.written(context, view, `"${turns}"`, async () => {
        for (let turn = 0; turn < 10; turn++) await Promise.resolve();
        written++;
        return jsonBody({});
      });
    const asked = ask();
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    await Promise.all([asked, service.registers.view('permits')]);
    await ask();
    if (written === 1) kept.push(turns);
  }
  expect(kept).toEqual([]);
  await store.close();
});

it('keeps no bytes of a register that another request found changed before they were kept', async () => {
  const store = new ChangingStore();
  await store.createRegister(permits());
  const service = new ServiceContext({ store, sight: new Sight({}), now: Date.now });
  const view = await service.registers.view('permits');
  let written = 0;
  const ask = (etag: string) => {
    const write = (): WrittenBody => {
      written++;
      return jsonBody({});
    };
    const context = openRequestContext(new Request('https://example.org/api/v1/feeds'), 'id', {}, placeOf({}));
    return service.answer(context, { view, etag, isText: true, write });
  };
  await ask('"kept"');
  await ask('"kept"');
  expect(written).toBe(1);
  store.changeAfterRevision = async () => {
    await store.apply('permits', [statementAt(1, COUNT)], { recordedAt: at(7) });
    // The other request: what the cache has of this register goes.
    await service.registers.view('permits');
  };
  await ask('"forgotten"');
  await ask('"forgotten"');
  expect([written, store.changeAfterRevision]).toEqual([3, null]);
  // Nor what had been kept before: an erased record must not stay in memory.
  await ask('"kept"');
  expect(written).toBe(4);
  await store.close();
});

it('asks the store for nothing once a client has gone that waited for its turn', async () => {
  /** Takes longer than a turn may. */
  class SlowStore extends DelegatingStore {
    asked = 0;

    override stamp(): number {
      this.asked++;
      const end = performance.now() + 20;
      while (performance.now() < end);
      return super.stamp();
    }
  }
  const store = new SlowStore();
  const errors: unknown[] = [];
  const logger = { info: () => undefined, error: (fields: object) => errors.push(fields) };
  const service = createGazette({ store, logger });
  const ask = (signal?: AbortSignal): Promise<Response> =>
    service.fetch(new Request('https://example.org/api/v1/feeds', signal === undefined ? {} : { signal }));
  const gone = new AbortController();
  const answers = [ask(), ask(gone.signal), ask()];
  gone.abort();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 499, 200]);
  expect([store.asked, errors]).toEqual([2, []]);
  await service.close();
  await store.close();
});
