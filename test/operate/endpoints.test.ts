import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Endpoints, isDeliveryId } from '../../src/operate/endpoints.ts';
import { endTime, startTime } from '../../src/operate/times.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { DEVELOPMENT_DESTINATIONS } from '../../src/webhooks/send/destination.ts';
import { SecretBox } from '../../src/webhooks/send/secret-box.ts';

const BOX = SecretBox.fromHex('ab'.repeat(32));

let store: SqliteStore;
let endpoints: Endpoints;
let now: string;

beforeEach(async () => {
  store = SqliteStore.open(':memory:');
  now = '2026-05-02T10:00:00Z';
  endpoints = new Endpoints(store, {
    box: () => BOX,
    rules: DEVELOPMENT_DESTINATIONS,
    now: () => Date.parse(now),
  });
  await store.accounts.createAccount({ id: 'acme', accessUntil: '2100-01-01T00:00:00Z', createdAt: now });
});
afterEach(() => store.close());

async function add(): Promise<string> {
  const { endpoint } = await endpoints.add({ accountId: 'acme', url: 'http://127.0.0.1:9/hook' });
  return endpoint.id;
}

describe('an endpoint', () => {
  it('is listed with its deliveries, and one of them with its attempts', async () => {
    const id = await add();
    const first = await endpoints.test(id);
    const second = await endpoints.test(id);
    expect((await endpoints.all('acme')).map((endpoint) => endpoint.id)).toEqual([id]);
    expect((await endpoints.all()).length).toBe(1);
    expect((await endpoints.deliveries(id, { limit: 10 })).map((delivery) => delivery.id)).toEqual([
      second.id,
      first.id,
    ]);
    expect(await endpoints.deliveries(id, { limit: 10, before: second.id })).toEqual([first]);
    expect(await endpoints.delivery(first.id)).toEqual({ delivery: first, attempts: [] });
    expect([isDeliveryId(first.id), isDeliveryId(id)]).toEqual([true, false]);
    await expect(endpoints.delivery('dlv_99')).rejects.toMatchObject({ code: 'unknown_delivery' });
    await expect(endpoints.all('nobody')).rejects.toMatchObject({ code: 'unknown_account' });
  });

  it('is sent again what was made since a day, from its first moment, or since a time', async () => {
    const id = await add();
    now = '2026-05-03T00:00:00Z';
    await endpoints.test(id);
    await expect(endpoints.replay({ endpointId: id, since: 'yesterday' })).rejects.toMatchObject({
      code: 'invalid_option',
    });
    expect(await endpoints.replay({ endpointId: id, since: '2026-05-03' })).toBe(1);
    expect(await endpoints.replay({ endpointId: id, since: '2026-05-03T00:00:01Z' })).toBe(0);
  });
});

describe('an endpoint that changes', () => {
  it('keeps its id and its secret, and what is not named', async () => {
    const { endpoint } = await endpoints.add({
      ...{ accountId: 'acme', url: 'http://127.0.0.1:9/hook', types: ['record.updated'] },
      filters: { document_type: 'adopted', facility_id: 'F1' },
    });
    expect(endpoint.filter).toEqual({ document_type: ['adopted'], facility_id: ['F1'] });
    const secret = await store.deliveries.anySecret();
    const changed = await endpoints.update(endpoint.id, { url: 'http://127.0.0.1:9/other', filters: {} });
    expect(changed).toEqual({ ...endpoint, url: 'http://127.0.0.1:9/other', filter: null });
    expect(await endpoints.update(endpoint.id, { types: [] })).toEqual({ ...changed, types: null });
    expect(await store.deliveries.anySecret()).toEqual(secret);
  });

  it.each([
    ['a destination that is not allowed', { url: 'http://10.0.0.1/' }, 'destination_refused'],
    ['an unknown register', { feeds: ['x'] }, 'unknown_feed'],
    ['an unknown type', { types: ['all'] }, 'invalid_option'],
    ['an unknown filter', { filters: { title: 'x' } }, 'invalid_option'],
    ['an empty filter', { filters: { document_type: '' } }, 'invalid_option'],
    ['a filter that is too long', { filters: { document_type: 'x'.repeat(1001) } }, 'invalid_option'],
  ])('refuses %s and stays as it was', async (_, update, code) => {
    const id = await add();
    const before = await endpoints.all();
    await expect(endpoints.update(id, update)).rejects.toMatchObject({ code });
    expect(await endpoints.all()).toEqual(before);
  });

  it('is removed with its deliveries', async () => {
    const id = await add();
    const { id: test } = await endpoints.test(id);
    await endpoints.remove(id);
    expect(await endpoints.all()).toEqual([]);
    await expect(endpoints.delivery(test)).rejects.toMatchObject({ code: 'unknown_delivery' });
    await expect(endpoints.remove(id)).rejects.toMatchObject({ code: 'unknown_endpoint' });
  });

  it('says when a secret replaces one that was prepared before', async () => {
    const id = await add();
    expect((await endpoints.prepareSecret(id)).replacesPrepared).toBe(false);
    expect((await endpoints.prepareSecret(id)).replacesPrepared).toBe(true);
    await endpoints.activateSecret(id);
    expect((await endpoints.prepareSecret(id)).replacesPrepared).toBe(false);
  });

  it('is tested with no type that does not exist', async () => {
    const id = await add();
    await expect(endpoints.test(id, { type: 'record.created' })).rejects.toMatchObject({ code: 'invalid_option' });
  });
});

describe('a time', () => {
  it.each([
    ['2027-12-31', '2027-12-31T23:59:59.999Z', '2027-12-31T00:00:00Z'],
    ['2027-12-31T12:00:00+02:00', '2027-12-31T12:00:00+02:00', '2027-12-31T12:00:00+02:00'],
    ['2027-02-30', null, null],
    ['tomorrow', null, null],
    ['', null, null],
  ])('that people give as %j ends at %s and starts at %s', (text, end, start) => {
    expect([endTime(text), startTime(text)]).toEqual([end, start]);
  });
});
