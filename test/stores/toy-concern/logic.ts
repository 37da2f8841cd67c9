// A toy: bookmarks of accounts. This is its file in stores/logic/, two rules for both databases.
import { GazetteError } from '../../../src/errors.ts';
import { findAccount } from '../../../src/stores/logic/accounts.ts';
import type { Engine, Rule, Sql } from '../../../src/stores/logic/rule.ts';
import { ACCOUNT, unknownAccount } from '../../../src/stores/rows/accounts.ts';
import { FOR_UPDATE, numberIn, table } from '../../../src/stores/rows/sql.ts';
import { byDefault, bytes, FLAG, Table, TEXT, whole } from '../../../src/stores/rows/table.ts';
import { type Bookmark, type BookmarkStore, MOST_BOOKMARKS, type NewBookmark } from './contract.ts';

const ACCOUNTS = table('accounts');

/** Their table. */
const BOOKMARKS = new Table(
  'bookmarks',
  { account_id: TEXT, name: TEXT, is_shared: FLAG, uses: byDefault(whole(0), 0), digest: bytes(32, 32) },
  { key: ['account_id', 'name'], isKeyed: true },
);

/** For the list of all tables. */
export const BOOKMARK_TABLES: readonly Table[] = [BOOKMARKS];

const COUNT = numberIn('count(*)');

const BOOKMARK = BOOKMARKS.shape({
  accountId: 'account_id',
  name: 'name',
  isShared: 'is_shared',
  uses: 'uses',
  digest: 'digest',
});

/** The bookmarks of a store. */
export function bookmarksOn(engine: Engine): BookmarkStore {
  return {
    addBookmark: (bookmark) => engine.write(addBookmark, bookmark),
    bookmarks: (accountId) => engine.read(bookmarksOf, accountId),
  };
}

function* addBookmark(sql: Sql, { accountId, name, isShared, digest }: NewBookmark): Rule<Bookmark> {
  // Locked: two that are added at once must not both be the last one.
  const account = yield* sql.one(ACCOUNT)`SELECT ${ACCOUNT} FROM ${ACCOUNTS} WHERE id = ${accountId} ${FOR_UPDATE}`;
  if (account === null) throw unknownAccount(accountId);
  const count = yield* sql.one(COUNT)`SELECT ${COUNT} FROM ${BOOKMARKS} WHERE account_id = ${accountId}`;
  if (count === MOST_BOOKMARKS) throw new GazetteError('invalid_option', `an account has ${MOST_BOOKMARKS} bookmarks`);
  const bookmark = yield* sql.one(BOOKMARK)`INSERT INTO ${BOOKMARKS} (account_id, name, is_shared, digest)
    VALUES (${accountId}, ${name}, ${Number(isShared)}, ${digest}) RETURNING ${BOOKMARK}`;
  return bookmark!;
}

function* bookmarksOf(sql: Sql, accountId: string): Rule<readonly Bookmark[]> {
  const bookmarks = yield* sql.all(BOOKMARK)`SELECT ${BOOKMARK} FROM ${BOOKMARKS} WHERE account_id = ${accountId}
    ORDER BY name`;
  if (bookmarks.length === 0 && (yield* findAccount(sql, accountId)) === null) throw unknownAccount(accountId);
  return bookmarks;
}
