// The options of `gazette serve` that have links to sign in, and what owners are told, sent by e-mail.
import type { Command } from 'commander';

/** The options as commander gives them. */
export interface MailServerOptions {
  /** Absent: nothing is sent by e-mail. */
  readonly smtp?: string;
  /** Absent: `no-reply@` and the host of the public address. */
  readonly mailFrom?: string;
}

/** Adds them. */
export function addMailOptions(command: Command): Command {
  return command
    .option(
      '--smtp <url>',
      'the mail server that sends links to sign in and says when a webhook endpoint fails, such as smtps://user:password@mail.example.org; needs nodemailer and --base-url',
    )
    .option('--mail-from <address>', 'the sender of these mails (default: no-reply@ and the host of --base-url)');
}
