// Records sold for payments on chain, as a process that serves takes them.
import { isGazetteError } from '../../../../src/errors.ts';
import { Receipts } from '../../../../src/wings/selling/purchases/receipts.ts';
import { openX402 } from '../../../../src/wings/selling/purchases/x402/provider.ts';
import type { LedgerStore } from '../../../../src/wings/selling/stores/contract/ledger.ts';
import { NETWORK } from './local-chain.ts';
import { OFFER, RECEIPT_KEY, urlOf } from './shop.ts';
import { storeWith } from '../ledger-of.ts';

/**
 * Takes payments at once.
 *
 * @param url of the facilitator, which is the chain too
 * @param payments each `RECORD=PAYMENT`
 * @returns what became of them, sorted: `settled`, or the code of an error
 */
export async function takePayments(ledger: LedgerStore, url: string, payments: readonly string[]): Promise<string> {
  const provider = await openX402({
    ...{
      facilitator: url,
      chains: [{ network: NETWORK, url }],
      store: storeWith(ledger),
      receipts: Receipts.fromHex(RECEIPT_KEY),
    },
    pollMs: 20,
  });
  const take = async (record: string, payment: string): Promise<string> => {
    const item = (await ledger.items([`permits:${record}`])).get(`permits:${record}`)!;
    const priced = { ...item, price: { amount: 2, currency: 'EUR' }, onChain: [OFFER] };
    const request = {
      resource: urlOf(record),
      account: null,
      mayCharge: false,
      expected: null,
      payment,
      idempotencyKey: null,
    };
    try {
      return (await provider.settle((await provider.authorize(request, priced))!)).state;
    } catch (error) {
      if (isGazetteError(error)) return error.code;
      throw error;
    }
  };
  const states = payments.map((one) => take(one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)));
  return (await Promise.all(states)).sort().join(' ');
}
