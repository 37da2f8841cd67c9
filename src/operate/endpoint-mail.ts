// Tells owners of accounts by mail that an endpoint has failed for a day, or was disabled: once each, whichever process does.
import type { AccountStore } from '../stores/contract/accounts.ts';
import type { DeliveryStore } from '../stores/contract/deliveries.ts';
import type { WebhookEndpoint } from '../stores/contract/endpoints.ts';
import { Notices } from './notices.ts';
import { MAIL_HEADERS, type Mail, type MailTransport } from './sign-in-mail.ts';

/** An endpoint that has failed for so long, in milliseconds, is in trouble: its owner is told. */
export const TROUBLE_MS: number = 24 * 3_600_000;

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
export class EndpointMail extends Notices {
  constructor(options: EndpointMailOptions) {
    super(() => sendOne(options), options.onError);
  }
}

async function sendOne(options: EndpointMailOptions): Promise<boolean> {
  const { deliveries, accounts, transport, from, compose, now } = options;
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
