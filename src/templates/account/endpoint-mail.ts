// The mail that says that an endpoint fails, or was disabled, as plain text. In every language, one after the other: nobody
// knows the reader's.
import type { WebhookEndpoint } from '../../stores/contract/endpoints.ts';

import { LANGUAGES, type Wording, wordingIn } from '../wording.ts';

/** The subject and the text of a mail. @param url of the endpoint's page */
export function endpointMail(
  endpoint: WebhookEndpoint,
  { service, url }: { readonly service: string; readonly url: string },
): { readonly subject: string; readonly text: string } {
  // A subject is one line, whatever the service is called (RFC 5322 2.2).
  const name = service.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  const parts = Object.keys(LANGUAGES).map((language) => {
    const wording = wordingIn(language);
    const { mail } = wording.account;
    return [mail.greeting, troubleOf(wording, endpoint), endpoint.url, wording.account.trouble.mail, url].join('\n\n');
  });
  const { failingSubject, disabledSubject } = wordingIn(null).account.trouble;
  const subject = (endpoint.disabledAt === null ? failingSubject : disabledSubject).replace('{service}', name);
  return { subject, text: `${[...parts, name].join('\n\n--\n\n')}\n` };
}

/** What is wrong with an endpoint, as a sentence without its address. */
export function troubleOf(wording: Wording, endpoint: WebhookEndpoint): string {
  const { trouble } = wording.account;
  const { disabledAt, disabledReason, failingSince } = endpoint;
  if (disabledAt === null || disabledReason === null) {
    return trouble.notYet.replace('{date}', wording.date(failingSince ?? ''));
  }
  return trouble[disabledReason].replace('{date}', wording.date(disabledAt));
}
