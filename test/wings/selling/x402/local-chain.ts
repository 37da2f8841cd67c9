// A chain and a facilitator of the tests' own, behind one HTTP server: JSON-RPC at /, the facilitator at /verify and
// /settle. Signatures are digests, so that the tests need no elliptic curves; conformance has the real ones.
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { FacilitatorClient } from '@x402/core/http';
import { isObject } from '../../../../src/checks.ts';
import {
  AUTHORIZATION_CANCELED,
  AUTHORIZATION_USED,
  TRANSFER,
} from '../../../../src/wings/selling/purchases/x402/chain.ts';

export const NETWORK = 'eip155:31337';
export const ASSET = '0xa5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5';
export const SHOP = '0x5050505050505050505050505050505050505050';
export const BUYER = '0xb1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1';

/** A wallet that is a contract, whose signatures are longer than those of keys. */
export const CONTRACT = '0xc7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7c7';

/** What a payer of the tests signs. */
export interface Signed {
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly validAfter: string;
  readonly validBefore: string;
  readonly nonce: string;
}

interface Log {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly transactionHash: string;
  readonly blockNumber: string;
  readonly logIndex: string;
}

interface Block {
  readonly timestamp: number;
  readonly logs: Log[];
  /** What was paid in it. */
  readonly signed: readonly Signed[];
}

/** What happens to one question to the facilitator. */
export type Behaviour =
  | 'honest'
  /** Answers before it does anything: 500, or no JSON. */
  | 'away'
  | 'garbled'
  /** Brings the payment to the chain, and the answer is lost. */
  | 'settles and is lost'
  /** Says that the payment is under way, and never brings it to the chain. */
  | 'pending'
  /** Says that it is settled, and it is not. */
  | 'lies'
  /** Says that a settled payment failed. */
  | 'denies';

/** The chain, the facilitator, and everything that a test can do to them. */
export class LocalChain {
  readonly blocks: Block[] = [];
  verifying: Behaviour = 'honest';
  settling: Behaviour = 'honest';
  /** Whether the chain's node answers. */
  isUp = true;
  /** Whether it has executed blocks whose logs it does not find yet. */
  areLogsLate = false;
  /** What was asked, in its order: `verify`, `settle`, or the method of JSON-RPC. */
  readonly asked: string[] = [];
  /** Called before a question is answered. */
  onAsked: (what: string) => void | Promise<void> = () => undefined;
  /** Called before an answer is sent. */
  onAnswer: (what: string) => void | Promise<void> = () => undefined;
  readonly #used = new Map<string, number>();
  #server: Server | null = null;
  #url = '';

  get url(): string {
    return this.#url;
  }

  /** The time of the newest block, in seconds since 1970. */
  get time(): number {
    return this.blocks.at(-1)?.timestamp ?? 0;
  }

  /** Its first block is made. @param time in seconds since 1970 */
  begin(time: number = Math.floor(Date.now() / 1000)): this {
    this.blocks.push({ timestamp: time, logs: [], signed: [] });
    return this;
  }

  /** The same, and it listens at {@link url}. */
  async start(): Promise<this> {
    this.begin();
    const server = createServer((request, response) => void this.#answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#server = server;
    this.#url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  /** New blocks without transactions. @param seconds how long after the newest one the last of them is */
  mine(count: number, seconds: number = count): void {
    const before = this.time;
    for (let block = 1; block <= count; block++) {
      this.blocks.push({ timestamp: before + Math.floor((seconds * block) / count), logs: [], signed: [] });
    }
  }

  /** The chain loses its newest blocks, with everything in them. @returns what was paid in them */
  lose(count: number): readonly Signed[] {
    const lost = this.blocks.splice(this.blocks.length - count, count);
    for (const [nonce, block] of this.#used) if (block >= this.blocks.length) this.#used.delete(nonce);
    return lost.flatMap(({ signed }) => signed);
  }

  /** Whether an authorization has paid what it says. */
  hasPaid({ from, to, nonce, value }: Signed): boolean {
    return this.blocks.some(({ signed }) =>
      signed.some((one) => one.from === from && one.nonce === nonce && one.to === to && one.value === value),
    );
  }

  /** A block with one transaction: some authorizations, each followed by its transfer. @returns whether it succeeded */
  transfer(...signed: readonly Signed[]): boolean {
    return this.transferIn(`0x${randomBytes(32).toString('hex')}`, ...signed);
  }

  /** The same. @param transaction its hash: that of one that was lost with its block, when it comes back */
  transferIn(transaction: string, ...signed: readonly Signed[]): boolean {
    if (signed.some((one) => this.#refusal(one) !== null)) return false;
    this.#transact(
      transaction,
      signed.flatMap((one) => [
        { topics: [AUTHORIZATION_USED, word(one.from), one.nonce], data: '0x' },
        { topics: [TRANSFER, word(one.from), word(one.to)], data: word(BigInt(one.value).toString(16)) },
      ]),
      signed,
    );
    for (const one of signed) this.#used.set(`${one.from}${one.nonce}`, this.blocks.length - 1);
    return true;
  }

  /** A payer takes an authorization back, if it was not used. */
  cancel({ from, nonce }: Signed): void {
    if (this.#used.has(`${from}${nonce}`)) return;
    this.#transact(`0x${randomBytes(32).toString('hex')}`, [
      { topics: [AUTHORIZATION_CANCELED, word(from), nonce], data: '0x' },
    ]);
    this.#used.set(`${from}${nonce}`, this.blocks.length - 1);
  }

  /** All transfers to an address: the network and the transaction of each, as a ledger's reference begins. */
  transfersTo(address: string): string[] {
    return this.blocks.flatMap(({ logs }) =>
      logs
        .filter(({ topics }) => topics[0] === TRANSFER && topics[2] === word(address))
        .map(({ transactionHash }) => `${NETWORK}/${transactionHash}`),
    );
  }

  #transact(
    transactionHash: string,
    logs: readonly Pick<Log, 'topics' | 'data'>[],
    signed: readonly Signed[] = [],
  ): void {
    const number = this.blocks.length;
    const entered = logs.map((log, index) => ({
      ...log,
      ...{ address: ASSET, transactionHash, blockNumber: hex(number), logIndex: hex(index) },
    }));
    this.blocks.push({ timestamp: this.time + 1, logs: entered, signed });
  }

  #refusal(signed: Signed): string | null {
    if (this.#used.has(`${signed.from}${signed.nonce}`)) return 'invalid_exact_evm_nonce_already_used';
    const isOver = Number(signed.validBefore) <= this.time;
    return isOver ? 'invalid_exact_evm_payload_authorization_valid_before' : null;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The address of a node may have a key in its query.
    const path = (request.url ?? '').replace(/\?.*/, '');
    const [status, answer] = await this.#answerTo(path, JSON.parse(await text(request)));
    if (response.destroyed) return;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(answer);
  }

  async #answerTo(path: string, body: unknown): Promise<readonly [status: number, text: string]> {
    const what = path === '/' ? String(isObject(body) && body.method) : path.slice(1);
    this.asked.push(what);
    await this.onAsked(what);
    const [status, answer] = path === '/' ? this.#rpc(body) : this.#facilitate(what, body);
    await this.onAnswer(what);
    return [status, typeof answer === 'string' ? answer : JSON.stringify(answer)];
  }

  /** Asks the node without a socket. */
  get fetch(): typeof fetch {
    return async (_, init) => {
      const [status, answer] = await this.#answerTo('/', JSON.parse(init?.body as string));
      return new Response(answer, { status });
    };
  }

  /** Asks the facilitator without a socket. */
  get facilitator(): FacilitatorClient {
    const ask = async <T>(path: string, paymentPayload: unknown, paymentRequirements: unknown): Promise<T> => {
      const [status, answer] = await this.#answerTo(path, { paymentPayload, paymentRequirements });
      if (status !== 200) throw new Error(`status ${status}`);
      return JSON.parse(answer) as T;
    };
    return {
      verify: (payload, requirements) => ask('/verify', payload, requirements),
      settle: (payload, requirements) => ask('/settle', payload, requirements),
      getSupported: () => Promise.reject(new Error('never asked')),
    };
  }

  #facilitate(what: string, body: unknown): readonly [number, unknown] {
    const behaviour = what === 'verify' ? this.verifying : this.settling;
    const { paymentPayload, paymentRequirements } = body as {
      paymentPayload: { payload: { authorization: Signed; signature: string } };
      paymentRequirements: { amount: string; payTo: string; network: string };
    };
    const { authorization: signed, signature } = paymentPayload.payload;
    const about = { payer: signed.from, network: paymentRequirements.network, transaction: '' };
    if (behaviour === 'away') return [500, { error: 'away' }];
    if (behaviour === 'garbled') return [200, '<html>'];
    const refusal = signature === signatureOf(signed) ? this.#refusal(signed) : 'invalid_exact_evm_signature';
    if (what === 'verify') {
      const isValid = behaviour === 'lies' || refusal === null;
      return [200, isValid ? { isValid, payer: signed.from } : { isValid, invalidReason: refusal, payer: signed.from }];
    }
    const transaction = `0x${'77'.repeat(32)}`;
    if (behaviour === 'lies') return [200, { success: true, ...about, transaction }];
    if (behaviour === 'pending') return [200, { success: false, errorReason: 'settlement_pending', ...about }];
    if (refusal !== null) return [200, { success: false, errorReason: refusal, ...about }];
    this.transfer(signed);
    if (behaviour === 'settles and is lost') return [502, 'bad gateway'];
    if (behaviour === 'denies') return [200, { success: false, errorReason: 'unexpected_settle_error', ...about }];
    return [200, { success: true, ...about, transaction }];
  }

  #rpc(body: unknown): readonly [number, unknown] {
    if (!this.isUp) return [503, 'away'];
    const { id, method, params } = body as { id: number; method: string; params: readonly unknown[] };
    const result = this.#result(method, params);
    if (result === undefined) return [200, { jsonrpc: '2.0', id, error: { code: 3, message: 'execution reverted' } }];
    return [200, { jsonrpc: '2.0', id, result }];
  }

  #result(method: string, [first, second]: readonly unknown[]): unknown {
    if (method === 'eth_chainId') return hex(31337);
    if (method === 'eth_getBlockByNumber') {
      const number = first === 'latest' ? this.blocks.length - 1 : Number(first);
      const block = this.blocks[number];
      return block === undefined ? null : { number: hex(number), timestamp: hex(block.timestamp) };
    }
    if (method === 'eth_getLogs') {
      const { fromBlock, toBlock, topics } = first as {
        fromBlock: string;
        toBlock: string;
        topics: readonly [readonly string[], string, string];
      };
      const last = toBlock === 'latest' ? this.blocks.length : Number(toBlock) + 1;
      if (this.areLogsLate) return [];
      const logs = this.blocks.slice(Number(fromBlock), last).flatMap((block) => block.logs);
      return logs.filter(
        (log) => topics[0].includes(log.topics[0] ?? '') && log.topics[1] === topics[1] && log.topics[2] === topics[2],
      );
    }
    if (method === 'eth_getTransactionReceipt') {
      return { logs: this.blocks.flatMap((block) => block.logs).filter((log) => log.transactionHash === first) };
    }
    return this.#call(first as { to: string; data: string }, Number(second));
  }

  #call({ to, data }: { to: string; data: string }, block: number): string | undefined {
    if (to === CONTRACT && data.startsWith('0x1626ba7e')) {
      // ERC-1271, in the layout of the ABI: hash, where the bytes are, how many, the bytes.
      const [hash, length] = [data.slice(10, 74), Number(`0x${data.slice(138, 202)}`)];
      const isSigned = `0x${data.slice(202, 202 + length * 2)}` === walletSignature(CONTRACT, hash);
      return isSigned ? '0x1626ba7e'.padEnd(66, '0') : undefined;
    }
    if (data.startsWith('0xe94a0102')) {
      const used = this.#used.get(`0x${data.slice(34, 74)}0x${data.slice(74)}`);
      return word(used !== undefined && used <= block ? '1' : '0');
    }
    // ecrecover, where a signature is the digest of the hash and the address, and then the address.
    const [hash, address] = [data.slice(2, 66), data.slice(194, 234)];
    const isSigned = Number(to) === 1 && data.slice(130, 194) === digest(`${hash}${address}`);
    return isSigned ? word(`0x${address}`) : '0x';
  }
}

/** What a wallet of the tests signs a payment with. */
export function signatureOf(signed: Signed): string {
  const { from, to, value, validAfter, validBefore, nonce } = signed;
  return `0x${digest([from, to, value, validAfter, validBefore, nonce].join())}${'00'.repeat(33)}`;
}

/** What a wallet of the tests signs a text with. @param hash of the text, 64 hexadecimal digits */
export function walletSignature(address: string, hash: string): string {
  if (address === CONTRACT) return `0x${digest(`${hash}${address.slice(2)}`)}${'11'.repeat(65)}`;
  return `0x${digest(`${hash}${address.slice(2)}`)}${address.slice(2)}${'00'.repeat(12)}1b`;
}

/** An authorization to pay the shop. @param time now, in seconds since 1970 */
export function authorization(time: number, given: Partial<Signed> = {}): Signed {
  const nonce = `0x${randomBytes(32).toString('hex')}`;
  return {
    ...{ from: BUYER, to: SHOP, value: '10000', validAfter: '0', validBefore: String(time + 120), nonce },
    ...given,
  };
}

function digest(signed: string): string {
  return createHash('sha256').update(signed).digest('hex');
}

function hex(value: number): string {
  return `0x${value.toString(16)}`;
}

function word(digits: string): string {
  return `0x${digits.replace(/^0x/, '').padStart(64, '0')}`;
}
