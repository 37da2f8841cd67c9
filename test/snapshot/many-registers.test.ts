// A snapshot of many registers: a run asks the store for those that changed alone, and their list is in pages.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { atom } from '../../src/formats/feeds/atom.ts';
import { rss } from '../../src/formats/feeds/rss.ts';
import { type SnapshotResult, writeSnapshot } from '../../src/snapshot/run.ts';
import { verifySnapshot } from '../../src/snapshot/verify.ts';
import { DelegatingStore } from '../contracts/delegating-store.ts';
import { at, permits, say } from '../contracts/store-register.ts';
import { folder, SITE } from './published.ts';

const idOf = (number: number): string => `feed-${String(number).padStart(3, '0')}`;

/** Notes which registers it is asked for. */
class NotingStore extends DelegatingStore {
  asked: string[] = [];

  override registers(): never {
    throw new Error('all registers were loaded at once');
  }

  override register(feedId: string): ReturnType<DelegatingStore['register']> {
    this.asked.push(feedId);
    return super.register(feedId);
  }

  override source(feedId: string): ReturnType<DelegatingStore['source']> {
    this.asked.push(feedId);
    return super.source(feedId);
  }

  override changes(...given: Parameters<DelegatingStore['changes']>): ReturnType<DelegatingStore['changes']> {
    this.asked.push(given[0]);
    return super.changes(...given);
  }
}

async function manyRegisters(
  count: number,
): Promise<{ store: NotingStore; out: string; run: () => Promise<SnapshotResult> }> {
  const [store, out] = [new NotingStore(), await folder()];
  for (let number = 0; number < count; number++) {
    await store.createRegister({ ...permits(idOf(number)), uuid: null });
    await store.apply(idOf(number), [say('1', {}, idOf(number))], { recordedAt: at(0) });
  }
  const run = (): Promise<SnapshotResult> => {
    store.asked = [];
    return writeSnapshot({ store, out, baseUrl: SITE, formats: [atom, rss] });
  };
  return { store, out, run };
}

describe('a snapshot of many registers', () => {
  it('asks the store of a later run for the registers that changed alone', async () => {
    const count = 20;
    const { store, out, run } = await manyRegisters(count);
    expect(await run()).toMatchObject({ registers: { length: count } });
    expect(new Set(store.asked).size).toBe(count);
    expect(await run()).toMatchObject({ registers: { length: count }, written: 0 });
    expect(store.asked).toEqual([]);

    await store.apply(idOf(7), [say('2', {}, idOf(7))], { recordedAt: at(1) });
    const { registers } = await run();
    expect(registers.filter(({ written }) => written > 0).map(({ feedId }) => feedId)).toEqual([idOf(7)]);
    expect(new Set(store.asked)).toEqual(new Set([idOf(7)]));
    await rm(join(out, idOf(5), 'index.rss'));
    await run();
    expect(new Set(store.asked)).toEqual(new Set([idOf(5)]));
    expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', registers: count, records: count + 1 });
  });

  it('lists fifty registers on each of its pages, which lead to each other', async () => {
    const count = 120;
    const { out, run } = await manyRegisters(count);
    await run();
    const pages = await Promise.all(
      ['index', 'index-2', 'index-3'].map((name) => readFile(join(out, `${name}.html`), 'utf8')),
    );
    const listed = pages.map((page) =>
      Array.from(page.matchAll(/<h2><a href="([^/"]+)\/index\.html"/g), ([, id]) => id),
    );
    expect(listed.map(({ length }) => length)).toEqual([50, 50, 20]);
    expect(listed.flat()).toEqual(Array.from({ length: count }, (_, number) => idOf(number)));
    const links = pages.map((page) => Array.from(page.matchAll(/rel="(?:prev|next)" href="([^"]+)"/g), ([, to]) => to));
    expect(links).toEqual([['index-2.html'], ['index.html', 'index-3.html'], ['index-2.html']]);
  });
});
