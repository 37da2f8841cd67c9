// How owners of accounts and editors of the desk sign in: one-time links and the sessions that they begin. Of both a store
// keeps only digests; operate/sign-in.ts makes the secrets and decides how long they work.

/** What somebody signs in to: an account, or the desk as an editor. A link or a session of one kind is none of the other. */
export type SignInKind = 'account' | 'editor';

/** Who signs in. */
export interface SignInOwner {
  readonly kind: SignInKind;
  /** The id of an account, or the name of an editor. */
  readonly id: string;
}

/** A link to sign in with, to be stored. Times are RFC 3339 date-times. */
export interface NewSignInLink {
  /** Whom it signs in. */
  readonly owner: SignInOwner;
  /** SHA-256 of its secret: 32 bytes. */
  readonly digest: Uint8Array;
  /** When it was asked for. */
  readonly createdAt: string;
  /** When it stops working. */
  readonly endsAt: string;
}

/** How many links somebody may be sent by e-mail. */
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

/** Links and sessions. A change applies to every process on the store as soon as its promise resolves. */
export interface SignInStore {
  /**
   * Stores a link. Any other link of its owner stops working.
   *
   * @param options.mail counts the link as one sent by e-mail. Absent: it is not counted.
   * @returns false, with nothing changed, if the owner was sent as many links as may be
   * @throws GazetteError `unknown_account`, `unknown_editor`, `invalid_option`
   */
  keepLink(link: NewSignInLink, options?: { readonly mail?: MailLimit }): Promise<boolean>;

  /** The id of whom a link signs in at the time `at`, or null if it does not work then. Uses nothing up. */
  findLink(kind: SignInKind, digest: Uint8Array, options: { readonly at: string }): Promise<string | null>;

  /**
   * Uses a link up and begins a session. Of several calls with one link, one begins a session.
   *
   * @returns the id of whom it signs in, or null if the link does not work when the session begins
   * @throws GazetteError `invalid_option`
   */
  useLink(kind: SignInKind, digest: Uint8Array, session: NewSession): Promise<string | null>;

  /** The id of who is signed in by a session at the time `at`. Null: the session is unknown, or has ended. */
  findSession(kind: SignInKind, digest: Uint8Array, options: { readonly at: string }): Promise<string | null>;

  /** Ends one session. An unknown one is ignored. */
  endSession(kind: SignInKind, digest: Uint8Array): Promise<void>;

  /** Ends all sessions of somebody, and the link. @returns how many sessions there were, of which some may have ended */
  endSessions(owner: SignInOwner): Promise<number>;

  /** Deletes links and sessions that have ended, and counts of e-mails, all from before this time. */
  prune(options: { readonly before: string }): Promise<void>;
}
