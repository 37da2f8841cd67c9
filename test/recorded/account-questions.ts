// What is asked of the account's routes and of those that sell, in an order that counts: what one makes the next one uses.
import type { Answer, Question } from './ask.ts';
import { callers } from './questions.ts';
import type { Keys } from './world.ts';

const ACCOUNT = '/api/v1/account';

/** Asks, and answers with what came back. */
export type Ask = (question: Question) => Promise<Answer>;

const JSON_TYPE = { 'content-type': 'application/json' };

const KEY_BODIES: readonly unknown[] = [
  {},
  { name: 'made' },
  { name: 'scoped', scopes: ['read'], feeds: ['notices'], limit: { requests: 5, seconds: 60 } },
  { scopes: [] },
  { scopes: ['all'] },
  { feeds: ['none'] },
  { feeds: [] },
  { limit: { requests: 0, seconds: 60 } },
  { limit: { requests: 5 } },
  { expires_at: '2026-12-31' },
  { expires_at: '2020-01-01' },
  { expires_at: 'soon' },
  { name: 'x'.repeat(200) },
  { name: 7 },
  { name: null },
  { other: 1 },
  { budget: 10 },
  [],
  null,
  'text',
];

const ENDPOINT_BODIES: readonly unknown[] = [
  { url: 'http://127.0.0.1:PORT/ok' },
  { url: 'http://127.0.0.1:PORT/bad', feeds: ['permits'], types: ['record.updated'] },
  { url: 'http://127.0.0.1:PORT/gone', filters: { document_type: 'adopted' }, standard_webhooks: true },
  {},
  { url: '' },
  { url: 'ftp://example.org/' },
  { url: 'http://user:password@127.0.0.1:PORT/' },
  { url: 'http://127.0.0.1:PORT/ok#fragment' },
  { url: `http://127.0.0.1:PORT/${'x'.repeat(3000)}` },
  { url: 'http://127.0.0.1:PORT/ok', feeds: ['none'] },
  { url: 'http://127.0.0.1:PORT/ok', types: ['none'] },
  { url: 'http://127.0.0.1:PORT/ok', filters: { none: 'x' } },
  { url: 'http://127.0.0.1:PORT/ok', other: 1 },
];

/** The account's routes: keys, endpoints and deliveries. @param port of the receiver */
export async function askAccount(ask: Ask, keys: Keys, port: number, settled: () => Promise<void>): Promise<void> {
  const who = callers(keys);
  const send = (method: string, path: string, body?: unknown, note = 'account', headers = {}): Promise<Answer> =>
    ask({
      ...{
        method,
        path: ACCOUNT + path,
        note,
        headers: { ...who[note]!, ...(body === undefined ? {} : JSON_TYPE), ...headers },
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body).replaceAll('PORT', String(port)) }),
    });
  for (const note of ['nobody', 'pro', 'webhooks', 'account', 'credit', 'buyer', 'suspended', 'lapsed'])
    for (const path of ['', '/keys', '/endpoints', '/deliveries', '/ledger', '/ledger.csv', '/none'])
      await send('GET', path, undefined, note);

  for (const body of KEY_BODIES) await send('POST', '/keys', body);
  for (const [type, body] of [
    ['text/plain', '{}'],
    ['application/json', '{'],
    ['application/json', ''],
    ['application/json; charset=latin1', '{}'],
  ] as const)
    await ask({
      ...{ method: 'POST', path: `${ACCOUNT}/keys`, note: 'account', body },
      headers: { ...who.account!, 'content-type': type },
    });
  const once = { 'idempotency-key': 'one' };
  await send('POST', '/keys', { name: 'once' }, 'account', once);
  const made = await send('POST', '/keys', { name: 'twice' }, 'account', { 'idempotency-key': 'two' });
  await send('POST', '/keys', { name: 'another' }, 'account', once);
  await send('POST', '/keys', { name: 'bad' }, 'account', { 'idempotency-key': '' });
  const id = idIn(made);
  for (const body of [
    { name: 'renamed' },
    { scopes: ['read', 'account'] },
    { feeds: ['none'] },
    { limit: null },
    {},
    { state: 'x' },
  ])
    await send('PATCH', `/keys/${id}`, body);
  await send('PATCH', '/keys/key_000000000000', { name: 'x' });
  await send('PATCH', '/keys/none', { name: 'x' });
  for (const body of [{}, { grace_hours: 0 }, { grace_hours: -1 }, { grace_hours: 'x' }])
    await send('POST', `/keys/${id}/rotate`, body);
  await send('DELETE', `/keys/${id}`);
  await send('DELETE', `/keys/${id}`, undefined, 'account', { 'x-again': '1' });
  await send('DELETE', '/keys/none');
  await send('GET', '/keys', undefined, 'account', { 'x-after': 'keys' });

  const endpoints: string[] = [];
  for (const body of ENDPOINT_BODIES) {
    const { status, text } = await send('POST', '/endpoints', body, 'webhooks');
    if (status === 201) endpoints.push((JSON.parse(text) as { id: string }).id);
  }
  const [ok = '', bad = '', gone = ''] = endpoints;
  await send('GET', '/endpoints', undefined, 'webhooks', { 'x-after': 'made' });
  for (const one of [ok, bad, gone, 'ep_00000000000000000000000000000000', 'none'])
    await send('GET', `/endpoints/${one}`, undefined, 'webhooks');
  for (const body of [
    { types: ['record.published'] },
    { feeds: [] },
    { url: 'x' },
    { enabled: false },
    { enabled: true },
    { disabled: true },
    { filters: { q: 'x' } },
    { none: 1 },
  ])
    await send('PATCH', `/endpoints/${ok}`, body, 'webhooks');
  for (const one of [ok, bad, gone]) {
    await send('POST', `/endpoints/${one}/test`, {}, 'webhooks');
    await settled();
  }
  await send('POST', `/endpoints/${ok}/test`, { type: 'record.updated' }, 'webhooks');
  await send('POST', `/endpoints/${ok}/test`, { type: 'none' }, 'webhooks');
  await settled();
  const listed = await send('GET', '/deliveries?limit=10', undefined, 'webhooks');
  for (const query of ['limit=1', 'limit=0', 'limit=x', `endpoint=${ok}`, 'endpoint=none', 'before=none', 'none=1'])
    await send('GET', `/deliveries?${query}`, undefined, 'webhooks');
  const { deliveries } = JSON.parse(listed.text) as { readonly deliveries: readonly { readonly id: string }[] };
  for (const delivery of deliveries) await send('GET', `/deliveries/${delivery.id}`, undefined, 'webhooks');
  await send('GET', '/deliveries/none', undefined, 'webhooks');
  await send('POST', `/deliveries/${deliveries.at(-1)?.id ?? 'none'}/replay`, {}, 'webhooks');
  await settled();
  for (const body of [{ since: '2026-09-30' }, { since: 'x' }, {}, { since: '2026-09-30', missed_only: true }]) {
    await send('POST', `/endpoints/${ok}/replay`, body, 'webhooks');
    await settled();
  }
  for (const body of [{}, { grace_hours: 1 }]) await send('POST', `/endpoints/${ok}/activate-secret`, body, 'webhooks');
  await send('POST', `/endpoints/${ok}/rotate-secret`, {}, 'webhooks');
  await send('POST', `/endpoints/${ok}/activate-secret`, { grace_hours: 24 }, 'webhooks');
  await send('DELETE', `/endpoints/${bad}`, undefined, 'webhooks');
  await send('GET', `/endpoints/${bad}`, undefined, 'webhooks', { 'x-after': 'deleted' });
  await send('GET', '/endpoints', undefined, 'webhooks', { 'x-after': 'all' });
  await send('GET', '/deliveries', undefined, 'webhooks', { 'x-after': 'all' });
}

/** What is sold, and to whom. */
export async function askPurchases(ask: Ask, keys: Keys): Promise<void> {
  const who = callers(keys);
  const at = (path: string): string => `/api/v1/records/${path}`;
  const people = ['nobody', 'pro', 'notices', 'frugal', 'poor', 'credit', 'buyer'];
  for (const path of [
    'shop:2/full',
    'shop:12/full',
    'shop:14/full',
    'shop:5/full',
    'permits:2025-0154/full',
    'shop:none/full',
  ])
    for (const note of people) await ask({ path: at(path), note, headers: who[note]! });
  for (const method of ['HEAD', 'OPTIONS'])
    await ask({ path: at('shop:4/full'), method, note: 'buyer', headers: who.buyer! });
  await ask({ path: at('shop:4/full'), note: 'buyer', headers: { ...who.buyer!, 'if-none-match': '"x"' } });
  for (const price of ['1.00 EUR', '2.00 USD', 'free', '2.00 EUR'])
    await ask({ path: at('shop:4/full'), note: 'buyer', headers: { ...who.buyer!, 'gazette-expected-price': price } });
  for (const note of people)
    for (const body of [
      '{}',
      '{"expected_price":"2.00 EUR"}',
      '{"expected_price":"1.00 EUR"}',
      '{"expected_price":2}',
      '{"other":1}',
    ])
      await ask({ path: at('shop:6/purchase'), method: 'POST', note, headers: { ...who[note]!, ...JSON_TYPE }, body });
  for (const key of ['a', 'b'])
    for (const record of ['7', '8'])
      await ask({
        path: at(`shop:${record}/purchase`),
        method: 'POST',
        note: 'credit',
        headers: { ...who.credit!, ...JSON_TYPE, 'idempotency-key': key },
        body: '{"expected_price":"2.00 EUR"}',
      });
  for (const note of ['buyer', 'credit'])
    for (const path of [
      '/api/v1/feeds/shop/records',
      '/api/v1/feeds/shop/records?q=Summary',
      '/api/v1/feeds/shop/records?facility_id=F1',
      at('shop:6'),
      at('shop:2'),
      at('shop:9'),
      '/api/v1/feeds/shop/facets',
      '/api/v1/feeds/shop/facets?measure=max:observed_at&by=document_type',
      '/api/v1/feeds/shop/facets?by=data.pages',
    ])
      await ask({ path, note: `${note} afterwards`, headers: who[note]! });
  for (const path of [
    '/api/v1/account',
    '/api/v1/account/keys',
    '/api/v1/account/ledger',
    '/api/v1/account/ledger?limit=2',
    '/api/v1/account/ledger.csv',
  ])
    await ask({ path, note: 'credit afterwards', headers: who.credit! });
}

function idIn({ text }: Answer): string {
  const { id, key_id } = JSON.parse(text) as { readonly id?: string; readonly key_id?: string };
  return id ?? key_id ?? 'none';
}
