// What `gazette doctor` finds of payments on chain.
import { expect, it } from 'vitest';
import { examine } from '../../../../src/operate/doctor.ts';
import { SqliteStore } from '../../../../src/stores/sqlite/store.ts';
import { SecretBox } from '../../../../src/webhooks/send/secret-box.ts';
import { EXAMINED } from '../../../../src/wings/examined.ts';
import { fillStore, SECRETS_KEY } from '../../../contracts/full-store.ts';

it('names a payment that nobody knows the end of a day later, charged or not', async () => {
  const store = SqliteStore.open(':memory:');
  await fillStore(store);
  const payments = async (hours: number): Promise<readonly string[]> => {
    const found: string[] = [];
    const now = (): number => Date.now() + hours * 3_600_000;
    for await (const { findings } of examine(store, {
      ...{ file: null, box: () => SecretBox.fromHex(SECRETS_KEY), now, others: EXAMINED },
    })) {
      found.push(...findings.map(({ problem }) => problem));
    }
    return found.filter((one) => one.startsWith('the payment of entry'));
  };
  expect(await payments(0)).toEqual([]);
  const named = await payments(25);
  expect(named).toHaveLength(2);
  expect(named[0]).toMatch(
    /^the payment of entry \d+, by x402:eip155:84532:0xaa, has not ended since \d{4}-.*Z: run `gazette reconcile`\. If it stays, its nonce was used/,
  );
  await store.close();
});
