// A chain, a token, a facilitator and wallets of other people: anvil, and the packages of x402 with viem.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { json } from 'node:stream/consumers';
import { until } from '../../until.ts';
import { loadJudge } from '../tools.ts';
import { balanceSlot, TOKEN, tokenCode, walletCode } from './token.ts';

export const NETWORK = 'eip155:31337';

/** Keys that anvil publishes and gives ether to: that of the facilitator, and that of the buyer. */
const FACILITATOR_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
export const BUYER_KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';

/** A wallet: what is used of viem's. */
export interface Wallet {
  readonly address: string;
  signMessage(message: { readonly message: string }): Promise<string>;
  signTypedData(message: unknown): Promise<string>;
}

interface Viem {
  createWalletClient(options: unknown): { extend(actions: unknown): object };
  http(url: string): unknown;
  publicActions: unknown;
}

interface Facilitator {
  register(network: string, scheme: unknown): Facilitator;
  verify(payload: unknown, requirements: unknown): Promise<unknown>;
  settle(payload: unknown, requirements: unknown): Promise<unknown>;
}

/** All of them. */
export interface Market {
  /** JSON-RPC of the chain. */
  readonly rpc: string;
  readonly facilitator: string;
  readonly buyer: Wallet;
  /** A wallet that is a contract, and the buyer's: its signatures are checked by asking it (ERC-1271). */
  readonly contract: Wallet;
  /** What an address has of the token, in its smallest unit. */
  balance(address: string): Promise<number>;
  /** Called when the facilitator is told to settle, before it does. Null: nothing is. */
  beforeSettling: (() => Promise<void>) | null;
  /** Asks the chain anything. */
  ask(method: string, params: readonly unknown[]): Promise<unknown>;
  close(): Promise<void>;
}

/** Where the buyer's contract is. */
const CONTRACT = '0x1271000000000000000000000000000000000001';

/** Opens it: the buyer and the contract have one dollar of the token each. */
export async function openMarket(): Promise<Market> {
  const anvil = await startAnvil();
  const { rpc } = anvil;
  const ask = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(rpc, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return ((await response.json()) as { result?: unknown }).result;
  };
  const { privateKeyToAccount } = await loadJudge<{ privateKeyToAccount: (key: string) => Wallet }>('viem/accounts');
  const [seller, buyer] = [privateKeyToAccount(FACILITATOR_KEY), privateKeyToAccount(BUYER_KEY)];
  await ask('anvil_setCode', [TOKEN.address, tokenCode()]);
  await ask('anvil_setCode', [CONTRACT, walletCode(buyer.address)]);
  for (const owner of [buyer.address, CONTRACT]) {
    const dollar = `0x${(1_000_000).toString(16).padStart(64, '0')}`;
    await ask('anvil_setStorageAt', [TOKEN.address, balanceSlot(owner), dollar]);
  }
  // Longer than a signature by a key, as those of contracts are.
  const contract: Wallet = {
    address: CONTRACT,
    signMessage: async (message) => `${await buyer.signMessage(message)}00`,
    signTypedData: async (message) => `${await buyer.signTypedData(message)}00`,
  };
  const facilitator = await startFacilitator(rpc, seller, async () => market.beforeSettling?.());
  const market: Market = {
    ...{ rpc, buyer, contract, ask, facilitator: facilitator.url, beforeSettling: null },
    async balance(address) {
      return Number(await ask('eth_getStorageAt', [TOKEN.address, balanceSlot(address), 'latest']));
    },
    async close() {
      await facilitator.close();
      anvil.stop();
    },
  };
  return market;
}

async function startAnvil(): Promise<{ readonly rpc: string; stop(): void }> {
  const packages = createRequire(import.meta.url);
  const platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  const folder = dirname(packages.resolve(`@foundry-rs/anvil-${platform}/package.json`));
  const anvil = spawn(join(folder, 'bin/anvil'), ['--port', '0', '--block-time', '1'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  anvil.stdout.on('data', (bytes: Buffer) => {
    said += bytes.toString();
  });
  const [, address] = await until('anvil to listen', () => /Listening on ([\d.]+:\d+)/.exec(said));
  return {
    rpc: `http://${address}`,
    stop() {
      anvil.kill();
    },
  };
}

async function startFacilitator(
  rpc: string,
  account: Wallet,
  beforeSettling: () => Promise<void>,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const viem = await loadJudge<Viem>('viem');
  const { foundry } = await loadJudge<{ foundry: unknown }>('viem/chains');
  const { toFacilitatorEvmSigner } = await loadJudge<{ toFacilitatorEvmSigner: (client: object) => unknown }>(
    '@x402/evm',
  );
  const { ExactEvmScheme } = await loadJudge<{ ExactEvmScheme: new (signer: unknown) => unknown }>(
    '@x402/evm/exact/facilitator',
  );
  const { x402Facilitator } = await loadJudge<{ x402Facilitator: new () => Facilitator }>('@x402/core/facilitator');
  const client = viem
    .createWalletClient({ account, chain: foundry, transport: viem.http(rpc) })
    .extend(viem.publicActions);
  const signer = toFacilitatorEvmSigner({ ...client, address: account.address });
  const facilitator = new x402Facilitator().register(NETWORK, new ExactEvmScheme(signer));

  const server = createServer((request, response) => {
    void (async () => {
      const { paymentPayload, paymentRequirements } = (await json(request)) as Record<string, unknown>;
      const does = request.url === '/verify' ? 'verify' : 'settle';
      if (does === 'settle') await beforeSettling();
      const answer = await facilitator[does](paymentPayload, paymentRequirements);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
