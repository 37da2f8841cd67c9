// The mail server of `gazette serve`, over nodemailer, which is an optional peer dependency.
import { GazetteError } from '../../errors.ts';
import type { MailOptions } from '../../service/owners.ts';
import { keptEmail } from '../../stores/rows/accounts.ts';
import type { ServeOptions } from '../options/serving.ts';

/** How long the server may take for each step, in milliseconds: nobody waits for it, but mails wait behind each other. */
const PATIENCE_MS = 20_000;

/**
 * How links to sign in are sent, as the options say; undefined: they are not.
 *
 * @throws GazetteError `usage` for a malformed URL or address, or without a public address; `missing_peer`
 */
export async function mailOf({
  smtp,
  mailFrom,
  baseUrl,
}: Pick<ServeOptions, 'smtp' | 'mailFrom' | 'baseUrl'>): Promise<MailOptions | undefined> {
  if (smtp === undefined) return undefined;
  // Whatever the URL is, it may contain a password.
  const url = URL.parse(smtp);
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '') {
    throw new GazetteError('usage', '--smtp must be a URL such as smtps://user:password@mail.example.org');
  }
  if (baseUrl === undefined) {
    throw new GazetteError('usage', '--smtp needs --base-url: the links in mails begin with it');
  }
  const from = senderOf(mailFrom ?? `no-reply@${URL.parse(baseUrl)?.hostname ?? ''}`);
  const mailer = await import('nodemailer').catch((cause: unknown) => {
    throw new GazetteError('missing_peer', '--smtp needs the package nodemailer: npm install nodemailer', { cause });
  });
  const transport = mailer.default.createTransport(smtp, {
    ...{ connectionTimeout: PATIENCE_MS, greetingTimeout: PATIENCE_MS, socketTimeout: PATIENCE_MS },
    // A mail is made here: it includes no file and no page.
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  return { transport, from };
}

/** @throws GazetteError `usage` */
function senderOf(address: string): string {
  // A service on this machine has a host without a dot, which is no address for accounts.
  if (/^no-reply@(?:localhost|[0-9.]+|\[[0-9a-f:]+\])$/.test(address)) return address;
  try {
    return keptEmail(address);
  } catch {
    throw new GazetteError('usage', '--mail-from must be one address such as registers@example.org');
  }
}
