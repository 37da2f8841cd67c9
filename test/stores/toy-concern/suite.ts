// A toy: bookmarks of accounts. This is its contract suite, which every database runs: with contract.ts, logic.ts and a
// migration of each database (in the tests that call this) it is all that a new concern takes.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Engine, Rule, Sql } from '../../../src/stores/logic/rule.ts';
import { createAccount, findAccount } from '../../../src/stores/logic/accounts.ts';
import { table } from '../../../src/stores/rows/sql.ts';
import { accountNamed } from '../../contracts/accounts.ts';
import { type BookmarkStore, MOST_BOOKMARKS, type NewBookmark } from './contract.ts';
import { bookmarksOn } from './logic.ts';

const ACCOUNTS = table('accounts');

/** Opens an engine with an empty table of bookmarks. */
export type OpenEngine = () => Promise<{ readonly engine: Engine; readonly dispose: () => Promise<void> }>;

/** A bookmark of `acme`. */
export function bookmark(name: string): NewBookmark {
  return { accountId: 'acme', name, isShared: name === 'shared', digest: Uint8Array.from([1, 2]) };
}

/** Registers the suite for one database. */
export function toyConcern(name: string, open: OpenEngine): void {
  describe(`a new concern on ${name}`, () => {
    let engine: Engine;
    let store: BookmarkStore;
    let dispose: () => Promise<void>;

    beforeEach(async () => {
      ({ engine, dispose } = await open());
      store = bookmarksOn(engine);
      await engine.write(createAccount, { ...accountNamed('acme'), isSuspended: false, limit: null, email: null });
    });
    afterEach(() => dispose());

    it('keeps what it is given, and reads it as its shape says', async () => {
      const made = await store.addBookmark(bookmark('shared'));
      expect({ ...made, digest: [...made.digest] }).toEqual({
        ...{ accountId: 'acme', name: 'shared', isShared: true, uses: 0, digest: [1, 2] },
      });
      await store.addBookmark(bookmark('mine'));
      const found = await store.bookmarks('acme');
      expect(found.map(({ name, isShared }) => [name, isShared])).toEqual([
        ['mine', false],
        ['shared', true],
      ]);
    });

    it('holds its rule when many come at once', async () => {
      const all = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map((text) => store.addBookmark(bookmark(text))));
      expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(MOST_BOOKMARKS);
      expect(await store.bookmarks('acme')).toHaveLength(MOST_BOOKMARKS);
    });

    it('refuses an account that does not exist, whether it reads or writes', async () => {
      const unknown = { code: 'unknown_account' };
      await expect(store.addBookmark({ ...bookmark('a'), accountId: 'x' })).rejects.toMatchObject(unknown);
      await expect(store.bookmarks('x')).rejects.toMatchObject(unknown);
      expect(await store.bookmarks('acme')).toEqual([]);
    });

    it('names the rule whose statement the database refuses', async () => {
      await store.addBookmark(bookmark('a'));
      await expect(store.addBookmark(bookmark('a'))).rejects.toMatchObject({
        ...{ code: 'internal_error', details: { rule: 'addBookmark' } },
        message: expect.stringMatching(/^the rule addBookmark failed: .*unique/i) as unknown,
      });
    });

    it('keeps nothing of a rule that throws', async () => {
      function* addAndFail(sql: Sql): Rule<never> {
        expect(yield* sql.run`UPDATE ${ACCOUNTS} SET is_suspended = 1`).toBe(1);
        throw new Error('after all');
      }
      await expect(engine.write(addAndFail)).rejects.toThrow('after all');
      expect(await engine.read(findAccount, 'acme')).toMatchObject({ isSuspended: false });
    });
  });
}
