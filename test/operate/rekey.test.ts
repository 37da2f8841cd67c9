import { afterEach, beforeEach, expect, it } from 'vitest';
import { Endpoints } from '../../src/operate/endpoints.ts';
import { rekeySecrets, type StoreOfSecrets } from '../../src/operate/rekey.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { DEVELOPMENT_DESTINATIONS } from '../../src/webhooks/send/destination.ts';
import { SecretBox } from '../../src/webhooks/send/secret-box.ts';

const [OLD, NEW] = ['ab'.repeat(32), 'cd'.repeat(32)];
const [before, both, after] = [OLD, `${NEW},${OLD}`, NEW].map((hex) => SecretBox.fromHex(hex)) as [
  SecretBox,
  SecretBox,
  SecretBox,
];

let store: SqliteStore;

function endpointsWith(box: SecretBox): Endpoints {
  return new Endpoints(store, { box: () => box, rules: DEVELOPMENT_DESTINATIONS });
}

async function add(): Promise<{ readonly id: string; readonly secret: string }> {
  const { endpoint, secret } = await endpointsWith(before).add({ accountId: 'acme', url: 'http://127.0.0.1:9/' });
  return { id: endpoint.id, secret };
}

/** What a box opens of the stored secrets. */
async function opened(box: SecretBox): Promise<string[]> {
  return (await store.inspection.secrets()).map(({ endpointId, secret }) => box.open(secret, endpointId));
}

/** The store, which is changed between the listing of its secrets and their replacement, the first time. */
function changedMeanwhile(change: () => Promise<unknown>): StoreOfSecrets {
  let isFirst = true;
  return {
    deliveries: store.deliveries,
    inspection: {
      async secrets() {
        const found = await store.inspection.secrets();
        if (isFirst) await change();
        isFirst = false;
        return found;
      },
    },
  };
}

beforeEach(async () => {
  store = SqliteStore.open(':memory:');
  await store.accounts.createAccount({ id: 'acme', accessUntil: null, createdAt: '2026-05-02T10:00:00Z' });
});
afterEach(() => store.close());

it('encrypts every secret with the first key, the prepared ones too, and changes none', async () => {
  const [first, second] = [await add(), await add()];
  const next = await endpointsWith(before).prepareSecret(second.id);
  expect(await rekeySecrets(store, both)).toBe(3);
  expect(await opened(after)).toEqual([first.secret, second.secret, next.secret]);
  const kept = await store.inspection.secrets();
  expect(await rekeySecrets(store, both)).toBe(0);
  expect(await store.inspection.secrets()).toEqual(kept);
});

it('changes nothing when a key is missing', async () => {
  await add();
  await endpointsWith(after).prepareSecret((await add()).id);
  const kept = await store.inspection.secrets();
  const other = SecretBox.fromHex(`${'ef'.repeat(32)},${OLD}`);
  await expect(rekeySecrets(store, other)).rejects.toMatchObject({ code: 'invalid_secrets_key' });
  expect(await store.inspection.secrets()).toEqual(kept);
});

it('keeps what is prepared, activated, added and removed meanwhile', async () => {
  const { id } = await add();
  const old = endpointsWith(before);
  const next = await old.prepareSecret(id);
  expect(
    await rekeySecrets(
      changedMeanwhile(() => old.activateSecret(id)),
      both,
    ),
  ).toBe(1);
  expect(await opened(after)).toEqual([next.secret]);

  const removed = await add();
  let later = '';
  const change = async (): Promise<void> => {
    await old.remove(removed.id);
    later = (await old.prepareSecret(id)).secret;
  };
  expect(await rekeySecrets(changedMeanwhile(change), both)).toBe(1);
  expect(await opened(after)).toEqual([next.secret, later]);
});
