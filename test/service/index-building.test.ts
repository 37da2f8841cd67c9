// While the words of a register are being indexed: q is answered with 503, everything else as ever, and the service indexes in
// the background, tells how far it is, and stops when it is closed.
import { describe, expect, it } from 'vitest';
import { IndexBuilder } from '../../src/operate/registers/index-builder.ts';
import type { FindingStore, IndexProgress } from '../../src/stores/contract/finding.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { DelegatingStore } from '../contracts/delegating-store.ts';
import { world, keyAt } from '../world.ts';
import { at, permits, say } from '../contracts/store-register.ts';
import { until } from '../until.ts';

const COUNT = 1200;

/** Another definition of the register, by which its records have other terms. */
const FILTERABLE = {
  ...permits(),
  fields: permits().fields.map((field) =>
    field.name === 'applicant' ? { ...field, filterable: true as const } : field,
  ),
};

/** A store that looks for incomplete indexes, and indexes, only when it is let. */
class GatedStore extends DelegatingStore {
  readonly looks = Promise.withResolvers<undefined>();
  readonly builds = Promise.withResolvers<undefined>();
  built = 0;

  override get finding(): FindingStore {
    const { finding } = this.store;
    return {
      incomplete: async () => {
        await this.looks.promise;
        return finding.incomplete();
      },
      build: async (feedId) => {
        if (this.built++ > 0) await this.builds.promise;
        return finding.build(feedId);
      },
    };
  }
}

describe('a service whose index is not complete', () => {
  it('refuses words with 503, answers everything else, and says how far it is', async () => {
    const store = new GatedStore();
    const lines: { readonly indexed?: number }[] = [];
    const logger = { info: (line: object) => lines.push(line), error: (line: object) => lines.push(line) };
    const service = await world({ store, records: COUNT, logger });
    const { key } = service;
    await store.updateRegister(FILTERABLE, { recordedAt: at(2) });
    store.looks.resolve(undefined);
    await until('the second batch', () => store.built === 2);

    for (const path of ['/records?q=decision', '/records/export.csv?q=decision', '/facets?q=decision']) {
      const response = await service.get(`/feeds/permits${path}`, { key });
      expect([path, response.status]).toEqual([path, 503]);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(await response.json()).toMatchObject({ code: 'index_building' });
    }
    // The public's three records need no index.
    expect((await service.list('/feeds/permits/records?q=decision')).records).toHaveLength(3);
    const listed = await service.list('/feeds/permits/records?document_type=adopted&limit=2', { key });
    expect(listed.records.map((record) => record.key)).toEqual([keyAt(1200), keyAt(1197)]);
    const applicants = '/feeds/permits/records?data.applicant=open%20applicant';
    expect((await service.list(applicants, { key })).records).toHaveLength(3);
    expect(await service.metrics.registry.metrics()).toContain('gazette_index_positions_waiting 700');
    const asked = [applicants, '/feeds/permits/facets?field=data.applicant', '/feeds/permits/records/export.csv?key=x'];
    const tagOf = async (path: string): Promise<string> => (await service.get(path, { key })).headers.get('etag')!;
    const before = await Promise.all(asked.map(tagOf));
    expect(await Promise.all(asked.map(tagOf))).toEqual(before);

    // Counted in the records, and later by counters: another answer of the same revision.
    const facets = '/feeds/permits/facets?field=data.applicant';
    const counted = await service.get(facets, { key });
    const values = await counted.json();
    expect(values).toMatchObject({ bounded: false, facets: [{ field: 'data.applicant', more: 0 }] });

    store.builds.resolve(undefined);
    await until('the index', async () => (await service.get('/feeds/permits/records?q=decision', { key })).ok);
    await until('the figure', async () =>
      (await service.metrics.registry.metrics()).includes('gazette_index_positions_waiting 0'),
    );
    const etag = counted.headers.get('etag')!;
    const after = await service.get(facets, { key, headers: { 'if-none-match': etag } });
    expect([after.status, await after.json()]).toEqual([200, values]);
    // Answers may end elsewhere than those of before: no client is told that it has them.
    for (const [index, path] of asked.entries()) {
      const { status } = await service.get(path, { key, headers: { 'If-None-Match': before[index]! } });
      expect([path, status]).toEqual([path, 200]);
    }
    const told = lines.filter(({ indexed }) => indexed !== undefined);
    expect(told).toEqual([
      { register: 'permits', positions: COUNT, indexed: 500 },
      { register: 'permits', positions: COUNT, indexed: 1000 },
      { register: 'permits', positions: COUNT, indexed: COUNT },
    ]);
  });
});

describe('an index builder', () => {
  async function incomplete(count: number): Promise<SqliteStore> {
    const store = SqliteStore.open(':memory:');
    await store.createRegister(permits());
    const batch = Array.from({ length: count }, (_, index) => say(String(index)));
    await store.apply('permits', batch, { recordedAt: at(1) });
    await store.updateRegister(FILTERABLE, { recordedAt: at(2) });
    return store;
  }

  it('looks again after a while, and finds what became incomplete meanwhile', async () => {
    const store = await incomplete(3);
    const builder = new IndexBuilder(store.finding, { intervalMs: 1 });
    builder.start();
    await until('the index', async () => (await store.finding.incomplete()).length === 0);
    await store.updateRegister(permits(), { recordedAt: at(3) });
    await until('the next index', async () => (await store.finding.incomplete()).length === 0);
    await builder.close();
    await store.close();
  });

  it('indexes no more once it is closed', async () => {
    const store = await incomplete(COUNT);
    const told: IndexProgress[] = [];
    const builder: IndexBuilder = new IndexBuilder(store.finding, {
      onProgress: (_, progress) => {
        told.push(progress);
        closing ??= builder.close();
      },
    });
    let closing: Promise<void> | undefined;
    builder.start();
    await until('the first batch', () => told.length > 0);
    await closing;
    expect(told).toEqual([{ done: 500, all: COUNT }]);
    expect(await store.finding.incomplete()).toEqual(['permits']);
    await store.close();
  });

  it('passes over a register that is removed meanwhile, and goes on with the next', async () => {
    const store = await incomplete(3);
    await store.createRegister(permits('sites'));
    await store.apply('sites', [say('1', {}, 'sites')], { recordedAt: at(1) });
    await store.updateRegister({ ...permits('sites'), fields: FILTERABLE.fields }, { recordedAt: at(2) });
    const asked: string[] = [];
    const removing: FindingStore = {
      incomplete: () => store.finding.incomplete(),
      async build(feedId) {
        asked.push(feedId);
        if (feedId === 'permits') await store.removeRegister(feedId);
        return store.finding.build(feedId);
      },
    };
    const errors: unknown[] = [];
    const builder = new IndexBuilder(removing, { onError: (error) => errors.push(error) });
    builder.start();
    await until('the look to end', async () => (await store.finding.incomplete()).length === 0 || errors.length > 0);
    await builder.close();
    expect(errors).toEqual([]);
    expect(asked).toEqual(['permits', 'sites']);
    await store.close();
  });

  it('tells of other failures, and tries again', async () => {
    const store = await incomplete(3);
    const broken = new Error('the disk is full');
    let builds = 0;
    const failing: FindingStore = {
      incomplete: () => store.finding.incomplete(),
      build: async (feedId) => {
        if (++builds === 1) throw broken;
        return store.finding.build(feedId);
      },
    };
    const errors: unknown[] = [];
    const builder = new IndexBuilder(failing, { intervalMs: 1, onError: (error) => errors.push(error) });
    builder.start();
    await until('the index', async () => (await store.finding.incomplete()).length === 0);
    await builder.close();
    expect(errors).toEqual([broken]);
    await store.close();
  });
});
