// A toy: bookmarks of accounts. This is its file in stores/contract/, the promises.

/** A register that an account wants to find again. */
export interface Bookmark {
  readonly accountId: string;
  readonly name: string;
  /** Whether others see it. */
  readonly isShared: boolean;
  /** How many times it has been opened. */
  readonly uses: number;
  readonly digest: Uint8Array;
}

/** A bookmark to be kept. */
export type NewBookmark = Omit<Bookmark, 'uses'>;

/** The most bookmarks of one account. */
export const MOST_BOOKMARKS = 3;

/** Bookmarks. */
export interface BookmarkStore {
  /**
   * Keeps a bookmark.
   *
   * @throws GazetteError `unknown_account`; `invalid_option` when the account has {@link MOST_BOOKMARKS} already
   */
  addBookmark(bookmark: NewBookmark): Promise<Bookmark>;

  /** The bookmarks of an account, by name. @throws GazetteError `unknown_account` */
  bookmarks(accountId: string): Promise<readonly Bookmark[]>;
}
