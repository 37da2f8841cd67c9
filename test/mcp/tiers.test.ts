// What the public sees through the agents' endpoint: core fields of the latest three records, and not a byte more.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { type Deployment, deploy, keyAt, SECRET, statementAt } from '../contracts/deployment.ts';
import { at } from '../contracts/store-register.ts';
import { RUNS } from '../properties/arbitraries.ts';
import { callTool, modern, post, rpc } from './agent.ts';

const COUNT = 12;

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

let service: Deployment;
beforeAll(async () => {
  service = await deploy(SqliteStore.open(':memory:'), { count: COUNT });
  // The register’s last change is public; it shall not be that of the latest three.
  const old = { ...statementAt(2, COUNT), author: `${SECRET} other author` };
  await service.store.apply('permits', [old], { recordedAt: at(5) });
  await service.store.withdraw('permits', [`permits:${keyAt(5)}`], { recordedAt: at(6) });
});
afterAll(() => service.close());

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
const registerArguments = fc.record(
  {
    feed_id: fc.oneof({ weight: 5, arbitrary: fc.constant('permits') }, ids),
    limit: fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 1, max: 100 }) }, fc.constantFrom(0, '3', null)),
    offset: fc.oneof({ weight: 5, arbitrary: fc.nat({ max: 20 }) }, fc.double()),
    document_type: fc.constantFrom('adopted', 'draft', 'draft', ''),
    facility_id: fc.constantFrom('FAC-0003', 'FAC-0001', 'FAC-0001', 3),
    fields: fc.array(fieldNames, { maxLength: 2 }),
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
const calls = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant('read_register'), registerArguments) },
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom('read_record', 'record_history'), recordArguments) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('record_history'), historyArguments) },
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
        for (const hidden of HIDDEN) expect(text).not.toContain(hidden);
        const { structuredContent } = (JSON.parse(text) as { result?: { structuredContent?: unknown } }).result ?? {};
        if (structuredContent === undefined) return;
        shown++;
        // Registers describe themselves under some of the same names; records do not.
        if (name !== 'list_registers') expect(JSON.stringify(structuredContent)).not.toMatch(EXTRA);
      }),
      { numRuns: 5 * RUNS },
    );
    expect(shown).toBeGreaterThan(RUNS / 4);
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
    const store = SqliteStore.open(':memory:');
    const other = await deploy(store, { count: COUNT, tiers: { window: 1 } });
    const { structuredContent } = await callTool(other, 'read_register', { feed_id: 'permits' });
    expect(structuredContent!.records).toHaveLength(1);
    const { isError } = await callTool(other, 'read_record', { record_id: `permits:${keyAt(COUNT - 1)}` });
    expect(isError).toBe(true);
    await other.close();
  });
});
