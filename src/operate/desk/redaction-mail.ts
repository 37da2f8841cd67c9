// Tells all who may approve changes of a register by mail that an editor erased a record, which needs no approval: whichever process
// does, until a mail server took it.
import type { ServiceStore } from '../../stores/contract/accounts.ts';
import type { DeskEntry } from '../../stores/contract/desk/editors.ts';
import { Notices } from '../notices.ts';
import { MAIL_HEADERS, type Mail, type MailTransport } from '../sign-in-mail.ts';
import { mayDo } from './editors.ts';
import { AGAIN_MS } from './proposal-mail.ts';

/** Options of {@link RedactionMail}. */
export interface RedactionMailOptions {
  readonly store: Pick<ServiceStore, 'register' | 'editors'>;
  readonly transport: MailTransport;
  /** The sender's address. */
  readonly from: string;
  /** @param entry of the log, whose subject is the record @param title of the register */
  readonly compose: (entry: DeskEntry, title: string) => Pick<Mail, 'subject' | 'text'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called with every failure. */
  readonly onError: (error: unknown) => void;
}

/** Sends the mails. */
export class RedactionMail extends Notices {
  constructor(options: RedactionMailOptions) {
    super(() => sendOne(options), options.onError);
  }
}

async function sendOne({ store, transport, from, compose, now }: RedactionMailOptions): Promise<boolean> {
  const { editors } = store;
  const at = (ms: number): string => new Date(now() + ms).toISOString();
  const entry = await editors.takeNotice({ now: at(0), until: at(AGAIN_MS) });
  if (entry === null) return false;
  const { number, who, feed } = entry;
  const title = (await store.register(feed!))?.definition.title ?? feed!;
  const told = (await editors.editors()).filter(
    (one) => one.removedAt === null && one.name !== who && mayDo(one, 'approve', feed!),
  );
  // Several editors may have one address.
  for (const address of new Set(told.flatMap(({ email }) => email ?? []))) {
    await transport.sendMail({ from, to: { name: '', address }, headers: MAIL_HEADERS, ...compose(entry, title) });
  }
  await editors.endNotice(number);
  return true;
}
