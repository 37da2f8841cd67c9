// What the mails to owners of accounts say in English: with a link to sign in, and of endpoints in trouble, of which the pages tell
// too.
import type { AccountTexts } from './en.ts';

/** The texts. */
export const enMail = {
  mail: {
    subject: 'Your link to sign in: {service}',
    greeting: 'Hello,',
    one: 'this link signs you in to your account {account} at {service}:',
    many: 'these links sign you in to your accounts at {service}:',
    validity: 'It works for 15 minutes, and once.',
    validityMany: 'Each works for 15 minutes, and once.',
    unasked: 'If you did not ask for it, you need not do anything.',
  },
  trouble: {
    notYet:
      'An endpoint of yours for webhooks has failed since {date}. After five days of nothing but failures it is disabled.',
    operator: 'An endpoint of yours for webhooks was disabled by you or by the operator: {date}.',
    gone: 'An endpoint of yours for webhooks was disabled because it answered 410: {date}.',
    failing: 'An endpoint of yours for webhooks was disabled because it failed for five days: {date}.',
    mail: 'Its page shows what it answered, and there you can enable it again:',
    failingSubject: 'A webhook endpoint fails: {service}',
    disabledSubject: 'A webhook endpoint was disabled: {service}',
  },
};

/** The texts that a language must have. */
export type MailTexts = typeof enMail;

/** What a way in says: to an account, or to the desk. */
export type SignInTexts = Pick<AccountTexts, 'signIn'> & Pick<MailTexts, 'mail'>;
