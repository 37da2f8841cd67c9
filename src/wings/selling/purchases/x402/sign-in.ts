// SIGN-IN-WITH-X (CAIP-122, on EVM chains EIP-4361): an address that paid opens again what it paid for. A challenge is
// bound to our host, one URL and a nonce of ours, and the service stores nothing for it: the nonce is an HMAC over the rest.
import { randomBytes } from 'node:crypto';
import { isObject } from '../../../../checks.ts';
import { GazetteError } from '../../../../errors.ts';
import type { Payer } from '../../stores/contract/ledger.ts';
import { x402Payer } from './options.ts';
import type { Receipts } from '../receipts.ts';
import { type Chain, isOfUndeployed } from './chain.ts';
import { keccak256 } from './keccak.ts';

/** The extension's name in PaymentRequired. */
export const SIGN_IN_WITH_X = 'sign-in-with-x';

/**
 * How long a challenge may be answered, in milliseconds. The node that made it may have a clock that is ahead by less than that.
 */
const CHALLENGE_MS = 300_000;

/** The header is shorter: a URL, an address and a signature. */
const MAX_SIGN_IN_LENGTH = 16_384;

const STATEMENT = 'Open again what this address has paid for.';

/** What a wallet signs. All but the address and the chain come from the service. */
interface Challenge {
  readonly domain: string;
  readonly uri: string;
  readonly version: '1';
  readonly nonce: string;
  readonly issuedAt: string;
  readonly expirationTime: string;
  readonly statement: string;
}

/** Makes challenges and checks their answers. */
export class WalletSignIn {
  readonly #receipts: Receipts;
  readonly #chains: ReadonlyMap<string, Chain>;

  constructor(receipts: Receipts, chains: ReadonlyMap<string, Chain>) {
    this.#receipts = receipts;
    this.#chains = chains;
  }

  /** The declaration of the extension for one URL. @param now in milliseconds since 1970 */
  extension(url: string, now: number): Readonly<Record<string, unknown>> {
    return {
      info: this.#challenge(url, new Date(now).toISOString(), randomBytes(8).toString('hex')),
      supportedChains: [...this.#chains.keys()].map((chainId) => ({ chainId, type: 'eip191' })),
      schema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: { address: { type: 'string' }, chainId: { type: 'string' }, signature: { type: 'string' } },
        required: ['domain', 'address', 'uri', 'version', 'chainId', 'type', 'nonce', 'issuedAt', 'signature'],
      },
    };
  }

  /**
   * Who signed in, by the text of the header `SIGN-IN-WITH-X`.
   *
   * @param url what is asked for; the answer must have been made for it
   * @throws GazetteError `invalid_sign_in` that says what is wrong; `payment_unavailable` when the chain cannot be asked
   */
  async signedIn(header: string, url: string, now: number): Promise<Payer> {
    const answer = decoded(header);
    const { issuedAt, address, chainId, signature, nonce } = answer;
    if (typeof issuedAt !== 'string' || typeof nonce !== 'string' || !/^[0-9a-f]{32}$/.test(nonce)) {
      throw invalid('nonce', 'issuedAt and nonce must be those of the challenge');
    }
    const age = now - Date.parse(issuedAt);
    if (!(Math.abs(age) < CHALLENGE_MS)) throw invalid('expired', 'the challenge has expired: ask for another one');
    const challenge = this.#challenge(url, new Date(issuedAt).toISOString(), nonce.slice(0, 16));
    for (const [member, value] of Object.entries(challenge)) {
      if (answer[member] !== value) throw invalid(member, `${member} is not that of a challenge for this URL`);
    }
    const chain = typeof chainId === 'string' ? this.#chains.get(chainId) : undefined;
    if (chain === undefined) throw invalid('chainId', 'chainId must be one of supportedChains');
    if (typeof address !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(address)) {
      throw invalid('address', 'address must be 0x and 40 hexadecimal digits');
    }
    if (typeof signature !== 'string' || !/^0x(?:[0-9a-fA-F]{2}){65,2048}$/.test(signature)) {
      throw invalid('signature', 'signature must be hexadecimal digits, at least 65 bytes');
    }
    if (isOfUndeployed(signature)) {
      throw invalid('undeployed_wallet', 'the wallet is not deployed yet (ERC-6492), and has paid for nothing');
    }
    const hash = Buffer.from(keccak256(signedBytes(challenge, address, chain.network))).toString('hex');
    if (!(await chain.isSigned(address.toLowerCase(), hash, signature.slice(2).toLowerCase()))) {
      throw invalid('signature', 'the signature is not that of the address for this challenge');
    }
    return x402Payer(chain.network, address);
  }

  #challenge(uri: string, issuedAt: string, random: string): Challenge {
    return {
      domain: new URL(uri).host,
      uri,
      version: '1',
      nonce: random + this.#receipts.tag('sign-in', `${uri}\n${issuedAt}\n${random}`).slice(0, 16),
      issuedAt,
      expirationTime: new Date(Date.parse(issuedAt) + CHALLENGE_MS).toISOString(),
      statement: STATEMENT,
    };
  }
}

/** EIP-191 version 0x45 over the text of EIP-4361. */
function signedBytes(challenge: Challenge, address: string, network: string): Uint8Array {
  const text = [
    `${challenge.domain} wants you to sign in with your Ethereum account:`,
    address,
    '',
    challenge.statement,
    '',
    `URI: ${challenge.uri}`,
    `Version: ${challenge.version}`,
    `Chain ID: ${network.slice('eip155:'.length)}`,
    `Nonce: ${challenge.nonce}`,
    `Issued At: ${challenge.issuedAt}`,
    `Expiration Time: ${challenge.expirationTime}`,
  ].join('\n');
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from(`\u0019Ethereum Signed Message:\n${bytes.length}`), bytes]);
}

function decoded(header: string): Readonly<Record<string, unknown>> {
  try {
    const answer: unknown =
      header.length <= MAX_SIGN_IN_LENGTH ? JSON.parse(Buffer.from(header, 'base64').toString('utf8')) : null;
    if (isObject(answer)) return answer;
  } catch {
    // Not JSON: said below.
  }
  throw invalid('header', 'it must be base64 of a JSON object');
}

function invalid(reason: string, message: string): GazetteError {
  return new GazetteError('invalid_sign_in', `SIGN-IN-WITH-X: ${message}`, { details: { reason } });
}
