// Mails to editors.
import type { Editor } from '../../stores/contract/desk/editors.ts';
import type { ServiceStore } from '../../stores/contract/accounts.ts';
import { MAIL_HEADERS, type Mail, type MailTransport } from '../sign-in-mail.ts';

/** A mail that was not taken is sent again after this time, in milliseconds; so is one of a process that was killed. */
export const AGAIN_MS: number = 10 * 60_000;

/** What mails to editors need. */
export interface EditorMailOptions {
  readonly store: Pick<ServiceStore, 'editors'>;
  readonly transport: MailTransport;
  /** The sender's address. */
  readonly from: string;
}

/** Sends a text to the editors that it is for, one after the other. Rejects with the first that the mail server does not take. */
export async function mailEditors(
  { store, transport, from }: EditorMailOptions,
  isFor: (editor: Editor) => boolean,
  text: Pick<Mail, 'subject' | 'text'>,
): Promise<void> {
  const editors = (await store.editors.editors()).filter((one) => one.removedAt === null && isFor(one));
  // Several editors may have one address.
  for (const address of new Set(editors.flatMap(({ email }) => email ?? []))) {
    await transport.sendMail({ from, to: { name: '', address }, headers: MAIL_HEADERS, ...text });
  }
}
