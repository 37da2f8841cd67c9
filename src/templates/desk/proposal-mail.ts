// The mails that say that a proposal waits, and that a record was erased, as plain text. In every language, one after the other:
// nobody knows the reader's. They have no text of a record.
import type { ImportEntry } from '../../stores/contract/imports/log.ts';
import type { DeskTexts } from '../languages/desk/en.ts';
import { LANGUAGES, wordingIn } from '../wording.ts';

/** A mail without its addresses. */
interface MailText {
  readonly subject: string;
  readonly text: string;
}

/** Where a mail comes from, and leads to. */
interface MailPlace {
  readonly service: string;
  readonly url: string;
}

/** The subject and the text of a mail. @param place.url of the proposal's page */
export function proposalMail(
  { entry, title }: { readonly entry: ImportEntry; readonly title: string },
  place: MailPlace,
): MailText {
  const { who } = entry;
  const by = ({ imports }: DeskTexts): readonly string[] =>
    who === null ? [] : [`${imports.facts.who}: ${line(who)}`];
  const values = { register: title, number: String(entry.number), file: entry.file };
  return mailOf(({ imports }) => imports.mail, values, place, by);
}

/** The subject and the text of a mail. @param place.url of the page of the register that is to be made */
export function registerMail(asked: Readonly<Record<'register' | 'file' | 'who', string>>, place: MailPlace): MailText {
  return mailOf(({ making }) => making.mail, asked, place);
}

/** The subject and the text of a mail. @param place.url of the record's page */
export function redactionMail(
  { recordId, who, title }: { readonly recordId: string; readonly who: string; readonly title: string },
  place: MailPlace,
): MailText {
  return mailOf(({ records }) => records.mail, { register: title, record: recordId, who }, place);
}

function mailOf(
  textsOf: (texts: DeskTexts) => Readonly<Record<'subject' | 'text', string>>,
  values: Readonly<Record<string, string>>,
  { service, url }: MailPlace,
  more: (texts: DeskTexts) => readonly string[] = () => [],
): MailText {
  const all: Readonly<Record<string, string>> = { ...values, service };
  const filled = (text: string): string => text.replaceAll(/\{([a-z]+)\}/g, (_, name: string) => line(all[name] ?? ''));
  const parts = Object.keys(LANGUAGES).map((language) => {
    const { desk } = wordingIn(language);
    return [desk.mail.greeting, filled(textsOf(desk).text), ...more(desk), url].join('\n\n');
  });
  const subject = filled(textsOf(wordingIn(null).desk).subject);
  return { subject, text: `${[...parts, line(service)].join('\n\n--\n\n')}\n` };
}

/** One line, whatever people call a thing (RFC 5322 2.2). */
function line(text: string): string {
  return text
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 300);
}
