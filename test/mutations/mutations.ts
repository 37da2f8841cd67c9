// Mistakes that the tests must see: one change of one line each, in all parts of the house. `run.ts` makes them in a copy
// and runs the tests that must fail; `npm run check:selection` asks whether the selection would have run those tests.

/** A mistake, and who must see it. */
export interface Mutation {
  /** A name for messages, unique. */
  readonly name: string;
  /** The source file, from the root. */
  readonly file: string;
  /** A text that is exactly once in the file. */
  readonly find: string;
  /** What replaces it. */
  readonly replace: string;
  /** What breaks for those who use it. */
  readonly breaks: string;
  /** The test files that must fail, each of them. */
  readonly caughtBy: readonly string[];
}

/** All of them. */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'suspended-account',
    file: 'src/webhooks/send/delivery.ts',
    find: 'return !isSuspended && accessUntil !== null',
    replace: 'return accessUntil !== null',
    breaks: 'A delivery that was claimed just before its account was suspended is sent.',
    caughtBy: ['test/webhooks/send/dispatcher.test.ts'],
  },
  {
    name: 'standing-of-previews',
    file: 'src/http/counting.ts',
    find: "if (policy !== 'previews') this.#context.standing",
    replace: 'this.#context.standing',
    breaks: 'The limit fields tell of the previews, although a request was let through.',
    caughtBy: ['test/http/previews.test.ts'],
  },
  {
    name: 'answer-over-budget',
    file: 'src/mcp/budget.ts',
    find: 'if (left < 0) break;',
    replace: 'if (left < -200) break;',
    breaks: "An agents' answer is 200 bytes longer than its budget.",
    caughtBy: ['test/mcp/budget.test.ts'],
  },
  {
    name: 'preview-has-whole-summary',
    file: 'src/register/tier.ts',
    find: 'return summary === null ? null : firstCharacters(summary, length);',
    replace: 'return summary;',
    breaks: 'The public reads the whole summary of an older record.',
    caughtBy: ['test/register/tier.test.ts'],
  },
  {
    name: 'page-of-none',
    file: 'src/register/parameters.ts',
    find: "{ kind: 'integer', name: 'limit', minimum: 1, maximum: PAGE_SIZE }",
    replace: "{ kind: 'integer', name: 'limit', minimum: 0, maximum: PAGE_SIZE }",
    breaks: 'A page of no records is answered, whose next page is itself.',
    caughtBy: ['test/register/query.test.ts'],
  },
  {
    name: 'weak-tag',
    file: 'src/web/validators.ts',
    find: 'opaque(tag) === opaque(etag)',
    replace: 'tag === etag',
    breaks: 'A client behind a proxy that compresses is sent every page again.',
    caughtBy: ['test/web/validators.test.ts'],
  },
  {
    name: 'temporary-file-stays',
    file: 'src/files/whole-file.ts',
    find: 'if (this.#move !== null) await rm(this.#move.temporary, { force: true });',
    replace: '',
    breaks: 'An export that failed leaves its unfinished file beside the place of the whole one.',
    caughtBy: ['test/files/whole-file.test.ts'],
  },
  {
    name: 'full-width-formula',
    file: 'src/formats/formula-guard.ts',
    find: 'first > 0xff0a;',
    replace: 'false;',
    breaks: 'A spreadsheet runs a text of a record that begins with a full-width sign.',
    caughtBy: ['test/formats/formula-guard.test.ts', 'test/recorded/recorded.heavy.test.ts'],
  },
  {
    name: 'author-of-entry',
    file: 'src/formats/feeds/atom.ts',
    find: 'if (author !== null) text += `<author>',
    replace: 'if (author === null) text += `<author>',
    breaks: 'Entries of Atom feeds lose their authors.',
    caughtBy: ['test/formats/feeds/atom.test.ts', 'test/recorded/recorded.heavy.test.ts'],
  },
  {
    name: 'next-page-in-view',
    file: 'src/export/page-links.ts',
    find: '...(page.asOf === null ? {} : { asOf: page.asOf }),',
    replace: '',
    breaks: 'Who follows `next` while records come in reads some twice.',
    caughtBy: ['test/export/page-links.test.ts', 'test/recorded/recorded.heavy.test.ts'],
  },
  {
    name: 'absences-allowed',
    file: 'src/import/proposals/findings.ts',
    find: 'const MOST_ABSENT_PERCENT = 10;',
    replace: 'const MOST_ABSENT_PERCENT = 100;',
    breaks: 'A file that was cut off withdraws most of a register.',
    caughtBy: ['test/import/absences.test.ts'],
  },
  {
    name: 'lost-decimal-comma',
    file: 'src/import/proposals/findings.ts',
    find: 'const MOST_SHIFTED_PERCENT = 1;',
    replace: 'const MOST_SHIFTED_PERCENT = 100;',
    breaks: 'A column that lost its decimal comma in some rows reaches every subscriber.',
    caughtBy: ['test/import/findings.test.ts'],
  },
  {
    name: 'keys-of-rows-alone',
    file: 'src/import/importer.ts',
    find: '{ rowSecret: secret }',
    replace: '{ rowSecret: null }',
    breaks:
      'Who sees the id of a record can try out which row it is of, although the record was erased or is not public.',
    caughtBy: ['test/import/rows/row-register.test.ts'],
  },
  {
    name: 'cause-of-import',
    file: 'src/stores/logic/batch.ts',
    find: "const cause = options.cause ?? 'source_change';",
    replace: "const cause = 'source_change';",
    breaks: 'The correction of an extraction passes for a change at the source.',
    caughtBy: ['test/stores/sqlite/store.test.ts'],
  },
  {
    name: 'salt-after-redaction',
    file: 'src/stores/logic/redaction.ts',
    find: 'SET salt = NULL, changed = NULL WHERE',
    replace: 'SET changed = NULL WHERE',
    breaks: 'A guess at an erased record can be confirmed.',
    caughtBy: ['test/stores/sqlite/redaction.test.ts'],
  },
  {
    name: 'write-without-plugin',
    file: 'src/stores/logic/plugins/joined.ts',
    find: 'if (missing !== undefined) throw missingPlugin(missing);',
    replace: "if (missing === '') throw missingPlugin(missing);",
    breaks: 'A process without the log erases what its entries are made of.',
    caughtBy: ['test/stores/sqlite/plugins.test.ts'],
  },
  {
    name: 'suspended-buyer',
    file: 'src/wings/selling/stores/credit.ts',
    find: 'if (account.isSuspended) throw',
    replace: 'if (account.id === undefined) throw',
    breaks: 'A suspended account buys records from its credit.',
    caughtBy: ['test/wings/selling/stores/sqlite-ledger.test.ts'],
  },
  {
    name: 'one-request-less',
    file: 'src/access/limits/hold.ts',
    find: 'const isAllowed = times <= hold.part;',
    replace: 'const isAllowed = times < hold.part;',
    breaks: 'The last request of each limit is refused.',
    caughtBy: ['test/access/rate-limits.test.ts'],
  },
  {
    name: 'gap-of-one',
    file: 'src/mirror/gaps.ts',
    find: 'if (high > position) left.push([high, position + 1]);',
    replace: 'if (high > position + 1) left.push([high, position + 1]);',
    breaks: 'A mirror forgets a position beside one that it has found, and never fetches its record.',
    caughtBy: ['test/mirror/gaps.test.ts'],
  },
  {
    name: 'proof-of-growth',
    file: 'src/wings/proofs/tlog/tree.ts',
    find: 'before <= middle ? { from: middle, to } : { from, to: middle }',
    replace: 'before < middle ? { from: middle, to } : { from, to: middle }',
    breaks: 'A log of a power of two entries does not prove that it begins with what it had.',
    caughtBy: ['test/wings/proofs/tlog/tree.test.ts'],
  },
  {
    name: 'exit-code-of-usage',
    file: 'src/cli/main.ts',
    find: 'return USAGE_CODES.has(error.code) ? 2 : 1;',
    replace: 'return 1;',
    breaks: 'A script cannot tell a wrong option from a failure.',
    caughtBy: ['test/cli/export-refusals.test.ts', 'test/recorded/recorded.heavy.test.ts'],
  },
  {
    name: 'suspended-reader',
    file: 'src/pages/account/session.ts',
    find: "if (state === 'active') return { tier: 'pro', account, key: null };",
    replace: "if (state !== 'lapsed') return { tier: 'pro', account, key: null };",
    breaks: 'The owner of a suspended account reads whole registers on the pages.',
    caughtBy: ['test/pages/account/sign-in.test.ts'],
  },
  {
    name: 'old-secret-for-ever',
    file: 'src/operate/endpoints.ts',
    find: 'new Date(this.#now() + graceMs)',
    replace: 'new Date(this.#now() + 2 * graceMs)',
    breaks: 'After a rotation deliveries are signed with the previous secret for longer than was asked.',
    caughtBy: ['test/webhooks/send/sender.test.ts'],
  },
  {
    name: 'loops-for-ever',
    file: 'src/client/repeats.ts',
    find: 'this.#texts.add(text);',
    replace: '',
    breaks: 'A client follows a service that repeats its pages without end.',
    caughtBy: ['test/client/bounds.test.ts'],
  },
  {
    name: 'record-that-is-gone',
    file: 'src/views/registers.ts',
    find: "if (stored.state !== 'live' || stored.record === null) throw",
    replace: 'if (stored.record === null) throw',
    breaks: 'A record that was withdrawn is answered as if it stood in its register.',
    caughtBy: ['test/http/routes.test.ts'],
  },
  {
    name: 'count-of-manifest',
    file: 'src/snapshot/verify.ts',
    find: 'if (sum === total) return;',
    replace: 'if (sum >= total) return;',
    breaks: 'A snapshot whose total is too low passes for whole.',
    caughtBy: ['test/snapshot/verify.test.ts'],
  },
  {
    name: 'mirror-believes',
    file: 'src/stores/logic/mirrors/next-version.ts',
    find: 'said && canonicalIn(said)).equals(commitment))',
    replace: 'said && canonicalIn(said)).equals(Buffer.of()) && commitment.length === 0)',
    breaks: 'A mirror takes in what its source says, whatever that committed to.',
    caughtBy: ['test/stores/sqlite/mirror.test.ts'],
  },
  {
    name: 'mirror-signed',
    file: 'src/wings/proofs/stores/log-store.ts',
    find: 'AND g.number NOT IN (SELECT register FROM ${MIRRORS}) ORDER BY g.id',
    replace: 'ORDER BY g.id',
    breaks: 'A mirror that has a copy of what signs its source signs under its name.',
    caughtBy: ['test/wings/proofs/stores/sqlite-recovery.test.ts'],
  },
];
