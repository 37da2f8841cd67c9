// How the owner of an account signs in: one-time links and sessions. The command line and the pages both use it. A secret
// is returned as text once, when it is made; the store gets its digest.
import { createHash, randomBytes as nodeRandomBytes } from 'node:crypto';
import type { RandomBytes } from '../access/api-key.ts';
import type { Account } from '../stores/contract/accounts.ts';
import type { NewSignInLink, SignInStore } from '../stores/contract/sign-in.ts';

/** How long a link works, in milliseconds: a mail may be slow, and a mailbox is read by others later. */
export const LINK_MS: number = 15 * 60 * 1000;

/** How long a session lasts, in milliseconds: a working day. */
export const SESSION_MS: number = 12 * 60 * 60 * 1000;

/** How many links an account may be sent by e-mail in an hour. */
export const MAILS_PER_HOUR = 3;

const HOUR_MS = 60 * 60 * 1000;

/** 160 bits, as 40 hexadecimal digits: every mail program takes them as part of a link. */
const SECRET_BYTES = 20;

const SECRET = /^[0-9a-f]{40}$/;

/** Options of {@link SignIns}. */
export interface SignInsOptions {
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
  /** A cryptographically secure source. Default: Node's own. */
  readonly random?: RandomBytes;
}

/** A session that has begun: the only time that its secret is available as text. */
export interface BegunSession {
  readonly account: Account;
  /** Belongs into a cookie. */
  readonly secret: string;
}

/**
 * The links and sessions of a store.
 *
 * @example
 * const signIns = new SignIns(store.signIns);
 * const secret = await signIns.createLink('acme'); // https://example.org/sign-in/<secret>
 * const session = await signIns.begin(secret);
 */
export class SignIns {
  readonly #store: SignInStore<Account>;
  readonly #now: () => number;
  readonly #random: RandomBytes;

  constructor(store: SignInStore<Account>, { now = Date.now, random = nodeRandomBytes }: SignInsOptions = {}) {
    this.#store = store;
    this.#now = now;
    this.#random = random;
  }

  /** Makes a link, which an operator hands over. The account's former one stops working. @throws GazetteError `unknown_account` */
  async createLink(accountId: string): Promise<string> {
    const [link, secret] = this.#newLink(accountId);
    await this.#store.keepLink(link);
    return secret;
  }

  /**
   * Makes a link that is to be sent by e-mail.
   *
   * @returns null if the account was sent {@link MAILS_PER_HOUR} links in the last hour; the latest then still works
   * @throws GazetteError `unknown_account`
   */
  async createMailedLink(accountId: string): Promise<string | null> {
    const [link, secret] = this.#newLink(accountId);
    const isKept = await this.#store.keepLink(link, { mail: { most: MAILS_PER_HOUR, since: this.#time(-HOUR_MS) } });
    return isKept ? secret : null;
  }

  /** The account that a link signs in to, or null if it does not work. It uses nothing up. */
  async accountOfLink(secret: string): Promise<Account | null> {
    return SECRET.test(secret) ? this.#store.findLink(digestOf(secret), { at: this.#time() }) : null;
  }

  /** Uses a link up and begins a session. Null if the link does not work. */
  async begin(linkSecret: string): Promise<BegunSession | null> {
    if (!SECRET.test(linkSecret)) return null;
    const secret = this.#newSecret();
    const session = { digest: digestOf(secret), createdAt: this.#time(), endsAt: this.#time(SESSION_MS) };
    const account = await this.#store.useLink(digestOf(linkSecret), session);
    if (account === null) return null;
    await this.#store.prune({ before: this.#time(-HOUR_MS) });
    return { account, secret };
  }

  /** Whose session it is; null if it has ended, or never began. */
  async accountOf(sessionSecret: string): Promise<Account | null> {
    return SECRET.test(sessionSecret) ? this.#store.findSession(digestOf(sessionSecret), { at: this.#time() }) : null;
  }

  /** Ends a session. */
  async end(sessionSecret: string): Promise<void> {
    if (SECRET.test(sessionSecret)) await this.#store.endSession(digestOf(sessionSecret));
  }

  /** Ends all sessions of an account, and its link. @returns how many sessions it had */
  endAll(accountId: string): Promise<number> {
    return this.#store.endSessions(accountId);
  }

  #newLink(accountId: string): readonly [NewSignInLink, string] {
    const secret = this.#newSecret();
    return [{ accountId, digest: digestOf(secret), createdAt: this.#time(), endsAt: this.#time(LINK_MS) }, secret];
  }

  #newSecret(): string {
    return Buffer.from(this.#random(SECRET_BYTES)).toString('hex');
  }

  #time(offsetMs = 0): string {
    return new Date(this.#now() + offsetMs).toISOString();
  }
}

/** Secrets are random and long, so that their plain digest cannot be guessed. */
function digestOf(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest();
}
