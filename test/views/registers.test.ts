import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { RegisterViews } from '../../src/views/registers.ts';
import { at, permits, say } from '../contracts/store-register.ts';

let store: SqliteStore;
let changed: string[];
let views: RegisterViews;

beforeEach(async () => {
  store = SqliteStore.open(':memory:');
  changed = [];
  views = new RegisterViews(store, (feedId) => changed.push(feedId));
  await store.createRegister(permits());
  await store.apply('permits', [say('1'), say('2')], { recordedAt: at(1) });
});
afterEach(() => store.close());

describe('a view of a register', () => {
  it('is the same until something changes, and then another, which is told', async () => {
    const first = await views.view('permits');
    expect(await views.view('permits')).toBe(first);
    expect(await views.viewOfRecord('permits:1')).toBe(first);
    await store.apply('permits', [say('3')], { recordedAt: at(2) });
    const second = await views.view('permits');
    expect([first.entry.total, second.entry.total, changed]).toEqual([2, 3, ['permits']]);
    expect(second.revision).not.toBe(first.revision);
  });

  it.each(['nothing', 'permits\u0000', ''])('is none of what is not a register: %j', async (id) => {
    await expect(views.view(id)).rejects.toMatchObject({ code: 'unknown_feed' });
    await expect(views.viewOfRecord(`${id}:1`)).rejects.toMatchObject({ code: 'unknown_record' });
  });
});

describe('a record', () => {
  it('is live, withdrawn or unknown, and its history stays', async () => {
    await store.withdraw('permits', ['permits:2'], { recordedAt: at(2) });
    expect(await views.record('permits:1')).toMatchObject({ id: 'permits:1', version: 1 });
    await expect(views.record('permits:2')).rejects.toMatchObject({ code: 'record_withdrawn' });
    await expect(views.record('permits:3')).rejects.toMatchObject({ code: 'unknown_record' });
    const range = { offset: 0, limit: 10 };
    expect((await views.history('permits:2', range)).map(({ cause }) => cause)).toEqual([
      'withdrawn',
      'first_observed',
    ]);
    await expect(views.history('permits:3', range)).rejects.toMatchObject({ code: 'unknown_record' });
  });
});
