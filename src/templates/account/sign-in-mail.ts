// The mail with links to sign in, as plain text: its lines are short, and a link stands alone in its line.
import type { SignInTexts } from '../languages/account/mail-en.ts';

/** A link in a mail. */
export interface MailedLink {
  /** The id of an account, or the name of an editor. */
  readonly id: string;
  /** Absolute. */
  readonly url: string;
}

/**
 * The subject and the text of a mail.
 *
 * @param links one for each account or editor of the address, at least one
 */
export function signInMail(
  mail: SignInTexts['mail'],
  { service, links }: { readonly service: string; readonly links: readonly MailedLink[] },
): { readonly subject: string; readonly text: string } {
  // A subject is one line, whatever the service is called (RFC 5322 2.2).
  const name = service.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  const fill = (text: string): string =>
    text.replaceAll(/\{([a-z]+)\}/g, (_, key) => (key === 'account' ? links[0]!.id : name));
  const isOne = links.length === 1;
  const lines = links.map(({ id, url }) => (isOne ? url : `${id}\n${url}`));
  const text = [
    ...[mail.greeting, fill(isOne ? mail.one : mail.many), ...lines],
    ...[isOne ? mail.validity : mail.validityMany, mail.unasked, name],
  ].join('\n\n');
  return { subject: fill(mail.subject), text: `${text}\n` };
}
