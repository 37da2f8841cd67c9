// How the owner of an account signs in: one-time links and the sessions that they begin. Of both a store keeps only
// digests; operate/sign-in.ts makes the secrets and decides how long they work.

/** A link to sign in with, to be stored. Times are RFC 3339 date-times. */
export interface NewSignInLink {
  /** The account that it signs in to. */
  readonly accountId: string;
  /** SHA-256 of its secret: 32 bytes. */
  readonly digest: Uint8Array;
  /** When it was asked for. */
  readonly createdAt: string;
  /** When it stops working. */
  readonly endsAt: string;
}

/** How many links an account may be sent by e-mail. */
export interface MailLimit {
  /** How many since {@link since}. */
  readonly most: number;
  /** When the time that counts began. */
  readonly since: string;
}

/** A session to be stored. Times are as in {@link NewSignInLink}. */
export interface NewSession {
  /** SHA-256 of its secret: 32 bytes. */
  readonly digest: Uint8Array;
  /** When it begins. */
  readonly createdAt: string;
  /** When it ends. */
  readonly endsAt: string;
}

/**
 * Links and sessions. A change applies to every process on the store as soon as its promise resolves. `Owner` is an account
 * (accounts.ts).
 */
export interface SignInStore<Owner> {
  /**
   * Stores a link. Any other link of the account stops working.
   *
   * @param options.mail counts the link as one sent by e-mail. Absent: it is not counted.
   * @returns false, with nothing changed, if the account was sent as many links as it may be
   * @throws GazetteError `unknown_account`, `invalid_option`
   */
  keepLink(link: NewSignInLink, options?: { readonly mail?: MailLimit }): Promise<boolean>;

  /** The account that a link signs in to at the time `at`, or null if it does not work then. Uses nothing up. */
  findLink(digest: Uint8Array, options: { readonly at: string }): Promise<Owner | null>;

  /**
   * Uses a link up and begins a session. Of several calls with one link, one begins a session.
   *
   * @returns the account, or null if the link does not work when the session begins
   * @throws GazetteError `invalid_option`
   */
  useLink(digest: Uint8Array, session: NewSession): Promise<Owner | null>;

  /** The account that is signed in by a session at the time `at`. Null: the session is unknown, or has ended. */
  findSession(digest: Uint8Array, options: { readonly at: string }): Promise<Owner | null>;

  /** Ends one session. An unknown one is ignored. */
  endSession(digest: Uint8Array): Promise<void>;

  /** Ends all sessions of an account, and its link. @returns how many sessions it had, of which some may have ended */
  endSessions(accountId: string): Promise<number>;

  /** Deletes links and sessions that have ended, and counts of e-mails, all from before this time. */
  prune(options: { readonly before: string }): Promise<void>;
}
