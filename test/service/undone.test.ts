// An import was taken back: readers find on every surface what they found before it, and every surface that shows versions says
// which of them take it back. A copy that is kept by changes is proved by the log.
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../src/adapters/server.ts';
import { importRecords } from '../../src/import/importer.ts';
import { jsonReader } from '../../src/import/readers/json.ts';
import { Imports } from '../../src/operate/registers/imports.ts';
import { defineRegister } from '../../src/register/definition.ts';
import type { RecordVersion } from '../../src/register/record.ts';
import { folder, gazette } from '../cli/run.ts';
import { sign } from '../wings/proofs/signing.ts';
import { at } from '../contracts/store-register.ts';
import { source } from '../import/sources.ts';
import { callTool } from '../mcp/agent.ts';
import { type Deployment, deployment, receiver } from '../webhooks/send/sending.ts';
import { BASE_URL } from '../world.ts';
import { logsOf } from '../wings/proofs/logs-of.ts';

const FIRST = ['a', 'b', 'c', 'd'].map((id) => ({
  ...{
    id,
    title: `Mill ${id}`,
    document_type: 'draft',
    source_url: 'https://example.org/',
    published_at: '2026-02-03',
  },
  data: { amount: 1 },
}));

/** It lacks `d`, has `e`, and states of `a` when it was observed. */
const SECOND = [
  { ...FIRST[0]!, title: 'Quarry a', document_type: 'adopted', observed_at: '2020-01-01T00:00:00Z' },
  ...FIRST.slice(1, 3),
  { ...FIRST[0]!, id: 'e', data: { amount: 2 } },
];

async function take({ store }: Deployment, rows: readonly object[], minute: number): Promise<number> {
  const { number } = await importRecords(store, 'permits', jsonReader(source(JSON.stringify(rows))), {
    now: () => Date.parse(at(minute)),
    ...{ order: 'oldest-first', withdrawMissing: true },
  });
  return number!;
}

/** A register of four records, whose second import was taken back. */
async function undone(given?: Deployment): Promise<Deployment & { readonly number: number; readonly before: unknown }> {
  const made = given ?? (await deployment());
  await take(made, FIRST, 1);
  const before = await found(made);
  const number = await take(made, SECOND, 2);
  expect(await found(made)).not.toEqual(before);
  await new Imports(made.store, { now: () => Date.parse(at(3)) }).undo('permits', number, { who: 'ada' });
  return { ...made, number, before };
}

/** What readers find: all but versions, when they were recorded, and what is derived from them. */
async function found({ pro, get }: Deployment): Promise<readonly string[]> {
  const feed = '/feeds/permits';
  const fields = 'fields=key,title,document_type,published_at,observed_at,data';
  const paths = [
    ...[`${feed}/records`, `${feed}/records?q=mill`, `${feed}/records?document_type=draft`, '/records/permits:a'],
    ...[`${feed}/facets?facet=document_type`, `${feed}/facets?facet=document_type&q=mill`, feed],
    ...[`${feed}/records/export.csv?${fields}`, `${feed}/register.ndjson?${fields}`, `${feed}/records/export.rss`],
  ];
  const answers = await Promise.all(paths.flatMap((path) => [pro(path), get(path)]));
  const texts = await Promise.all(answers.map(async (answer) => `${answer.status} ${await answer.text()}`));
  return texts.map((text) =>
    text
      .replaceAll(/"(?:version|as_of|log_index|change|last_change|updated_at|request_id)":(?:"[^"]*"|\d+)/g, '')
      .replaceAll(/\w{3}, 01 May 2026 00:0\d:00 GMT|<atom:updated>.*<\/atom:updated>/g, ''),
  );
}

it('shows readers what they saw before', async () => {
  const made = await undone();
  expect(await found(made)).toEqual(made.before);
  expect((await made.pro('/records/permits:e')).status).toBe(410);
});

it('says on every surface which versions take it back', async () => {
  const made = await deployment();
  const hook = await receiver();
  await made.add(hook.url);
  const { number, pro, key } = await undone(made);
  const { versions } = (await (await pro('/feeds/permits/changes')).json()) as { readonly versions: RecordVersion[] };
  const told = [
    ['permits:a', 'extraction_correction'],
    ['permits:d', 'restored'],
    ['permits:e', 'withdrawn'],
  ];
  const undoing = versions.filter(({ undoes }) => undoes !== undefined);
  expect(undoing.map(({ record_id, cause, undoes }) => [record_id, cause, undoes])).toEqual(
    told.map((each) => [...each, number]),
  );
  expect(versions.length).toBe(FIRST.length + 2 * told.length);

  await made.sender({ concurrency: 1 }).sendDue();
  const events = hook.received.map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>);
  expect(events.filter(({ undoes }) => undoes === number).map(({ record_id, cause }) => [record_id, cause])).toEqual(
    told,
  );
  expect(events.filter((event) => 'undoes' in event).length).toBe(told.length);

  const history = (await (await pro('/records/permits:a/history')).json()) as readonly RecordVersion[];
  const byAgent = await callTool(made, 'record_history', { record_id: 'permits:a' }, key);
  for (const list of [history, byAgent.structuredContent!.versions as RecordVersion[]])
    expect(list.map(({ undoes }) => undoes)).toEqual([number, undefined, undefined]);

  const { definition } = (await made.store.register('permits'))!;
  await made.store.updateRegister({ ...definition, access: 'open' }, { recordedAt: at(4) });
  for (const [language, text] of [
    ['en', `import ${number} taken back`],
    ['de', `Import ${number} zurückgenommen`],
  ] as const) {
    const page = await made.get(`${BASE_URL}/records/permits:d`, {
      headers: { accept: 'text/html', 'accept-language': language },
    });
    expect((await page.text()).split(text).length - 1).toBe(1);
  }
});

it('is proved in a copy, and by the log', async () => {
  const made = await undone();
  const server = await startServer((request) => made.fetch(request, { remoteAddress: '127.0.0.1' }), {
    ...{ port: 0, host: '127.0.0.1' },
  });
  onTestFinished(() => server.stop(0));
  await sign(made.store, 'permits');
  const { vkey } = await logsOf(made.store).of('permits');
  const url = `${server.url}/api/v1/feeds/permits`;
  const copy = join(await folder(), 'copy');
  for (const line of [
    ['verify', url],
    ['pull', url, '--format', 'ndjson', '--prove', '--output', copy],
  ]) {
    const { code, stdout, stderr } = await gazette([...line, '--vkey', vkey!], '', { GAZETTE_API_KEY: made.key });
    expect([code, `${stdout.toString()}${stderr}`]).toEqual([
      0,
      expect.stringMatching(/complete and unrewritten to change 10\b/),
    ]);
  }
});

it('shows the register itself as it was: its fields, in exports, schemas and descriptions', async () => {
  const made = await deployment();
  const { store, pro } = made;
  await store.createRegister(defineRegister({ id: 'found', title: 'Found', created_at: at(0) }));
  const described = async (): Promise<readonly string[]> => {
    const feed = '/feeds/found';
    const paths = [
      ...[feed, `${feed}/records/export.csv`, `${feed}/register.csv`, `${feed}/register.xsd`, `${feed}/openapi.json`],
    ];
    const answers = await Promise.all(paths.map((path) => pro(path)));
    return Promise.all(
      answers.map(async (answer) => {
        const text = await answer.text();
        return `${answer.status} ${text.replaceAll(/"(?:[a-z_]*(?:version|change|as_of|updated_at|last_modified)|request_id)":(?:"[^"]*"|\d+|null)/g, '')}`;
      }),
    );
  };
  const before = await described();
  const rows = [{ id: 'a', title: 'One', source_url: 'https://example.org/', size: 1, Street: 'Mill lane' }];
  const take = async (): Promise<number> => {
    const reader = jsonReader(source(JSON.stringify(rows)));
    const { number } = await importRecords(store, 'found', reader, { now: () => Date.parse(at(1)) });
    return number!;
  };
  const imports = new Imports(store, { now: () => Date.parse(at(2)) });
  const number = await take();
  const after = await described();
  expect(after.filter((text, at) => text === before[at])).toEqual([]);
  const { number: undo } = await imports.undo('found', number, { who: 'ada' });
  expect(await described()).toEqual(before);
  await imports.undo('found', undo, { who: 'ada' });
  expect((await described()).slice(3)).toEqual(after.slice(3));
});
