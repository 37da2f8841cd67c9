import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { renumber } from '../../../src/operate/registers/renumber.ts';
import { RECORD_EVENT_TYPES } from '../../../src/webhooks/event.ts';
import { DEFAULT_SCHEDULE } from '../../../src/webhooks/send/schedule.ts';
import { SecretBox } from '../../../src/webhooks/send/secret-box.ts';
import { verifyWebhook } from '../../../src/webhooks/receive/verify.ts';
import { at, say } from '../../contracts/store-register.ts';
import { deployment, receiver } from './sending.ts';

const latest = async ({ store }: Awaited<ReturnType<typeof deployment>>, endpointId: string) =>
  (await store.deliveries.deliveries(endpointId, { limit: 1 }))[0]!;

/** The digest of Standard Webhooks over its signed parts. */
function standardDigest(secret: string, parts: readonly string[]): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  return createHmac('sha256', key).update(parts.join('.')).digest('base64');
}

describe('a sender', () => {
  it('delivers each version, signed, once, and says what the record is without its content', async () => {
    const { add, commit, sender, clock, store } = await deployment();
    const hook = await receiver();
    const { id, secret } = await add(`${hook.url}hook?x=1`);
    await commit(['a'], { summary: 'PRO summary', content: 'PRO content' });
    clock.now += 60_000;
    const sending = sender();
    expect(await sending.sendDue()).toBe(1);
    expect(await sending.sendDue()).toBe(0);
    expect(hook.received).toHaveLength(1);
    const [{ path, method, headers, body }] = hook.received as [(typeof hook.received)[0]];
    expect([method, path, headers['content-type']]).toEqual(['POST', '/hook?x=1', 'application/json']);
    const event = await verifyWebhook(body, headers, secret, { now: () => clock.now });
    expect(event).toEqual({
      ...{ id: headers['x-register-event'], type: 'record.published', created_at: at(0), feed_id: 'permits' },
      ...{ record_id: 'permits:a', version: 1, log_index: 0, cause: 'first_observed' },
      ...{ source_url: 'https://example.org/permits/a', published_at: '2026-04-17', observed_at: at(0) },
      ...{ title: 'Permit a', url: 'https://example.org/api/v1/records/permits:a' },
    });
    expect(body.toString()).toBe(JSON.stringify(JSON.parse(body.toString())));
    expect(headers['x-register-signature']).toMatch(new RegExp(`^t=${clock.now / 1000},v1=[0-9a-f]{64}$`));
    const [delivery] = await store.deliveries.deliveries(id, { limit: 5 });
    expect(delivery).toMatchObject({ state: 'acknowledged', attempts: 1, lastAttempt: { status: 204, error: null } });
  });

  it('names each kind of change, and tells of an erased record nothing but that it is gone', async () => {
    const { add, commit, sender, store } = await deployment();
    const hook = await receiver();
    await add(hook.url);
    await commit(['a']);
    await commit(['a'], { title: 'Second' });
    const correction = { recordedAt: at(2), cause: 'extraction_correction' } as const;
    await store.apply('permits', [say('a', { title: 'Third' })], correction);
    await store.withdraw('permits', ['permits:a'], { recordedAt: at(3) });
    await store.apply('permits', [say('a', { title: 'Third' })], { recordedAt: at(4) });
    const sending = sender({ concurrency: 1 });
    await sending.sendDue();
    const told = (): unknown[] =>
      hook.received.map(({ body }) => {
        const { type, version, cause, title } = JSON.parse(body.toString()) as Record<string, unknown>;
        return [type, version, cause, title];
      });
    const before = [
      ['record.published', 1, 'first_observed', 'Permit a'],
      ['record.updated', 2, 'source_change', 'Second'],
      ['record.corrected', 3, 'extraction_correction', 'Third'],
      ['record.withdrawn', 4, 'withdrawn', 'Third'],
      ['record.published', 5, 'restored', 'Third'],
    ];
    expect(told()).toEqual(before);
    await store.redact('permits:a', { recordedAt: at(5) });
    await sending.sendDue();
    expect(told()).toEqual([...before, ['record.withdrawn', 6, 'redacted', null]]);
    const last = JSON.parse(hook.received.at(-1)!.body.toString()) as object;
    expect(last).toMatchObject({ source_url: null, published_at: null, observed_at: null });
  });

  it('tells of a new key as of a change of the source, also where a filter asks for it', async () => {
    const { add, commit, sender, store } = await deployment();
    const [all, asked, old] = [await receiver(), await receiver(), await receiver()];
    await commit(['a', 'b']);
    await add(all.url);
    await add(asked.url, { filters: { key: 'x' } });
    await add(old.url, { filters: { key: 'c' } });
    const rows = [{ from: 'a', to: 'x', where: 'line 1' }];
    await renumber(store, 'permits', { name: 'map.csv', rows }, { who: null, now: () => Date.parse(at(1)) });
    await sender({ concurrency: 1 }).sendDue();
    const expected = { type: 'record.updated', cause: 'source_change', record_id: 'permits:a', version: 2 };
    for (const { received } of [all, asked]) {
      expect(received.map(({ body }) => JSON.parse(body.toString()) as unknown)).toMatchObject([expected]);
    }
    expect(old.received).toEqual([]);
  });

  it.each(RECORD_EVENT_TYPES)('tests with an invented %s, which says that it is a test', async (type) => {
    const { add, sender, endpoints, clock } = await deployment();
    const hook = await receiver();
    const { id, secret } = await add(hook.url, { types: ['record.withdrawn'] });
    await endpoints.test(id, { type });
    await sender().sendDue();
    const { body, headers } = hook.received[0]!;
    const event = await verifyWebhook(body, headers, secret, { now: () => clock.now });
    expect(event).toMatchObject({ type, test: true, record_id: 'example:1', created_at: at(0) });
    const members = ['id', 'type', 'created_at', 'feed_id', 'record_id', 'version', 'log_index', 'cause', 'source_url'];
    expect(Object.keys(event)).toEqual([...members, 'published_at', 'observed_at', 'title', 'url', 'test']);
    expect(body.toString()).toBe(JSON.stringify(JSON.parse(body.toString())));
  });

  it('sends to an endpoint with a filter, at its new address, only what matches', async () => {
    const { add, commit, sender, endpoints } = await deployment();
    const [old, moved] = [await receiver(), await receiver()];
    const { id } = await add(old.url, { filters: { facility_id: 'F2' } });
    await commit(['a']);
    await commit(['b'], { facility_id: 'F2' });
    await endpoints.update(id, { url: moved.url });
    await commit(['b'], { facility_id: 'F3' });
    await sender({ concurrency: 1 }).sendDue();
    const events = moved.received.map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>);
    expect([old.received, events.map((event) => [event.record_id, event.version])]).toEqual([
      [],
      [['permits:b', 1], ['permits:b', 2]], // prettier-ignore
    ]);
  });

  it('does not send what was erased meanwhile, nor of a register that is gone, and says so', async () => {
    const deployed = await deployment();
    const { add, commit, sender, store, clock } = deployed;
    const hook = await receiver(() => 500);
    const { id } = await add(hook.url);
    await commit(['a']);
    await sender().sendDue();
    await store.redact('permits:a', { recordedAt: at(1) });
    clock.now += 60_000;
    await sender().sendDue();
    const [told, erased] = await store.deliveries.deliveries(id, { limit: 2 });
    expect(erased).toMatchObject({ state: 'skipped', reason: 'redacted', attempts: 1 });
    expect(told).toMatchObject({ state: 'pending', version: 2, attempts: 1 });
    await store.removeRegister('permits');
    clock.now += 60_000;
    await sender().sendDue();
    expect(await latest(deployed, id)).toMatchObject({ state: 'skipped', reason: 'register_removed' });
    expect(hook.received).toHaveLength(2);
  });

  it('tries again after each delay, the same bytes under the same id with a fresh signature, and then gives up', async () => {
    const deployed = await deployment();
    const { add, commit, sender, clock } = deployed;
    const hook = await receiver(() => 500);
    const { id } = await add(hook.url);
    await commit(['a']);
    const sending = sender();
    for (const seconds of DEFAULT_SCHEDULE) {
      if (seconds > 0) {
        clock.now += (seconds - 1) * 1000;
        expect(await sending.sendDue()).toBe(0);
        clock.now += 1000;
      }
      expect(await sending.sendDue()).toBe(1);
    }
    clock.now += 10 * 86_400 * 1000;
    expect(await sending.sendDue()).toBe(0);
    expect(await latest(deployed, id)).toMatchObject({ state: 'failed', reason: 'exhausted', attempts: 10 });
    expect(hook.received).toHaveLength(10);
    const different = (values: readonly unknown[]): number => new Set(values).size;
    expect(different(hook.received.map(({ body }) => body.toString()))).toBe(1);
    expect(different(hook.received.map(({ headers }) => headers['x-register-event']))).toBe(1);
    expect(different(hook.received.map(({ headers }) => headers['x-register-signature']))).toBe(10);
  });

  it('waits as long as a busy receiver asks, in seconds or until a date, and a day at most', async () => {
    const { add, commit, sender, clock, store } = await deployment();
    const asked = ['120', new Date(clock.now + 3600_000).toUTCString(), '99999999', 'soon'];
    const hook = await receiver((_, nth) => (_request, response) => {
      response.writeHead(nth % 2 === 0 ? 429 : 503, { 'retry-after': asked[nth - 1] }).end();
    });
    const { id } = await add(hook.url);
    await commit(['a', 'b', 'c', 'd']);
    await sender({ concurrency: 1 }).sendDue();
    const due = (await store.deliveries.deliveries(id, { limit: 4 }))
      .map(({ nextAttemptAt }) => nextAttemptAt)
      .reverse();
    const after = (seconds: number): string => new Date(clock.now + seconds * 1000).toISOString();
    expect(due).toEqual([after(120), after(3600), after(86_400), after(5)]);
  });

  it('follows no redirect', async () => {
    const deployed = await deployment();
    const { add, commit, sender } = deployed;
    const hook = await receiver(() => (request, response) => {
      response.writeHead(307, { location: `http://${request.headers.host!}/elsewhere` }).end();
    });
    const { id } = await add(hook.url);
    await commit(['a']);
    await sender().sendDue();
    expect(hook.received.map(({ path }) => path)).toEqual(['/']);
    expect(await latest(deployed, id)).toMatchObject({ state: 'pending', lastAttempt: { status: 307 } });
  });

  it.each([200, 201, 202, 204, 299])('takes %i for an acknowledgement', async (status) => {
    const deployed = await deployment();
    const hook = await receiver(() => status);
    const { id } = await deployed.add(hook.url);
    await deployed.commit(['a']);
    await deployed.sender().sendDue();
    expect(await latest(deployed, id)).toMatchObject({ state: 'acknowledged', lastAttempt: { status } });
  });

  it('stops an endpoint that answers 410, skips what comes for it, and replays once it goes on', async () => {
    const deployed = await deployment();
    const { add, commit, sender, store, clock, endpoints } = deployed;
    let status = 410;
    const hook = await receiver(() => status);
    const { id } = await add(hook.url);
    await commit(['a']);
    const sending = sender();
    await sending.sendDue();
    expect(await store.deliveries.endpoint(id)).toMatchObject({ disabledReason: 'gone' });
    expect(await latest(deployed, id)).toMatchObject({ state: 'failed', reason: 'gone', attempts: 1 });
    clock.now += 60_000;
    await commit(['b']);
    await sending.sendDue();
    expect(await latest(deployed, id)).toMatchObject({ state: 'skipped', reason: 'endpoint_disabled', attempts: 0 });
    expect(hook.received).toHaveLength(1);
    status = 204;
    // It can be tried out before it goes on.
    const test = await endpoints.test(id);
    await sending.sendDue();
    expect(await store.deliveries.delivery(test.id)).toMatchObject({ state: 'acknowledged' });
    await endpoints.enable(id);
    expect(await endpoints.replay({ endpointId: id, since: at(0) })).toBe(3);
    await sending.sendDue();
    const bodies = hook.received.map(({ body }) => body.toString());
    expect(bodies.map((body) => (JSON.parse(body) as { record_id?: string }).record_id)).toEqual(
      expect.arrayContaining(['permits:a', 'permits:b', undefined]),
    );
    expect(bodies.filter((body) => body === bodies[0])).toHaveLength(2);
  });

  it('stops an endpoint after five days of nothing but failures; one success begins them anew', async () => {
    const { add, commit, sender, store, clock } = await deployment();
    let status = 500;
    const hook = await receiver(() => status);
    const { id } = await add(hook.url);
    const sending = sender({ schedule: [0] });
    const day = async (key: string): Promise<unknown> => {
      await commit([key]);
      await sending.sendDue();
      clock.now += 86_400_000;
      return (await store.deliveries.endpoint(id)).disabledReason;
    };
    for (const key of ['0', '1', '2', '3', '4']) expect(await day(key)).toBeNull();
    status = 204;
    expect(await day('5')).toBeNull();
    status = 500;
    for (const key of ['6', '7', '8', '9', '10']) expect(await day(key)).toBeNull();
    expect(await day('11')).toBe('failing');
  });

  it('sends nothing to an account without access, and says why', async () => {
    const deployed = await deployment();
    const { add, commit, sender, store, clock } = deployed;
    const hook = await receiver();
    const { id } = await add(hook.url);
    await store.accounts.updateAccount('acme', { isSuspended: true });
    await commit(['a']);
    await sender().sendDue();
    expect(await latest(deployed, id)).toMatchObject({ state: 'skipped', reason: 'account_suspended' });
    await store.accounts.updateAccount('acme', { isSuspended: false, accessUntil: at(1) });
    clock.now += 60_000;
    await commit(['b']);
    await sender().sendDue();
    expect(await latest(deployed, id)).toMatchObject({ state: 'skipped', reason: 'access_lapsed', attempts: 0 });
    expect(hook.received).toEqual([]);
  });

  it('sends what waits when access ends once it returns, as long as its attempts would last', async () => {
    const { add, commit, sender, store, clock } = await deployment();
    let status = 500;
    const hook = await receiver(() => status);
    const { id } = await add(hook.url);
    await commit(['a', 'b']);
    const sending = sender({ schedule: [0, 60, 600] });
    await sending.sendDue();
    status = 204;
    await store.accounts.updateAccount('acme', { accessUntil: new Date(clock.now).toISOString() });
    clock.now += 300_000;
    expect([await sending.sendDue(), hook.received.length]).toEqual([0, 2]);
    const until = (ms: number): Promise<unknown> =>
      store.accounts.updateAccount('acme', { accessUntil: new Date(ms).toISOString() });
    await until(clock.now + 1000);
    // Access ends between the claim and the attempt: the next claim finds nothing.
    const claims = new Proxy(store.deliveries, {
      get(target, name) {
        if (name !== 'claim') return Reflect.get(target, name) as unknown;
        return async (...args: Parameters<typeof target.claim>) => {
          const claimed = await target.claim(...args);
          clock.now += 1000;
          return claimed;
        };
      },
    });
    expect([await sender({ store: { deliveries: claims } }).sendDue(), hook.received.length]).toEqual([1, 2]);
    await until(clock.now + 1000);
    expect([await sending.sendDue(), hook.received.length]).toEqual([2, 4]);
    const found = await store.deliveries.deliveries(id, { limit: 2 });
    expect(found.map(({ state, attempts }) => [state, attempts])).toEqual([['acknowledged', 2], ['acknowledged', 2]]); // prettier-ignore
  });

  it('signs with the new secret from its activation on, and not before', async () => {
    const { add, commit, sender, endpoints, clock } = await deployment();
    const hook = await receiver();
    const { id, secret } = await add(hook.url);
    const check = async (which: string): Promise<unknown> => {
      const { body, headers } = hook.received.at(-1)!;
      return (await verifyWebhook(body, headers, which, { now: () => clock.now })).id;
    };
    const prepared = await endpoints.prepareSecret(id);
    await commit(['a']);
    await sender().sendDue();
    expect(await check(secret)).toMatch(/^evt_/);
    await expect(check(prepared.secret)).rejects.toMatchObject({ code: 'invalid_signature' });
    await endpoints.activateSecret(id);
    await commit(['b']);
    await sender().sendDue();
    expect(await check(prepared.secret)).toMatch(/^evt_/);
    await expect(check(secret)).rejects.toMatchObject({ code: 'invalid_signature' });
  });

  it('signs with the previous secret too as long as it is kept', async () => {
    const { add, commit, sender, endpoints, clock } = await deployment();
    const hook = await receiver();
    const { id, secret } = await add(hook.url, { isStandard: true });
    const next = await endpoints.prepareSecret(id);
    const { previousUntil } = await endpoints.activateSecret(id, { graceMs: 60_000 });
    const endsMs = clock.now + 60_000;
    expect(previousUntil).toBe(new Date(endsMs).toISOString());
    const accepted = async (key: string): Promise<readonly boolean[]> => {
      await commit([key]);
      await sender().sendDue();
      const { body, headers } = hook.received.at(-1)!;
      const checks = [next.secret, secret].map(async (which) => {
        const timestamp = headers['webhook-timestamp'] as string;
        const standard = `v1,${standardDigest(which, [headers['webhook-id'] as string, timestamp, body.toString()])}`;
        const isStandard = (headers['webhook-signature'] as string).split(' ').includes(standard);
        try {
          return (
            (await verifyWebhook(body, headers, which, { now: () => clock.now })).id === headers['webhook-id'] &&
            isStandard
          );
        } catch {
          return isStandard;
        }
      });
      return Promise.all(checks);
    };
    clock.now = endsMs - 1;
    expect(await accepted('a')).toEqual([true, true]);
    clock.now += 1;
    expect(await accepted('b')).toEqual([true, false]);
  });

  it('sends the headers of Standard Webhooks only where an endpoint asks for them', async () => {
    const { add, commit, sender, endpoints } = await deployment();
    const hook = await receiver();
    const { id } = await add(hook.url);
    const sent = async (key: string): Promise<string[]> => {
      await commit([key]);
      await sender().sendDue();
      return Object.keys(hook.received.at(-1)!.headers).filter((name) => name.startsWith('webhook-'));
    };
    expect(await sent('a')).toEqual([]);
    await endpoints.update(id, { isStandard: true });
    expect(await sent('b')).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature']);
    await endpoints.update(id, { isStandard: false });
    expect(await sent('c')).toEqual([]);
  });

  it('does not start with another key than the secrets were encrypted with', async () => {
    const { add, sender, store } = await deployment();
    const hook = await receiver();
    await add(hook.url);
    const other = sender({ box: SecretBox.fromHex('00'.repeat(32)) });
    await expect(other.sendDue()).rejects.toMatchObject({ code: 'invalid_secrets_key' });
    await expect(other.run(new AbortController().signal)).rejects.toMatchObject({ code: 'invalid_secrets_key' });
    await store.close();
  });

  it.each([
    ['an address that is none', { baseUrl: 'example.org' }],
    ['a slash at the end of the address', { baseUrl: 'https://example.org/' }],
    ['a schedule that does not begin at once', { schedule: [1] }],
    ['a lease that an attempt could outlast', { timeoutMs: 1000, leaseMs: 1999 }],
  ])('is not made with %s', async (_, options) => {
    const { sender } = await deployment();
    expect(() => sender(options)).toThrow(expect.objectContaining({ code: 'invalid_option' }) as Error);
  });

  it('replays since no time that is none', async () => {
    const { endpoints, add } = await deployment();
    const { id } = await add((await receiver()).url);
    await expect(endpoints.replay({ endpointId: id, since: 'yesterday' })).rejects.toMatchObject({ code: 'invalid_option' }); // prettier-ignore
  });
});
