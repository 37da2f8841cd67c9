// Views of registers: when they are read again, and that what they say belongs to one state of the store.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RegisterEntry } from '../../src/stores/contract/registers.ts';
import type { RegisterSource } from '../../src/register/sources/source.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { RegisterViews } from '../../src/views/registers.ts';
import { DelegatingStore } from '../contracts/delegating-store.ts';
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

/** Counts how often a revision is asked for. */
class AskedStore extends DelegatingStore {
  asked = 0;

  override async source(...given: Parameters<DelegatingStore['source']>): Promise<RegisterSource> {
    const source = await super.source(...given);
    const revision: RegisterSource['revision'] = () => {
      this.asked++;
      return source.revision!();
    };
    return Object.create(source, { revision: { value: revision } }) as RegisterSource;
  }
}

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

  it('is forgotten for that of another register, where more are asked for than are remembered', async () => {
    const few = new RegisterViews(store, (feedId) => changed.push(feedId), { maxViews: 2 });
    for (const id of ['notices', 'permissions']) await store.createRegister({ ...permits(id), uuid: null });
    const first = await few.view('permits');
    const second = await few.view('notices');
    expect(await few.view('permits')).toBe(first);
    await few.view('permissions');
    expect([few.isCurrent(first), few.isCurrent(second)]).toEqual([false, true]);
    const again = await few.view('permits');
    expect([again === first, again.revision]).toEqual([false, first.revision]);
    expect(changed).toEqual([]);
  });

  it('is asked for again only when the stamp is not the one it was last found under', async () => {
    const first = await views.view('permits');
    expect(await views.view('permits', 1)).toBe(first);
    // No stamp of a store stays the same when it changes: here it shows that the store is not asked.
    await store.apply('permits', [say('3')], { recordedAt: at(2) });
    expect(await views.view('permits', 1)).toBe(first);
    const second = await views.view('permits', 2);
    expect([second.entry.total, views.isCurrent(first), views.isCurrent(second)]).toEqual([3, false, true]);
  });

  it('is asked for once by all who come at the same time under the same stamp', async () => {
    const asking = new AskedStore();
    await asking.createRegister(permits());
    const counting = new RegisterViews(asking, () => undefined);
    /** How often the revision is asked for by requests with these stamps. */
    const askedBy = async (...stamps: (number | undefined)[]): Promise<number> => {
      const before = asking.asked;
      await Promise.all(stamps.map((stamp) => counting.view('permits', stamp)));
      return asking.asked - before;
    };
    const load = await askedBy(1);
    expect([load > 0, await askedBy(2, 2, 2), await askedBy(2)]).toEqual([true, 1, 0]);
    // What was asked under an earlier stamp says nothing about a later one, and nothing is known without.
    expect([await askedBy(3, 4, 4), await askedBy(undefined, undefined)]).toEqual([2, 2]);
    await asking.close();
  });

  it.each(['nothing', 'permits\u0000', ''])('is none of what is not a register: %j', async (id) => {
    await expect(views.view(id)).rejects.toMatchObject({ code: 'unknown_feed' });
    await expect(views.viewOfRecord(`${id}:1`)).rejects.toMatchObject({ code: 'unknown_record' });
  });
});

/** Commits something after the register was read, and before its revision is read. */
class ChangingStore extends DelegatingStore {
  change: () => Promise<unknown> = () => Promise.resolve();

  override async register(feedId: string): Promise<RegisterEntry | null> {
    const entry = await super.register(feedId);
    await this.change();
    return entry;
  }
}

describe('a view that is made while its register changes', () => {
  let changing: ChangingStore;
  let count: number;
  beforeEach(async () => {
    count = 0;
    changing = new ChangingStore();
    views = new RegisterViews(changing, () => undefined);
    await changing.createRegister(permits());
    await changing.apply('permits', [say('1')], { recordedAt: at(1) });
  });
  afterEach(() => changing.close());

  async function add(): Promise<void> {
    await changing.apply('permits', [say(`new-${++count}`)], { recordedAt: at(2) });
  }

  it('says what belongs to its revision', async () => {
    changing.change = async () => {
      if (count === 0) await add();
    };
    const view = await views.view('permits');
    expect([view.entry.total, view.revision]).toEqual([2, await view.source.revision!()]);
    expect(view.lastModified).not.toBeNull();
    const { entry } = await views.view('permits');
    expect(entry).toBe(view.entry);
  });

  it('has no date when the register does not stop changing', async () => {
    changing.change = add;
    expect(await views.view('permits')).toMatchObject({ lastModified: null });
    expect(count).toBeGreaterThan(1);
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
