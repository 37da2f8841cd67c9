// Sends links to sign in by e-mail. Asking costs the same for every address: the address is put in a queue, and what happens
// then, in the background, nobody who asked sees. Recipients come from what the store knows alone.
import { Limits } from '../access/limits/limits.ts';
import { GazetteError } from '../errors.ts';
import { MAILS_PER_HOUR, type SignIns } from './sign-in.ts';

/** A mail, as nodemailer takes it. */
export interface Mail {
  /** The sender's address. */
  readonly from: string;
  /** The recipient: the address of an account, or of an editor. */
  readonly to: { readonly name: string; readonly address: string };
  /** The subject line. */
  readonly subject: string;
  /** The body, as plain text. */
  readonly text: string;
  /** Further header fields (RFC 5322 2.2), by their names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends mails. A transport of nodemailer has this method. */
export interface MailTransport {
  /** Sends one. Rejects if the mail server does not take it. */
  sendMail(mail: Mail): Promise<unknown>;
}

/** Options of {@link SignInMail}. */
export interface SignInMailOptions {
  /** Who has an address, in any case. */
  readonly find: (email: string) => Promise<readonly Recipient[]>;
  readonly signIns: Pick<SignIns<unknown>, 'createMailedLink'>;
  readonly transport: MailTransport;
  /** The sender's address. */
  readonly from: string;
  /** Called with every failure. */
  readonly onError: (error: unknown) => void;
}

/** Somebody who may be sent a link. */
export interface Recipient {
  /** The id of an account, or the name of an editor. */
  readonly id: string;
  readonly email: string | null;
}

/** A link for one of them. */
export interface MailedSecret {
  readonly id: string;
  readonly secret: string;
}

/** Writes a mail. It is called only if somebody has the address. */
export type ComposeMail = (links: readonly MailedSecret[]) => Pick<Mail, 'subject' | 'text'>;

/** How many requests may wait. A flood fills neither the memory nor the mail server. */
const MAX_WAITING = 100;

const HOUR_SECONDS = 3600;

/**
 * Requests for links.
 *
 * @example
 * const mail = new SignInMail({ find: (email) => store.accounts.accountsOfEmail(email), signIns, transport: nodemailer.createTransport(url), from, onError });
 * mail.request('anna@example.org', (links) => ({ subject: 'Your link', text: … }));
 */
export class SignInMail {
  readonly #options: SignInMailOptions;
  /** By address, in this process. The store counts by recipient for all processes. */
  readonly #limits: Limits;
  readonly #waiting: { readonly email: string; readonly compose: ComposeMail }[] = [];
  #work: Promise<void> | null = null;

  constructor(options: SignInMailOptions) {
    this.#options = options;
    this.#limits = new Limits(null, { perKey: { limit: MAILS_PER_HOUR, windowSeconds: HOUR_SECONDS } });
  }

  /** Has links sent to an address if anybody has it. Returns at once, and never says whether there are any. */
  request(email: string, compose: ComposeMail): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#options.onError(new GazetteError('rate_limited', `${MAX_WAITING} requests for links wait already`));
      return;
    }
    this.#waiting.push({ email, compose });
    this.#work ??= this.#sendAll();
  }

  /** Waits until what was asked for is done. */
  async close(): Promise<void> {
    await this.#work;
  }

  async #sendAll(): Promise<void> {
    // The answer to the request goes out first.
    await new Promise((resolve) => setImmediate(resolve));
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      try {
        await this.#send(next.email, next.compose);
      } catch (error) {
        this.#options.onError(error);
      }
    }
    this.#work = null;
  }

  async #send(email: string, compose: ComposeMail): Promise<void> {
    const { find, signIns, transport, from } = this.#options;
    const found = await find(email);
    const address = found[0]?.email;
    if (address == null || !(await this.#limits.take('key', address)).isAllowed) return;
    const links: MailedSecret[] = [];
    for (const { id } of found) {
      const secret = await signIns.createMailedLink(id);
      if (secret !== null) links.push({ id, secret });
    }
    if (links.length === 0) return;
    // An address that is not parsed as a list names one recipient.
    await transport.sendMail({ from, to: { name: '', address }, headers: MAIL_HEADERS, ...compose(links) });
  }
}

/** Keeps programs from answering (RFC 3834 5). */
export const MAIL_HEADERS: Mail['headers'] = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };
