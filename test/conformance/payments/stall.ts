// A service that sells records on the local chain, and the protocol's own client with a wallet that pays there.
import { type RunningServer, startServer } from '../../../src/adapters/server.ts';
import { Receipts } from '../../../src/wings/selling/purchases/receipts.ts';
import { createX402, Reconciler } from '../../../src/wings/selling/purchases/x402/index.ts';
import { createGazette } from '../../../src/service/create-gazette.ts';
import type { ServiceStore } from '../../../src/stores/contract/accounts.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { world, PRODUCT } from '../../world.ts';
import { at } from '../../contracts/store-register.ts';
import { loadJudge } from '../tools.ts';
import { type Market, NETWORK, openMarket, type Wallet } from './market.ts';
import { TOKEN } from './token.ts';
import { ledgerOf } from '../../wings/selling/ledger-of.ts';

/** Who is paid. */
export const SELLER = '0x5050505050505050505050505050505050505050';

/** What a record costs, in the token's smallest unit. */
export const PRICE = 10_000;

/** The client of x402 (`x402Client` of @x402/core): what is used of it. */
export interface PayingClient {
  setSpendControls(controls: false): PayingClient;
  register(network: string, scheme: unknown): PayingClient;
  createPaymentPayload(required: unknown): Promise<{ payload: { authorization: Record<string, string> } }>;
}

/** The store of a stall, which goes with it. */
export type StallStore = ServiceStore & { close(): Promise<void> };

/** All of it. */
export interface Stall {
  readonly market: Market;
  readonly store: StallStore;
  readonly server: RunningServer;
  readonly client: PayingClient;
  /** The same with the wallet that is a contract. */
  readonly contractClient: PayingClient;
  readonly reconciler: Reconciler;
  /** How many purchases were charged. */
  charges(): Promise<number>;
  close(): Promise<void>;
}

/** Opens it: 40 records, and a buyer with one dollar. */
export async function openStall(store: StallStore = SqliteStore.open(':memory:')): Promise<Stall> {
  const market = await openMarket();
  await world({ store, records: 40 });
  const { definition } = (await store.register('permits'))!;
  const offer = {
    ...{ network: NETWORK, asset: TOKEN.address, amount: String(PRICE), pay_to: SELLER },
    ...{ name: TOKEN.name, version: TOKEN.version },
  };
  const prices = { currency: 'EUR', per_record: 2, x402: [offer] };
  await store.updateRegister({ ...definition, prices }, { recordedAt: at(0) });
  const chains = [{ network: NETWORK, url: market.rpc, confirmations: 1 }];
  const receipts = Receipts.fromHex('c1'.repeat(32));
  const { facilitator } = market;
  const provider = await createX402({ facilitator, chains, store, receipts });
  const gazette = createGazette({ store, product: PRODUCT, limits: null, providers: [provider] });
  const server = await startServer(gazette.fetch, { port: 0, host: '127.0.0.1' });
  const { x402Client } = await loadJudge<{ x402Client: new () => PayingClient }>('@x402/core/client');
  const { ExactEvmScheme } = await loadJudge<{ ExactEvmScheme: new (signer: unknown) => unknown }>('@x402/evm');
  const clientOf = (wallet: Wallet): PayingClient =>
    new x402Client().setSpendControls(false).register(NETWORK, new ExactEvmScheme(wallet));
  return {
    ...{ market, store, server, reconciler: new Reconciler({ store, chains }) },
    ...{ client: clientOf(market.buyer), contractClient: clientOf(market.contract) },
    async charges() {
      return (await ledgerOf(store).entries({ limit: 1000 })).filter(({ kind }) => kind === 'charge').length;
    },
    async close() {
      await server.stop(0);
      await gazette.close();
      await store.close();
      await market.close();
    },
  };
}
