// A process that sells records for payments on chain, to be killed: `STORE CHAIN HALT RECORD=PAYMENT…` makes the payments
// at once, says what became of each, and stops at the step HALT of what it writes to the ledger, and says so.
import { writeSync } from 'node:fs';
import { isGazetteError } from '../../../src/errors.ts';
import { Receipts } from '../../../src/purchases/receipts.ts';
import { createX402 } from '../../../src/purchases/x402/index.ts';
import { steppedLedger } from '../../contracts/stepped-engine.ts';
import { openEngine } from '../opened-engine.ts';
import { NETWORK } from './local-chain.ts';
import { OFFER, RECEIPT_KEY, urlOf } from './shop.ts';

const [store = '', url = '', halt = '', ...payments] = process.argv.slice(2);

let steps = 0;
const ledger = steppedLedger(await openEngine(store), () => {
  if (String(steps++) !== halt) return;
  writeSync(1, 'halted\n');
  // Until it is killed.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
const provider = await createX402({
  ...{ facilitator: url, chains: [{ network: NETWORK, url }], ledger, receipts: Receipts.fromHex(RECEIPT_KEY) },
  pollMs: 20,
});

async function pay(record: string, payment: string): Promise<string> {
  const item = (await ledger.items([`permits:${record}`])).get(`permits:${record}`)!;
  const priced = { ...item, price: { amount: 2, currency: 'EUR' }, onChain: [OFFER] };
  const request = { resource: urlOf(record), account: null, mayCharge: false, payment, idempotencyKey: null };
  try {
    return (await provider.settle((await provider.authorize(request, priced))!)).state;
  } catch (error) {
    if (isGazetteError(error)) return error.code;
    throw error;
  }
}

const states = await Promise.all(
  payments.map((one) => pay(one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1))),
);
writeSync(1, `${states.sort().join(' ')}\n`);
process.exit(0);
