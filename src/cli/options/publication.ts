// What the operator says of a service.
import type { PublicationOptions } from '../../http/description/publication.ts';
import { type Option, type Options, setting, settings, text } from '../command.ts';

/** What the operator says of a service. */
export const PUBLICATION_OPTIONS: Options<PublicationOptions> = settings({
  title: text('<text>', 'the name of the service, in openapi.json and the reference'),
  contact: text('<address>', 'where readers may ask: an e-mail address or a page'),
  termsUrl: text('<url>', 'the page with the terms of use'),
  licenceUrl: text('<url>', 'the page with the licence of the data'),
  keysUrl: text('<url>', 'the page where people get a key or renew it; errors name it'),
});

/** `--base-url`. */
export const BASE_URL: Option<string | undefined> = setting(
  text('<url>', 'the public address of the service, such as https://example.org'),
);

/** The options among those of a command. */
export function publicationOf(options: PublicationOptions): PublicationOptions {
  const names = Object.keys(PUBLICATION_OPTIONS) as (keyof PublicationOptions)[];
  return Object.fromEntries(names.map((name) => [name, options[name]]));
}
