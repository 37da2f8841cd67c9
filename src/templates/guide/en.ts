// The guide in English.

/** Its texts; code is between backticks. */
export const guideEn = {
  title: 'Use the data in programs',
  lead: 'Everything you read here can be read by programs, too: as JSON, in every format of a register, as feeds, and as messages that come to you.',
  contents: 'On this page',
  start: 'Start',
  startText:
    'The interface is at {api}. Ask for the registers first, then for the records of one. Nothing has to be installed.',
  register: 'Register in the examples',
  registerButton: 'Use it',
  referenceLink: 'All requests, to read and to try, are in the reference',
  agents: 'Agents find the same at {mcp} (Model Context Protocol).',
  keys: 'Keys',
  keysText:
    'Without a key you get the latest records of each register, and everything of registers that are open. With one you get all of it. Send it as the header `Authorization: Bearer …`, never in an address: addresses are logged and passed on.',
  yourKey: 'Your key ends in {ending}. It was shown once, when it was made.',
  getKey: 'Get a key',
  paging: 'All records, page by page',
  pagingText:
    'A page has at most 100 records. The header `Link: <…>; rel="next"` names the next one; without it there is no more. It keeps your filters, and shows the register as it was when you began, so nothing is missed or read twice.',
  formats: 'Formats',
  formatsText: 'Each page also comes as a file, with the same filters:',
  wholeText:
    'The whole register, or all that matches, comes in one file. If the connection breaks, it is not whole: ask again.',
  feeds: 'Feeds',
  feedsText:
    'Subscribe to a register, or to a search in it, in any feed reader. The address of a search is the address of its feed with the same parameters:',
  feedsAll: 'All registers at once, for feed readers that import OPML:',
  changes: 'Only what changed',
  changesText:
    'To keep a copy, ask for the changes after the last one that you know. Corrections and withdrawals are among them.',
  webhooks: 'Webhooks',
  webhooksText:
    'With an endpoint of your own, each change is sent to you as a POST. Check its signature before you believe it: the header `X-Register-Signature` has a time and an HMAC-SHA-256 over that time, a full stop and the body exactly as it came. The key is the whole secret, `whsec_` included.',
  webhooksAnswer:
    'Answer with a status from 200 to 299 within 15 seconds, and do the work afterwards. What is not answered so is sent again, for days. The same event may come twice: `X-Register-Event` has its id.',
  limits: 'Limits',
  limitsKey: 'With a key: {limit} requests in {seconds} seconds.',
  limitsAddress: 'Without a key: {limit} requests in {seconds} seconds from one address.',
  limitsNone: 'This service does not count requests.',
  limitsText: 'Beyond that the answer is 429; the header `Retry-After` says when to come back.',
  conditions: 'Send `If-None-Match` with the last `ETag`: an answer 304 is short and is not counted.',
  errors: 'Errors',
  errorsText:
    'Errors are JSON with a stable `code`, a `detail` in plain English, and the parameter that was wrong. A misspelt parameter is an error, too, so that no filter is ignored unseen.',
};

/** The texts that the guide must have in every language. */
export type GuideTexts = typeof guideEn;
