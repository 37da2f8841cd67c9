// Tells owners of accounts by mail that an endpoint has failed for a day, or was disabled: once each, whichever process does.
import type { AccountStore } from '../stores/contract/accounts.ts';
import type { DeliveryStore } from '../stores/contract/deliveries.ts';
import type { WebhookEndpoint } from '../stores/contract/endpoints.ts';
import { MAIL_HEADERS, type Mail, type MailTransport } from './sign-in-mail.ts';

/** An endpoint that has failed for so long, in milliseconds, is in trouble: its owner is told. */
export const TROUBLE_MS: number = 24 * 3_600_000;

/** How often it is looked for them, in milliseconds. */
const LOOK_EVERY_MS = 60_000;

/** A mail that was not taken is sent again after this time, in milliseconds; so is one of a process that was killed. */
const AGAIN_MS = 10 * 60_000;

/** What happened longer ago, in milliseconds, is not told by mail any more: there was no mailer. */
const RECENT_MS = 3 * 24 * 3_600_000;

/** Whether the owner of an endpoint should know how it is: it was disabled, or has failed for a day. */
export function isInTrouble({ disabledAt, failingSince }: WebhookEndpoint, nowMs: number): boolean {
  return disabledAt !== null || (failingSince !== null && Date.parse(failingSince) <= nowMs - TROUBLE_MS);
}

/** Options of {@link EndpointMail}. */
export interface EndpointMailOptions {
  readonly deliveries: Pick<DeliveryStore, 'takeNotice' | 'endNotice'>;
  readonly accounts: Pick<AccountStore, 'account'>;
  readonly transport: MailTransport;
  /** The sender's address. */
  readonly from: string;
  /** Writes a mail. */
  readonly compose: (endpoint: WebhookEndpoint) => Pick<Mail, 'subject' | 'text'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called with every failure. */
  readonly onError: (error: unknown) => void;
}

/** Sends the mails. */
export class EndpointMail {
  readonly #options: EndpointMailOptions;
  readonly #timer: NodeJS.Timeout;
  #work: Promise<void> = Promise.resolve();

  constructor(options: EndpointMailOptions) {
    this.#options = options;
    this.#timer = setInterval(() => {
      this.#work = this.#work.then(() => this.send());
    }, LOOK_EVERY_MS);
    this.#timer.unref();
  }

  /** Sends what is to be sent at this moment. */
  async send(): Promise<void> {
    try {
      while (await this.#sendOne());
    } catch (error) {
      this.#options.onError(error);
    }
  }

  /** Waits for mails under way, and sends none any more. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#work;
  }

  async #sendOne(): Promise<boolean> {
    const { deliveries, accounts, transport, from, compose, now } = this.#options;
    const [nowMs, time] = [now(), (ms: number): string => new Date(ms).toISOString()];
    const notice = await deliveries.takeNotice({
      ...{ now: time(nowMs), until: time(nowMs + AGAIN_MS) },
      ...{ failingBefore: time(nowMs - TROUBLE_MS), since: time(nowMs - RECENT_MS) },
    });
    if (notice === null) return false;
    const { endpoint, state } = notice;
    const account = await accounts.account(endpoint.accountId);
    if (account?.email != null) {
      // An address that is not parsed as a list names one recipient.
      const to = { name: '', address: account.email };
      await transport.sendMail({ from, to, headers: MAIL_HEADERS, ...compose(endpoint) });
    }
    await deliveries.endNotice(endpoint.id, state);
    return true;
  }
}
