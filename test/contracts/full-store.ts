// A store that holds a row of every kind, made by what a service does: the inspection must find nothing in it.
import { randomBytes } from 'node:crypto';
import { createApiKey, newKeyEntry } from '../../src/access/api-key.ts';
import { Endpoints } from '../../src/operate/endpoints.ts';
import type { ServiceStore } from '../../src/stores/contract/accounts.ts';
import type { NewLease } from '../../src/stores/contract/leases.ts';
import { eventNameOf } from '../../src/webhooks/send/record-event.ts';
import { prepareRecord } from '../../src/stores/rows/prepare.ts';
import { SecretBox } from '../../src/webhooks/send/secret-box.ts';
import { OPERATOR } from '../../src/testing/stores/accounts/editors.ts';
import { FILLED } from '../wings/filled.ts';
import { at, HOSTILE_TEXTS, permits, say, sayOdd } from './store-register.ts';

/** The key of its endpoints' secrets. */
export const SECRETS_KEY: string = 'ab'.repeat(32);

/** Its lease, whose process has no mark. */
export const LEASE: Omit<NewLease, 'since'> = {
  token: '6f1cbd1c-5f0c-4d0e-9a53-9e8a4c3a5f11',
  what: 'import permits.csv',
  host: 'demo',
  pid: 4711,
};

/** Fills an empty store. The times are minutes of one day. */
export async function fillStore(store: ServiceStore): Promise<void> {
  await fillRegisters(store);
  await fillAccounts(store);
  await fillSignIns(store);
  await fillDeliveries(store);
  for (const fill of FILLED) await fill(store);
  // Another definition, and prices that come and go, made the index anew: an incomplete one is not inspected.
  for (let isDone = false; !isDone;) {
    const { done, all } = await store.finding!.build('permits');
    isDone = done === all;
  }
  for (const [minute, error] of [
    [30, null],
    [31, 'invalid_record'],
  ] as const) {
    await importFile(store, minute, error);
  }
  await proposeFile(store);
  await store.leases.take('permits', { ...LEASE, since: at(40) });
  const begun = { file: 'permits.csv', cause: 'source_change', who: null, begunAt: at(40) } as const;
  await store.imports.begin('permits', begun, { key: randomBytes(32) });
}

async function fillRegisters(store: ServiceStore): Promise<void> {
  await store.createRegister(permits('other'));
  await store.apply('other', [say('x', {}, 'other')], { recordedAt: at(0) });
  await store.removeRegister('other');
  await store.createRegister(permits('other'));
  await store.createRegister(permits('empty'));
  await store.createRegister(permits());
  const apply = (minute: number, ...batch: Parameters<ServiceStore['apply']>[1][]) =>
    store.apply('permits', batch.flat(), { recordedAt: at(minute) });
  await apply(1, ...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((key) => [say(key)]));
  await store.apply('other', [say('x', {}, 'other'), say('y', {}, 'other')], { recordedAt: at(1) });
  await apply(2, [
    say('a', { title: 'Second', observed_at: at(-9) }),
    say('b', { summary: 'é \u2028', document_type: null }),
  ]);
  await apply(3, [
    say('a', { title: 'Third', content: '<p>x</p>', content_type: 'html' }),
    say('c', { facility_id: 'F2' }),
  ]);
  await store.withdraw('permits', ['permits:c', 'permits:d', 'permits:e'], { recordedAt: at(4) });
  await apply(5, [say('c', { facility_id: 'F2' }), say('d', { data: { amount: 1, raw: '1.50' } })]);
  for (const [key, minute] of [
    ['e', 6],
    ['f', 7],
    ['g', 8],
  ] as const) {
    await apply(minute, [say('f', { title: `Minute ${minute}` }), say('g', { title: `Minute ${minute}` })]);
    const renumbered = { recordedAt: at(minute), cause: 'renumbered' } as const;
    if (key === 'g') await store.apply('permits', [say(key, { key: 'G/1' })], renumbered);
    await store.redact(`permits:${key}`, { recordedAt: at(minute) });
  }
  await store.lift('permits:f');
  await store.lift('permits:g');
  await apply(9, [say('g', { title: 'Taken in again' })]);
  await store.apply('permits', [say('g', { title: 'Read again' })], {
    recordedAt: at(10),
    cause: 'extraction_correction',
  });
  await apply(
    11,
    HOSTILE_TEXTS.filter(({ length }) => length < 1000).map((text, n) => sayOdd(`odd${n}`, text)),
  );
  const { fields, ...definition } = permits();
  const filterable = fields.map((field) => (field.name === 'amount' ? { ...field, filterable: true as const } : field));
  const updated = { ...definition, fields: filterable, description: 'Another definition.' };
  await store.updateRegister(updated, { recordedAt: at(12) });
}

async function fillAccounts({ accounts, idempotency }: ServiceStore): Promise<void> {
  const keys = Array.from({ length: 5 }, () => createApiKey());
  const entry = (accountId: string, n: number) =>
    newKeyEntry(keys[n]!, { accountId, product: 'gazette', createdAt: at(20) });
  for (const id of ['demo', 'paid', 'idle']) {
    await accounts.createAccount({ id, accessUntil: id === 'paid' ? at(9999) : null, createdAt: at(20) });
  }
  await accounts.updateAccount('idle', { isSuspended: true });
  const first = await accounts.createKey(entry('demo', 0));
  await accounts.rotateKey(first.id, entry('demo', 1), { endsAt: at(25) });
  const second = await accounts.createKey(entry('paid', 2));
  await accounts.revokeKey(second.id, { revokedAt: at(26) });
  await accounts.updateAccount('paid', { email: 'paid@example.org' });
  const limit = { limit: 60, windowSeconds: 60 };
  const own = { name: 'Website', scopes: ['read', 'account'], feeds: ['permits'], limit, expiresAt: at(9999) } as const;
  const third = await accounts.createKey({ ...entry('paid', 3), ...own });
  await accounts.recordKeyUses(new Map([[third.id, { at: at(27), requests: 3 }]]));
  for (const [minute, token] of [
    [26, 'done'],
    [27, 'running'],
  ] as const) {
    const request = { accountId: 'paid', route: 'POST /account/keys', key: token, digest: randomBytes(32), token };
    await idempotency.begin({ ...request, at: at(minute), until: at(minute + 1), forgetBefore: at(0) });
  }
  await idempotency.ending('done').accounts.createKey(entry('paid', 4));
}

async function fillSignIns({ signIns, editors }: ServiceStore): Promise<void> {
  const minutes = { createdAt: at(20), endsAt: at(35) };
  for (const name of ['anna', 'ben', 'demo', 'gone']) {
    const feeds = name === 'ben' ? ['permits'] : null;
    const role = name === 'ben' ? 'review' : 'edit';
    await editors.add({ name, email: `${name}@example.org`, feeds, role, createdAt: at(20) }, OPERATOR);
  }
  await editors.remove('gone', OPERATOR);
  const anna = { who: 'anna', role: 'edit', at: at(21) } as const;
  await editors.note({ ...anna, action: 'signed_in', feed: null, subject: null });
  for (const [kind, first, second] of [
    ['account', 'demo', 'paid'],
    ['editor', 'anna', 'ben'],
  ] as const) {
    const [used, waiting, session] = [randomBytes(32), randomBytes(32), randomBytes(32)];
    const mail = { most: 3, since: at(0) };
    await signIns.keepLink({ owner: { kind, id: first }, digest: used, ...minutes }, { mail });
    await signIns.useLink(kind, used, { digest: session, ...minutes });
    await signIns.keepLink({ owner: { kind, id: second }, digest: waiting, ...minutes });
  }
}

async function fillDeliveries(store: ServiceStore): Promise<void> {
  const { deliveries } = store;
  const endpoints = new Endpoints(store, {
    box: () => SecretBox.fromHex(SECRETS_KEY),
    now: () => Date.parse(at(28)),
  });
  const { endpoint } = await endpoints.add({ accountId: 'demo', url: 'https://8.8.8.8/a', feeds: ['permits'] });
  await endpoints.add({
    accountId: 'paid',
    url: 'https://8.8.8.8/b',
    types: ['record.published', 'record.updated'],
    filters: { document_type: 'adopted' },
  });
  await endpoints.prepareSecret(endpoint.id);
  await endpoints.activateSecret(endpoint.id, { graceMs: 60_000 });
  await endpoints.prepareSecret(endpoint.id);
  await store.apply('permits', [say('a', { title: 'Sent' }), say('z')], { recordedAt: at(29) });
  while (await deliveries.fanOut({ at: at(29), baseUrl: 'https://registers.example.org', toEvent: eventNameOf }));
  await deliveries.createTest(endpoint.id, { id: `evt_${'0'.repeat(32)}`, type: 'endpoint.test' }, { at: at(29) });
  const claim = () =>
    deliveries.claim({
      now: at(30),
      lease: 'l',
      until: at(31),
      limit: 9,
      room: new Map(),
      limitPerEndpoint: 9,
      accountRoom: new Map(),
    });
  const attempt = { at: at(30), durationMs: 12, status: null, error: 'timeout', response: null };
  const claimed = await claim();
  const outcomes = claimed.map(({ id }, n) => {
    const head = { id, lease: 'l', isGone: false, nextAttemptAt: null };
    if (n === 0)
      return {
        ...head,
        state: 'acknowledged',
        reason: null,
        attempt: { ...attempt, status: 204, error: null },
      } as const;
    if (n === 1)
      return {
        ...head,
        state: 'failed',
        reason: 'exhausted',
        attempt: { ...attempt, status: 500, error: null, response: 'no' },
      } as const;
    if (n === 2) return { ...head, state: 'skipped', reason: 'access_lapsed', attempt: null } as const;
    return { ...head, state: 'pending', reason: null, attempt, nextAttemptAt: at(30) } as const;
  });
  await deliveries.settle(outcomes, { at: at(30), failingBefore: at(0) });
  await claim();
  await deliveries.disableEndpoint(endpoint.id, { at: at(30), reason: 'operator' });
}

async function proposeFile({ imports }: ServiceStore): Promise<void> {
  const begun = { file: 'permits.csv', cause: 'source_change', who: 'clerk', begunAt: at(32) } as const;
  const { number } = await imports.begin('permits', begun, { key: randomBytes(32) });
  const record = prepareRecord(say('b', { title: 'Proposed' }));
  await imports.proposals.keep(number, [{ id: record.id, record }, { id: 'permits:c', record: null }]); // prettier-ignore
  const counts = { added: 0, changed: 1, unchanged: 3, restored: 0, redacted: 0, withdrawn: 1, refused: 0 };
  const settings = { cause: 'source_change', indifferent: [], sets: {}, replaces: {} } as const;
  await imports.proposals.propose(number, {
    ...{ digest: randomBytes(32), change: 1, report: '{}', unchanged: new Uint8Array(1), counts, fileDigest: null },
    settings: { ...settings, fields: permits().fields, isWhole: true },
  });
  await imports.byHand.keep('permits', [{ id: record.id, record }, { id: 'permits:c', record: null }]); // prettier-ignore
}

async function importFile({ imports }: ServiceStore, minute: number, error: string | null): Promise<void> {
  const begun = { file: 'permits.csv', cause: 'source_change', who: 'clerk', begunAt: at(minute) } as const;
  const { number } = await imports.begin('permits', begun, { key: randomBytes(32) });
  const counts = { added: 1, changed: 2, unchanged: 3, restored: 0, redacted: 0, withdrawn: 0, refused: 0 };
  const digest = error === null ? randomBytes(32) : null;
  if (error === null)
    await imports.proposals.set('permits', number, { order: 'newest-first' }, { recordedAt: at(minute) });
  await imports.end(number, { counts, endedAt: at(minute), error, digest });
}
