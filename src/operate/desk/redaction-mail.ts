// Tells all who may approve changes of a register by mail that an editor erased a record, which needs no approval: whichever process
// does, until a mail server took it.
import type { ServiceStore } from '../../stores/contract/accounts.ts';
import type { DeskEntry } from '../../stores/contract/desk/editors.ts';
import { Notices } from '../notices.ts';
import type { Mail } from '../sign-in-mail.ts';
import { AGAIN_MS, type EditorMailOptions, mailEditors } from './editor-mail.ts';
import { mayDo } from './editors.ts';

/** Options of {@link RedactionMail}. */
export interface RedactionMailOptions extends EditorMailOptions {
  readonly store: Pick<ServiceStore, 'register' | 'editors'>;
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

async function sendOne(options: RedactionMailOptions): Promise<boolean> {
  const { store, compose, now } = options;
  const { editors } = store;
  const at = (ms: number): string => new Date(now() + ms).toISOString();
  const entry = await editors.takeNotice({ now: at(0), until: at(AGAIN_MS) });
  if (entry === null) return false;
  const { number, who, feed } = entry;
  const title = (await store.register(feed!))?.definition.title ?? feed!;
  await mailEditors(options, (one) => one.name !== who && mayDo(one, 'approve', feed!), compose(entry, title));
  await editors.endNotice(number);
  return true;
}
