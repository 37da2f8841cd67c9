// An agent that knows only the base URL and holds a key that was made to spend: it finds, prices, buys and cites a named
// record. What it asks and what it is answered, word for word, is the transcript in docs/sell.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { createApiKey, newKeyEntry } from '../../../src/access/api-key.ts';
import { BASE_URL, world, type World, PRODUCT } from '../../world.ts';
import { at, say } from '../../contracts/store-register.ts';
import { MCP_URL } from '../../mcp/agent.ts';
import { ledgerOf } from './ledger-of.ts';

const PAGE = join(import.meta.dirname, '../../../docs/sell.md');

/** How many characters count as a token. */
const CHARACTERS_PER_TOKEN = 4;

let service: World;
let key: string;
beforeEach(async () => {
  service = await world({ records: 0 });
  const { store } = service;
  await store.removeRegister('notices');
  const { definition } = (await store.register('permits'))!;
  const prices = { currency: 'EUR', per_record: 200 };
  await store.updateRegister({ ...definition, prices }, { recordedAt: at(0) });
  const records = Array.from({ length: 40 }, (_, index) =>
    say(String(index + 1), {
      title: index === 6 ? 'Quay wall of the northern harbour' : `Permit ${index + 1}`,
      summary: `The ${index + 1}th permit of the year.`,
      content: index === 6 ? 'The quay wall may be built until 2029, in concrete of class C35/45.' : 'As applied for.',
    }),
  );
  await store.apply('permits', records, { recordedAt: at(1) });
  await store.accounts.createAccount({ id: 'agent', accessUntil: null, createdAt: at(0) });
  await ledgerOf(store).grantCredit({
    ...{ accountId: 'agent', price: { amount: 5000, currency: 'EUR' }, reference: null, reason: null },
  });
  key = createApiKey();
  const entry = newKeyEntry(key, { accountId: 'agent', product: PRODUCT, createdAt: at(0) });
  await store.accounts.createKey({ ...entry, budget: { budget: 500, perDay: null }, expiresAt: at(60 * 24) });
});

/** Everything that was said, as a model reads it. */
class Transcript {
  readonly lines: string[] = [];
  calls = 0;

  async ask(request: Request): Promise<Record<string, unknown>> {
    this.calls++;
    const path = request.url.slice(BASE_URL.length);
    const sent = request.method === 'POST' ? ` ${await request.clone().text()}` : '';
    const response = await service.fetch(request);
    const body = (await response.json()) as Record<string, unknown>;
    // A model is given one of the two forms in which a tool answers.
    const { result } = body as { result?: { structuredContent?: unknown } };
    const turn = {
      ask: `${request.method} ${path}${sent}`,
      status: response.status,
      answer: result?.structuredContent ?? body,
    };
    // Every store gives its registers ids of their own.
    this.lines.push(JSON.stringify(turn).replace(/"uuid":"[^"]*"/, '"uuid":"2ed6657d-e927-568b-95e1-2665a8aea6a2"'));
    return body;
  }

  get tokens(): number {
    return Math.ceil(this.lines.join('\n').length / CHARACTERS_PER_TOKEN);
  }
}

const get = (url: string): Request => new Request(url, { headers: { authorization: `Bearer ${key}` } });

it('finds, prices, buys and cites a named record over HTTP in at most 5 calls and 4,000 tokens', async () => {
  const talk = new Transcript();
  const index = (await talk.ask(get(`${BASE_URL}/api/v1`))) as { links: { rel: string; href: string }[] };
  const feeds = index.links.find(({ rel }) => rel === 'collection')!.href;
  const [feed] = ((await talk.ask(get(feeds))) as { feeds: { links: { records: string }; offers: object[] }[] }).feeds;
  expect(feed!.offers).toHaveLength(1);
  const list = (await talk.ask(get(`${feed!.links.records}?q=quay+wall&limit=5`))) as {
    records: { title: string; price: object; buy_url: string }[];
  };
  const [found] = list.records;
  expect(found).toMatchObject({ title: 'Quay wall of the northern harbour', price: { amount: 200, currency: 'EUR' } });
  const record = (await talk.ask(get(found!.buy_url))) as { content: string; source_url: string; title: string };
  const citation = `${record.title}: “${record.content}” (${record.source_url})`;
  expect(citation).toBe(
    'Quay wall of the northern harbour: “The quay wall may be built until 2029, in concrete of class C35/45.” (https://example.org/permits/7)',
  );
  expect(talk.calls).toBeLessThanOrEqual(5);
  expect(talk.tokens).toBeLessThanOrEqual(4000);
  expect((await service.store.accounts.account('agent'))!.balance!.charged).toBe(200);
  // The transcript in the documentation is this one.
  const shown = `[\n${talk.lines.join(',\n')}\n]`;
  const page = readFileSync(PAGE, 'utf8');
  expect(page.slice(page.indexOf('```json\n[') + 8).split('\n```')[0]).toBe(shown);
});

it('does the same through the tools, in three calls', async () => {
  const talk = new Transcript();
  const call = (name: string, args: object): Request =>
    new Request(MCP_URL, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: talk.calls + 1,
        method: 'tools/call',
        params: { name, arguments: args },
      }),
    });
  await talk.ask(call('list_registers', {}));
  const searched = (await talk.ask(call('search', { query: 'quay wall' }))) as {
    result: { structuredContent: { results: { id: string; price: object }[] } };
  };
  const [found] = searched.result.structuredContent.results;
  expect(found!.price).toEqual({ amount: 200, currency: 'EUR' });
  const read = (await talk.ask(
    call('read_record', { record_id: found!.id, purchase_id: 'quay-1', expected_price: '2.00 EUR' }),
  )) as {
    result: { structuredContent: { record: { content: string; source_url: string } } };
  };
  expect(read.result.structuredContent).toMatchObject({
    record: { content: expect.stringContaining('C35/45') as string, source_url: 'https://example.org/permits/7' },
    purchase: { charged: true, price: { amount: 200, currency: 'EUR' }, content_version: 1 },
    left: { amount: 300, currency: 'EUR' },
  });
  expect(talk.calls).toBe(3);
  expect(talk.tokens).toBeLessThanOrEqual(4000);
});
