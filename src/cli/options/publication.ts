// What the operator says of a service, as options of `gazette serve`.
import { type Command, Option } from 'commander';
import type { PublicationOptions } from '../../http/description/publication.ts';

/** Adds the options; commander gives them as {@link PublicationOptions}. */
export function addPublicationOptions(command: Command): Command {
  return command
    .option('--title <text>', 'the name of the service, in openapi.json and the reference')
    .option('--contact <address>', 'where readers may ask: an e-mail address or a page')
    .option('--terms-url <url>', 'the page with the terms of use')
    .option('--licence-url <url>', 'the page with the licence of the data')
    .option('--keys-url <url>', 'the page where people get a key or renew it; errors name it');
}

/** `--base-url`. @param otherwise what the help says of its absence */
export function baseUrlOption(otherwise?: string): Option {
  const rest = otherwise === undefined ? '' : ` (default: ${otherwise})`;
  return new Option('--base-url <url>', `the public address of the service, such as https://example.org${rest}`);
}

/** The options among those of a command. */
export function publicationOf(options: PublicationOptions): PublicationOptions {
  const { title, contact, termsUrl, licenceUrl, keysUrl } = options;
  return { title, contact, termsUrl, licenceUrl, keysUrl };
}
