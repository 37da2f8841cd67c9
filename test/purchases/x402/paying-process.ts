// A process that sells one record for one payment, to be killed: `node paying-process.ts STORE CHAIN PAYMENT`.
import { Receipts } from '../../../src/purchases/receipts.ts';
import { createX402 } from '../../../src/purchases/x402/index.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { NETWORK } from './local-chain.ts';
import { OFFER, RECEIPT_KEY, urlOf } from './shop.ts';

const [path = '', url = '', payment = ''] = process.argv.slice(2);
const store = SqliteStore.open(path);
const provider = await createX402({
  ...{ facilitator: url, chains: [{ network: NETWORK, url }], ledger: store.ledger },
  receipts: Receipts.fromHex(RECEIPT_KEY),
});
const item = (await store.ledger.items(['permits:a'])).get('permits:a');
if (item === undefined) throw new Error('no record');
const priced = { ...item, price: { amount: 2, currency: 'EUR' }, onChain: [OFFER] };
const request = { resource: urlOf('a'), account: null, mayCharge: false, payment, idempotencyKey: null };
const authorized = await provider.authorize(request, priced);
if (authorized === null) throw new Error('no payment');
process.stdout.write((await provider.settle(authorized)).state);
await store.close();
