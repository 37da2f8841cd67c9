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
  endpoints = new Endpoints(store.deliveries, {
    box: () => BOX,
    rules: DEVELOPMENT_DESTINATIONS,
    now: () => Date.parse(now),
  });
  await store.accounts.createAccount({ id: 'acme', accessUntil: null, createdAt: now });
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
