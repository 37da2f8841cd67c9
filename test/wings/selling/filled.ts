// What purchases have in a store that holds a row of every kind.
import { createApiKey, newKeyEntry } from '../../../src/access/api-key.ts';
import { x402Payer } from '../../../src/wings/selling/purchases/x402/options.ts';
import type { ServiceStore } from '../../../src/stores/contract/accounts.ts';
import type { PricedItem } from '../../../src/wings/selling/stores/contract/ledger.ts';
import { at } from '../../contracts/store-register.ts';
import { ledgerOf } from './ledger-of.ts';

/** Entries of every kind, and payments in every state. */
export async function fillPurchases(store: ServiceStore): Promise<void> {
  const { accounts } = store;
  const ledger = ledgerOf(store);
  const { definition } = (await store.register('permits'))!;
  const prices = { currency: 'EUR', per_record: 2 };
  await store.updateRegister({ ...definition, prices }, { recordedAt: at(20) });
  const price = { amount: 500, currency: 'EUR' };
  await ledger.grantCredit({ accountId: 'paid', price, reference: 'INV-1', reason: 'an invoice' });
  await ledger.grantCredit({ accountId: 'demo', price, reference: null, reason: null });
  const entry = newKeyEntry(createApiKey(), { accountId: 'paid', product: 'gazette', createdAt: at(20) });
  const { id: keyId } = await accounts.createKey({ ...entry, budget: { budget: 100, perDay: 50 } });
  const itemOf = async (key: string): Promise<PricedItem> => {
    const [item] = (await ledger.items([`permits:${key}`])).values();
    return { ...item!, price: { amount: 2, currency: 'EUR' } };
  };
  const bought = [];
  for (const key of ['a', 'b', 'c']) {
    const item = await itemOf(key);
    bought.push(
      await ledger.buy({
        accountId: 'paid',
        keyId,
        idempotencyKey: key === 'a' ? 'first' : null,
        expected: null,
        item,
      }),
    );
  }
  await ledger.refund(bought[1]!.charge.number, { reason: 'by mistake' });
  await store.updateRegister(definition, { recordedAt: at(20) });
  const [network, asset, from] = ['eip155:84532', '0xa0', '0xaa'] as const;
  const begun = {
    provider: 'x402',
    payer: x402Payer(network, from),
    network,
    asset,
    from,
    payload: {},
    requirements: {},
  };
  for (const [nonce, key] of [
    ['0x1', 'a'],
    ['0x2', 'b'],
    ['0x3', 'c'],
  ] as const) {
    const item = {
      ...(await itemOf(key)),
      price: { amount: '1000000000000000000', currency: `${network}/erc20:${asset}` },
    };
    await ledger.openHold({ ...begun, nonce, item, identifier: nonce });
  }
  await ledger.settleHold({ network, asset, from, nonce: '0x1' }, { reference: 'tx' });
  await ledger.releaseHold({ network, asset, from, nonce: '0x2' }, { reason: 'expired' });
  for (const nonce of ['0x4', '0x5']) {
    const item = {
      ...(await itemOf('b')),
      price: { amount: '1000000000000000000', currency: `${network}/erc20:${asset}` },
    };
    await ledger.openHold({ ...begun, nonce, item, identifier: nonce });
    await ledger.settleHold({ network, asset, from, nonce }, { reference: `tx ${nonce}`, mayVanish: true });
    if (nonce === '0x4') await ledger.releaseHold({ network, asset, from, nonce }, { reason: 'vanished' });
  }
}
