// What pages say in English. This file says which texts there are; every other language must have the same.

/** The texts. */
export const en = {
  /** How the language calls itself. */
  name: 'English',
  /** For `Intl`: days before months, as most readers of English outside one country write them. */
  locale: 'en-GB',
  skip: 'Skip to the content',
  navigation: 'This service',
  languages: 'Language',
  registers: 'Registers',
  guide: 'Guide',
  reference: 'API reference',
  account: 'Account',
  signIn: 'Sign in',
  terms: 'Terms of use',
  licence: 'Licence',
  contact: 'Contact',
  opml: 'All registers for feed readers (OPML)',
  poweredBy: 'Published with gazette',
  utc: 'UTC',
  pagesBefore: 'Newer records',
  pagesAfter: 'Older records',
  errors: {
    heading: {
      bad: 'This address cannot be read',
      refused: 'This form was not accepted',
      notFound: 'There is nothing here',
      gone: 'This record was withdrawn',
      tooMany: 'Too many requests',
      unavailable: 'This is not available at the moment',
      failed: 'Something went wrong',
    },
    text: {
      bad: 'Something in the address is not as it should be. It may have been cut off or changed on its way to you.',
      refused: 'Load its page again, and send it from there.',
      notFound: 'Check the address, or look for what you need in the list of registers.',
      gone: 'The publisher took it out of the register. What was recorded of it until then stays in its history.',
      tooMany: 'Wait a little and load the page again.',
      unavailable: 'Load the page again in a minute.',
      failed: 'It is not your fault. If it happens again, tell us the number below.',
    },
    detail: 'What the service says',
    request: 'Number of the request',
    back: 'All registers',
  },
};

/** The texts that a language must have. */
export type Texts = typeof en;
