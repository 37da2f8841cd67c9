// What a chain knows of a payment. Paid is AuthorizationUsed(from, nonce) and Transfer(from, payTo, amount) of that asset
// in one transaction (EIP-3009, ERC-20). authorizationState alone proves nothing: a cancelled nonce reads as used.
import { isObject } from '../../../../checks.ts';
import { isGazetteError } from '../../../../errors.ts';
import { JsonRpc, type RpcOptions } from './json-rpc.ts';

/** keccak256('AuthorizationUsed(address,bytes32)') */
export const AUTHORIZATION_USED = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5';

/** keccak256('AuthorizationCanceled(address,bytes32)') */
export const AUTHORIZATION_CANCELED = '0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81';

/** keccak256('Transfer(address,address,uint256)') */
export const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** The first four bytes of keccak256('authorizationState(address,bytes32)') */
const AUTHORIZATION_STATE = '0xe94a0102';

/** ERC-1271: the first four bytes of keccak256('isValidSignature(bytes32,bytes)'), which are also the answer "valid". */
const IS_VALID_SIGNATURE = '0x1626ba7e';

/** Where Ethereum keeps ecrecover. */
const ECRECOVER = `0x${'1'.padStart(40, '0')}`;

/** ERC-6492: how signatures end that are of a wallet which is not deployed yet. */
const UNDEPLOYED = '6492'.repeat(16);

/** Whether a signature is of a wallet that is not deployed yet (ERC-6492): nothing on the chain can check it. */
export function isOfUndeployed(signature: string): boolean {
  return signature.toLowerCase().endsWith(UNDEPLOYED);
}

/** What to look for. Addresses and the nonce are hexadecimal, in lower case. */
export interface ChainTerms {
  /** The address of the asset. */
  readonly asset: string;
  /** Who pays. */
  readonly from: string;
  /** Of the authorization. */
  readonly nonce: string;
  /** Who is paid. */
  readonly payTo: string;
  /** In the asset's smallest unit, in digits. */
  readonly amount: string;
}

/** A block. */
export interface ChainBlock {
  /** Its number in the chain. */
  readonly number: number;
  /** When it was made, in seconds since 1970. */
  readonly timestamp: number;
}

/** What some blocks say of a payment. */
export type ChainFinding =
  /** Paid. */
  | { readonly kind: 'paid'; readonly transaction: string }
  /** The payer took the authorization back. */
  | { readonly kind: 'canceled' }
  /** The nonce was used for another transfer: it cannot pay this any more. */
  | { readonly kind: 'spent' }
  | { readonly kind: 'nothing' };

interface Log {
  readonly topics: readonly string[];
  readonly data: string;
  readonly block: number;
  readonly transaction: string;
  readonly index: number;
}

/** Reads one chain. Every method throws `payment_unavailable` when the chain cannot be read. */
export class Chain {
  /** CAIP-2, such as `eip155:8453`. */
  readonly network: string;
  readonly #rpc: JsonRpc;

  constructor(network: string, options: RpcOptions) {
    this.network = network;
    this.#rpc = new JsonRpc(options);
  }

  /** Whether the node serves this chain, and not another one. */
  async isRight(): Promise<boolean> {
    return `eip155:${this.#whole('eth_chainId', await this.#rpc.ask('eth_chainId', []))}` === this.network;
  }

  /** A block by its number, or the newest. Null: there is none yet. */
  async block(number: number | 'latest'): Promise<ChainBlock | null> {
    const method = 'eth_getBlockByNumber';
    const block = await this.#rpc.ask(method, [number === 'latest' ? number : hex(number), false]);
    if (block === null) return null;
    if (!isObject(block)) throw this.#rpc.failed(method, 'gave no block');
    return { number: this.#whole(method, block.number), timestamp: this.#whole(method, block.timestamp) };
  }

  /** What the blocks from one to another, both included, say of a payment. */
  async find(terms: ChainTerms, fromBlock: number, toBlock: number | 'latest'): Promise<ChainFinding> {
    const found = await this.#logs('eth_getLogs', [
      {
        address: terms.asset,
        topics: [[AUTHORIZATION_USED, AUTHORIZATION_CANCELED], word(terms.from), terms.nonce],
        fromBlock: hex(fromBlock),
        toBlock: toBlock === 'latest' ? toBlock : hex(toBlock),
      },
    ]);
    // A node may give more than it was asked for: what is not about this payment counts for nothing.
    const log = found.find((one) => isAbout(one, terms));
    if (log === undefined) return { kind: 'nothing' };
    if (log.topics[0] === AUTHORIZATION_CANCELED) return { kind: 'canceled' };
    const receipt = await this.#rpc.ask('eth_getTransactionReceipt', [log.transaction]);
    const logs = this.#decode('eth_getTransactionReceipt', isObject(receipt) ? receipt.logs : null, terms.asset);
    const used = logs.find((one) => one.topics[0] === AUTHORIZATION_USED && isAbout(one, terms));
    // The chain has lost its block between the two questions, or two nodes answer that do not agree.
    if (used === undefined) throw this.#rpc.failed('eth_getTransactionReceipt', 'gave another transaction');
    return isPaid(logs, used, terms) ? { kind: 'paid', transaction: log.transaction } : { kind: 'spent' };
  }

  /** Whether a nonce was used or cancelled, as of a block. */
  async isUsed({ asset, from, nonce }: ChainTerms, block: number): Promise<boolean> {
    const data = `${AUTHORIZATION_STATE}${word(from).slice(2)}${nonce.slice(2)}`;
    const answer = await this.#call(asset, data, hex(block));
    if (!/^0x[0-9a-f]{64}$/.test(answer)) throw this.#rpc.failed('eth_call', 'gave no state of an authorization');
    return !/^0x0+$/.test(answer);
  }

  /**
   * Whether an address signed a hash: with its own key (ecrecover), or as a contract that says so (ERC-1271).
   *
   * @param hash 64 hexadecimal digits
   * @param signature hexadecimal digits, without `0x`
   */
  async isSigned(address: string, hash: string, signature: string): Promise<boolean> {
    if (signature.length === 130) {
      const v = Number.parseInt(signature.slice(128), 16);
      const recovery = (v < 27 ? v + 27 : v).toString(16).padStart(64, '0');
      const recovered = await this.#call(ECRECOVER, `0x${hash}${recovery}${signature.slice(0, 128)}`, 'latest');
      if (recovered === word(address)) return true;
    }
    const length = (signature.length / 2).toString(16).padStart(64, '0');
    const padded = signature.padEnd(Math.ceil(signature.length / 64) * 64, '0');
    const data = `${IS_VALID_SIGNATURE}${hash}${'40'.padStart(64, '0')}${length}${padded}`;
    const says = await this.#call(address, data, 'latest').catch((error: unknown) => {
      // Contracts revert where a signature is not theirs.
      if (isGazetteError(error) && error.details.isAnswered === true) return '0x';
      throw error;
    });
    return says === IS_VALID_SIGNATURE.padEnd(66, '0');
  }

  async #call(to: string, data: string, block: string): Promise<string> {
    const answer = await this.#rpc.ask('eth_call', [{ to, data }, block]);
    if (typeof answer !== 'string') throw this.#rpc.failed('eth_call', 'gave no bytes');
    return answer.toLowerCase();
  }

  async #logs(method: string, params: readonly unknown[]): Promise<readonly Log[]> {
    return this.#decode(method, await this.#rpc.ask(method, params), null);
  }

  /** Logs in their order; those of one address alone when it is given. Logs that a reorganisation removed are left out. */
  #decode(method: string, logs: unknown, address: string | null): readonly Log[] {
    if (!Array.isArray(logs)) throw this.#rpc.failed(method, 'gave no logs');
    return (logs as readonly unknown[])
      .filter((log) => isObject(log) && log.removed !== true)
      .filter((log) => address === null || (isObject(log) && lower(log.address) === address))
      .map((log) => {
        if (!isObject(log) || !Array.isArray(log.topics)) throw this.#rpc.failed(method, 'gave a log without topics');
        return {
          topics: log.topics.map(lower),
          data: lower(log.data),
          block: this.#whole(method, log.blockNumber),
          transaction: lower(log.transactionHash),
          index: this.#whole(method, log.logIndex),
        };
      })
      .sort((a, b) => a.block - b.block || a.index - b.index);
  }

  #whole(method: string, value: unknown): number {
    const number = typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value) ? Number(value) : Number.NaN;
    if (!Number.isSafeInteger(number)) throw this.#rpc.failed(method, 'gave no number');
    return number;
  }
}

/**
 * Whether a used authorization has paid. The transfer that belongs to it is the payer's first one between it and the next
 * authorization, or, for assets that log it earlier, the last one before it that belongs to no other: the payer may use several
 * authorizations in one transaction, and only one of them may have paid.
 *
 * @param logs all of the transaction that are of the asset
 */
function isPaid(logs: readonly Log[], used: Log, terms: ChainTerms): boolean {
  const authorizations = logs.filter(({ topics }) => topics[0] === AUTHORIZATION_USED);
  const transfers = logs.filter(({ topics }) => topics[0] === TRANSFER);
  const taken = new Set<Log>();
  for (const [place, authorization] of authorizations.entries()) {
    const { index, topics } = authorization;
    const next = authorizations[place + 1]?.index ?? Number.MAX_SAFE_INTEGER;
    const previous = authorizations[place - 1]?.index ?? -1;
    const ofPayer = transfers.filter((transfer) => transfer.topics[1] === topics[1] && !taken.has(transfer));
    const own =
      ofPayer.find((transfer) => transfer.index > index && transfer.index < next) ??
      ofPayer.findLast((transfer) => transfer.index < index && transfer.index > previous);
    if (own !== undefined) taken.add(own);
    if (authorization !== used) continue;
    if (own?.topics[2] !== word(terms.payTo) || !/^0x[0-9a-f]{64}$/.test(own.data)) return false;
    return BigInt(own.data) === BigInt(terms.amount);
  }
  return false;
}

/** Whether a log is of the payment's authorization. */
function isAbout({ topics }: Log, { from, nonce }: ChainTerms): boolean {
  return topics[1] === word(from) && topics[2] === nonce;
}

function lower(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}

function hex(value: number): string {
  return `0x${value.toString(16)}`;
}

/** An address as a word of 32 bytes. */
function word(address: string): string {
  return `0x${address.slice(2).padStart(64, '0')}`;
}
