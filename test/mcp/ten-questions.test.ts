// Ten questions that people ask of a register, answered by an agent that sees only the list of tools and their results: all right, in few
// calls, with few bytes. And how long a hundred records are.
import { beforeAll, describe, expect, it } from 'vitest';
import { importRecords } from '../../src/import/importer.ts';
import { parseMapping } from '../../src/import/mapping/mapping.ts';
import { jsonReader } from '../../src/import/readers/json.ts';
import { defineRegister } from '../../src/register/definition.ts';
import { source } from '../import/sources.ts';
import { world } from '../world.ts';
import { post, recordsIn, rpc, type ToolReply } from './agent.ts';
import { answerQuestions, type Answers, type Ask, type ListedTool } from './questioner.ts';
import { type Catalogue, expectedOf, makeCatalogue } from './vulnerabilities.ts';

const MAPPING = parseMapping([
  'id=cveID,title=vulnerabilityName,summary=shortDescription,published_at=dateAdded,source_url=https://nvd.nist.gov/vuln/detail/{cveID}',
]);

const FIELDS = [
  { name: 'vendor_project', type: 'text', filterable: true },
  { name: 'product', type: 'text' },
  { name: 'required_action', type: 'text' },
  { name: 'due_date', type: 'date', filterable: true },
  { name: 'known_ransomware_campaign_use', type: 'text', filterable: true },
  { name: 'notes', type: 'text' },
  { name: 'cwes', type: 'json', filterable: true },
] as const;

const catalogue = makeCatalogue(1404);
/** A week later: two entries are new, and one has another due date. */
const later: Catalogue = {
  ...catalogue,
  vulnerabilities: [
    ...['CVE-2025-99901', 'CVE-2025-99902'].map((cveID) => ({ ...catalogue.vulnerabilities[0]!, cveID })),
    ...catalogue.vulnerabilities.map((one, index) => (index === 700 ? { ...one, dueDate: '2025-12-31' } : one)),
  ],
};

const service = await world({ records: 0 });
const { store, key } = service;
for (const feed of ['permits', 'notices']) await store.removeRegister(feed);
await store.createRegister(
  defineRegister({
    id: 'kev',
    title: 'Known exploited vulnerabilities',
    created_at: '2025-08-25T00:00:00Z',
    fields: FIELDS,
  }),
);

beforeAll(async () => {
  for (const [file, day] of [
    [catalogue, '2025-08-25'],
    [later, '2025-09-01'],
  ] as const) {
    const reader = jsonReader(source(JSON.stringify(file), 65_536), { pick: 'vulnerabilities' });
    await importRecords(store, 'kev', reader, { now: () => Date.parse(`${day}T12:00:00Z`), mapping: MAPPING });
  }
}, 600_000);

let [calls, bytes] = [0, 0];
const headers = { authorization: `Bearer ${key}`, 'mcp-protocol-version': '2025-11-25' };
const ask: Ask = async (name, args) => {
  const { text, body } = await post(service, rpc('tools/call', { name, arguments: args }), headers);
  calls++;
  bytes += Buffer.byteLength(text);
  return body!.result as unknown as ToolReply;
};

describe('ten questions', () => {
  let answers: Answers;
  beforeAll(async () => {
    const { body } = await post(service, rpc('tools/list'), headers);
    answers = await answerQuestions(body!.result!.tools as readonly ListedTool[], ask, '2025-09-01');
  });

  it('are answered right', () => {
    const { dueOf, cwe22, earliestDue, ...expected } = expectedOf(later);
    expect(answers).toMatchObject(expected);
    expect(answers.cwe22.toSorted()).toEqual(cwe22);
    expect(answers.earliestDue.map((id) => dueOf.get(id as string))).toEqual(earliestDue);
    const corrected = `kev:${catalogue.vulnerabilities[700]!.cveID}`;
    expect(answers.changed.added.toSorted()).toEqual(['kev:CVE-2025-99901', 'kev:CVE-2025-99902']);
    expect(answers.changed.corrected).toEqual([corrected]);
  });

  it('take at most 14 calls and 15,000 tokens of four bytes', () => {
    expect(calls).toBeLessThanOrEqual(14);
    expect(bytes / 4).toBeLessThanOrEqual(15_000);
  });
});

it.each([
  [['id', 'title'], 18_000],
  [['id', 'title', 'source_url'], 30_000],
])('a hundred records with %j are short', async (fields, most) => {
  const args = { feed_id: 'kev', limit: 100, fields };
  const { text, body } = await post(service, rpc('tools/call', { name: 'read_register', arguments: args }), headers);
  const { structuredContent } = body!.result as unknown as ToolReply;
  expect(recordsIn(structuredContent)).toHaveLength(100);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(most);
});
