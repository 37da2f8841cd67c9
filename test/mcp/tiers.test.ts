// What the public sees through the agents' endpoint: core fields of the latest three records, and not a byte more.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { world, keyAt, SECRET, statementAt } from '../world.ts';
import { at, say } from '../contracts/store-register.ts';
import { tries } from '../effort.ts';
import { callTool, modern, post, recordsIn, rpc } from './agent.ts';

const COUNT = 12;

/** What agents ask at random. */
const CALLS = tries(500, 50_000);

/** Values of the extra fields, of the latest three as well; and what is said of older records alone. */
const HIDDEN: readonly string[] = [
  SECRET,
  'open content',
  'open author',
  'open applicant',
  'open condition',
  // When the latest three were recorded: `updated_at`.
  at(0),
  ...Array.from({ length: COUNT - 3 }, (_, index) => `Permit number ${index + 1}"`),
  ...Array.from({ length: COUNT - 3 }, (_, index) => `example.org/permits/${keyAt(index + 1)}`),
];

/** Names of members that only a key opens. */
const EXTRA = /"(?:content|author|data|version|updated_at|history_url)":/;

const service = await world({ records: COUNT });
/** The same to the public: its older records have the same ids, and say other things. */
const twin = await world({ records: 0 });
beforeAll(async () => {
  await twin.store.apply(
    'permits',
    Array.from({ length: COUNT }, (_, index) =>
      index < COUNT - 3
        ? say(keyAt(index + 1), { title: 'Another', document_type: 'open' })
        : statementAt(index + 1, COUNT),
    ),
    { recordedAt: at(0) },
  );
  await twin.store.apply('permits', [say(keyAt(2), { title: 'Changed' })], { recordedAt: at(5) });
  await twin.store.withdraw('permits', [`permits:${keyAt(5)}`], { recordedAt: at(6) });
  // The register’s last change is public; it shall not be that of the latest three.
  const old = { ...statementAt(2, COUNT), author: `${SECRET} other author` };
  await service.store.apply('permits', [old], { recordedAt: at(5) });
  await service.store.withdraw('permits', [`permits:${keyAt(5)}`], { recordedAt: at(6) });
});

const ids = fc.oneof(
  fc.integer({ min: 0, max: COUNT + 1 }).map((index) => `permits:${keyAt(index)}`),
  fc.constantFrom('permits', 'notices', 'nothing', 'permits:%30%30%31', 'permits:~30'),
  fc.string({ maxLength: 6 }),
);
const fieldNames = fc.constantFrom(
  ...['id', 'title', 'summary', 'source_url', 'facility_id', 'published_at', 'observed_at', 'document_type', 'feed_id'],
  ...['id', 'title', 'summary', 'content', 'author', 'data', 'data.applicant', 'version', 'updated_at', 'history_url'],
  ...['position', '__proto__', 'constructor', 'data.__proto__', 'records'],
);
/** What is in the latest three records, in older ones, and in none. */
const words = fc
  .array(fc.constantFrom('permit', 'number', 'open', SECRET, `-${SECRET}`, '2', '11', 'conf*', '"permit number 2"'), {
    minLength: 1,
    maxLength: 3,
  })
  .map((parts) => parts.join(' '));
const registerArguments = fc.record(
  {
    feed_id: fc.oneof({ weight: 5, arbitrary: fc.constant('permits') }, ids),
    limit: fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 1, max: 100 }) }, fc.constantFrom(0, '3', null)),
    offset: fc.oneof({ weight: 5, arbitrary: fc.nat({ max: 20 }) }, fc.double()),
    document_type: fc.constantFrom('adopted', 'draft', 'nothing', 'nothing', ''),
    facility_id: fc.constantFrom('FAC-0003', 'FAC-0001', ['FAC-0001', 'FAC-0003'], 3),
    key: fc.oneof(fc.nat({ max: COUNT + 1 }).map(keyAt), fc.array(fc.nat({ max: COUNT }).map(keyAt))),
    q: words,
    published_since: fc.constantFrom('2026-04-17', '2026-05-01'),
    updated_until: fc.constantFrom(at(0), at(5), at(6)),
    data: fc.record(
      {
        applicant: fc.constantFrom('open applicant', `${SECRET} applicant`),
        amount_min: fc.nat({ max: COUNT }),
        amount: fc.nat({ max: COUNT }),
      },
      { requiredKeys: [] },
    ),
    fields: fc.array(fieldNames, { maxLength: 2 }),
    format: fc.constantFrom('table', 'records'),
  },
  { requiredKeys: ['feed_id'] },
);
const recordArguments = fc.record(
  { record_id: ids, fields: fc.array(fieldNames, { maxLength: 2 }), limit: fc.nat(), offset: fc.nat() },
  { requiredKeys: ['record_id'] },
);
const historyArguments = fc.record(
  { record_id: ids, limit: fc.integer({ min: 1, max: 100 }), offset: fc.nat({ max: 3 }) },
  { requiredKeys: ['record_id'] },
);
/** Questions without mistakes: each is answered, with records or with the values there are. */
const filterArguments = fc.record(
  {
    feed_id: fc.constant('permits'),
    document_type: fc.constantFrom('adopted', 'draft', 'nothing'),
    facility_id: fc.constantFrom('FAC-0003', 'FAC-0001', 'FAC-9'),
    key: fc.nat({ max: COUNT + 1 }).map(keyAt),
    q: words,
    limit: fc.constantFrom(1, 2, 100),
    offset: fc.nat({ max: 2 }),
  },
  { requiredKeys: ['feed_id'] },
);
const searchArguments = fc.record(
  { query: words, feed_id: fc.constantFrom('permits', 'notices'), limit: fc.integer({ min: 1, max: 100 }) },
  { requiredKeys: ['query'] },
);
const calls = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant('read_register'), registerArguments) },
  { weight: 4, arbitrary: fc.tuple(fc.constant('read_register'), filterArguments) },
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom('read_record', 'record_history'), recordArguments) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('record_history'), historyArguments) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('search'), searchArguments) },
  {
    weight: 4,
    arbitrary: fc.tuple(
      fc.constant('ask_register'),
      fc.record(
        {
          feed_id: fc.constant('permits'),
          measure: fc.constantFrom('count', 'max:published_at', 'min:observed_at', 'max:updated_at', 'sum:data.amount'),
          by: fc.constantFrom(['document_type'], ['published_at:month'], ['facility_id'], ['data.applicant']),
          q: words,
          document_type: fc.constantFrom('adopted', 'draft', 'nothing'),
        },
        { requiredKeys: ['feed_id'] },
      ),
    ),
  },
  { weight: 2, arbitrary: fc.tuple(fc.constant('fetch'), fc.record({ id: ids })) },
  fc.tuple(fc.constant('changes'), fc.record({ feed_id: ids, since: fc.constantFrom('0', 1, '2026-01-01') })),
  fc.tuple(
    fc.constant('list_registers'),
    fc.record({ limit: fc.nat({ max: 110 }), tier: fc.constant('pro'), as_of: fc.nat() }, { requiredKeys: [] }),
  ),
  fc.tuple(fc.constantFrom('read_register', 'list_registers', 'read_record', 'record_history', 'none'), fc.jsonValue()),
);

describe('the public', () => {
  it('never sees a byte of the extra fields or of older records, whatever its agents ask', async () => {
    let shown = 0;
    await fc.assert(
      fc.asyncProperty(calls, fc.boolean(), async ([name, args], isModern) => {
        const params = { name, arguments: args };
        const [body, headers] = isModern ? modern('tools/call', params) : [rpc('tools/call', params), {}];
        const { text, status } = await post(service, body, headers);
        expect(status).toBe(200);
        // The address of the next page asks what was asked.
        const told = text.replaceAll(/\?[^"\\]*/g, '');
        for (const hidden of HIDDEN) expect(told).not.toContain(hidden);
        const { structuredContent } = (JSON.parse(text) as { result?: { structuredContent?: unknown } }).result ?? {};
        if (structuredContent === undefined) return;
        shown++;
        // Registers describe themselves under some of the same names; records do not.
        if (name !== 'list_registers') expect(JSON.stringify(structuredContent)).not.toMatch(EXTRA);
      }),
      { numRuns: CALLS, examples: [[['read_register', { feed_id: 'permits', q: `-${SECRET}`, limit: 1 }], false]] },
    );
    expect(shown).toBeGreaterThan(CALLS / 20);
  });

  it('is answered the same whatever older records say, hits, values, lengths and refusals', async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(calls, async ([name, args]) => {
        const body = rpc('tools/call', { name, arguments: args });
        const [one, other] = await Promise.all([post(service, body), post(twin, body)]);
        // The digest of a cursor has the name of the register's log, which is drawn at random.
        const [said, same] = [one, other].map(({ text }) => text.replace(/(cursor\\*":\\*")[\w-]+/g, '$1'));
        expect(same).toBe(said);
        if (/"(?:records|results)":\[\{|"rows":\[\[/.test(one.text)) found++;
      }),
      { numRuns: CALLS },
    );
    // Usual are some fifteen of five hundred.
    expect(found).toBeGreaterThan(CALLS / 250);
  });

  it('is told nothing of them by the list of tools, the discovery and the handshake', async () => {
    const asked = [rpc('initialize'), rpc('tools/list'), rpc('ping')].map((body) => post(service, body));
    const discovered = post(service, ...modern('server/discover'));
    for (const { text } of await Promise.all([...asked, discovered])) {
      for (const hidden of HIDDEN) expect(text).not.toContain(hidden);
    }
  });

  it('is the only one that does not: a key sees each of these', async () => {
    const all = await callTool(service, 'read_register', { feed_id: 'permits', limit: 100 }, service.key);
    const text = JSON.stringify(all.structuredContent);
    const withdrawn = [`Permit number 5"`, `example.org/permits/${keyAt(5)}`];
    for (const hidden of HIDDEN) expect([hidden, text.includes(hidden)]).toEqual([hidden, !withdrawn.includes(hidden)]);
    expect(text).toMatch(EXTRA);
  });

  it('sees as many records as the operator lets it', async () => {
    const other = await world({ records: COUNT, tiers: { window: 1 } });
    const { structuredContent } = await callTool(other, 'read_register', { feed_id: 'permits' });
    expect(recordsIn(structuredContent)).toHaveLength(1);
    const { isError } = await callTool(other, 'read_record', { record_id: `permits:${keyAt(COUNT - 1)}` });
    expect(isError).toBe(true);
  });
});
