// How the owner of an account, or an editor of the desk, signs in: one-time links and sessions. The command line and the
// pages both use it. A secret is returned as text once, when it is made; the store gets its digest.
import { createHash, randomBytes as nodeRandomBytes } from 'node:crypto';
import type { RandomBytes } from '../access/api-key.ts';
import type { Account, ServiceStore } from '../stores/contract/accounts.ts';
import type { Editor } from '../stores/contract/desk/editors.ts';
import type { NewSignInLink, SignInKind, SignInStore } from '../stores/contract/sign-in.ts';

/** How long a link works, in milliseconds: a mail may be slow, and a mailbox is read by others later. */
export const LINK_MS: number = 15 * 60 * 1000;

/** How long a session lasts, in milliseconds: a working day. */
export const SESSION_MS: number = 12 * 60 * 60 * 1000;

/** How many links somebody may be sent by e-mail in an hour. */
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
export interface BegunSession<Owner> {
  readonly owner: Owner;
  /** Belongs into a cookie. */
  readonly secret: string;
}

/** Whom links sign in. */
interface Owners<Owner> {
  readonly kind: SignInKind;
  readonly find: (id: string) => Promise<Owner | null>;
}

/**
 * How the owners of accounts sign in.
 *
 * @example
 * const signIns = accountSignIns(store);
 * const secret = await signIns.createLink('acme'); // https://example.org/sign-in/<secret>
 * const session = await signIns.begin(secret);
 */
export function accountSignIns(
  store: Pick<ServiceStore, 'signIns' | 'accounts'>,
  options?: SignInsOptions,
): SignIns<Account> {
  return new SignIns(store.signIns, { kind: 'account', find: (id) => store.accounts.account(id) }, options);
}

/** How editors sign in to the desk. */
export function editorSignIns(
  store: Pick<ServiceStore, 'signIns' | 'editors'>,
  options?: SignInsOptions,
): SignIns<Editor> {
  return new SignIns(store.signIns, { kind: 'editor', find: (name) => store.editors.editor(name) }, options);
}

/** The links and sessions of one kind in a store. */
export class SignIns<Owner> {
  readonly #store: SignInStore;
  readonly #owners: Owners<Owner>;
  readonly #now: () => number;
  readonly #random: RandomBytes;

  constructor(
    store: SignInStore,
    owners: Owners<Owner>,
    { now = Date.now, random = nodeRandomBytes }: SignInsOptions = {},
  ) {
    this.#store = store;
    this.#owners = owners;
    this.#now = now;
    this.#random = random;
  }

  /** Makes a link, which an operator hands over. The former one stops working. @throws GazetteError `unknown_account`, `unknown_editor` */
  async createLink(id: string): Promise<string> {
    const [link, secret] = this.#newLink(id);
    await this.#store.keepLink(link);
    return secret;
  }

  /**
   * Makes a link that is to be sent by e-mail.
   *
   * @returns null if {@link MAILS_PER_HOUR} links were sent in the last hour; the latest then still works
   * @throws GazetteError `unknown_account`, `unknown_editor`
   */
  async createMailedLink(id: string): Promise<string | null> {
    const [link, secret] = this.#newLink(id);
    const isKept = await this.#store.keepLink(link, { mail: { most: MAILS_PER_HOUR, since: this.#time(-HOUR_MS) } });
    return isKept ? secret : null;
  }

  /** Whom a link signs in, or null if it does not work. It uses nothing up. */
  async ownerOfLink(secret: string): Promise<Owner | null> {
    if (!SECRET.test(secret)) return null;
    return this.#find(await this.#store.findLink(this.#owners.kind, digestOf(secret), { at: this.#time() }));
  }

  /** Uses a link up and begins a session. Null if the link does not work. */
  async begin(linkSecret: string): Promise<BegunSession<Owner> | null> {
    if (!SECRET.test(linkSecret)) return null;
    const secret = this.#newSecret();
    const session = { digest: digestOf(secret), createdAt: this.#time(), endsAt: this.#time(SESSION_MS) };
    const owner = await this.#find(await this.#store.useLink(this.#owners.kind, digestOf(linkSecret), session));
    if (owner === null) return null;
    await this.#store.prune({ before: this.#time(-HOUR_MS) });
    return { owner, secret };
  }

  /** Whose session it is; null if it has ended, or never began. */
  async ownerOf(sessionSecret: string): Promise<Owner | null> {
    if (!SECRET.test(sessionSecret)) return null;
    return this.#find(await this.#store.findSession(this.#owners.kind, digestOf(sessionSecret), { at: this.#time() }));
  }

  /** Ends a session. */
  async end(sessionSecret: string): Promise<void> {
    if (SECRET.test(sessionSecret)) await this.#store.endSession(this.#owners.kind, digestOf(sessionSecret));
  }

  /** Ends all sessions of somebody, and the link. @returns how many sessions there were */
  endAll(id: string): Promise<number> {
    return this.#store.endSessions({ kind: this.#owners.kind, id });
  }

  async #find(id: string | null): Promise<Owner | null> {
    return id === null ? null : this.#owners.find(id);
  }

  #newLink(id: string): readonly [NewSignInLink, string] {
    const secret = this.#newSecret();
    const owner = { kind: this.#owners.kind, id };
    return [{ owner, digest: digestOf(secret), createdAt: this.#time(), endsAt: this.#time(LINK_MS) }, secret];
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
