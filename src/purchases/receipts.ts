// Receipts. `gzr_…` opens what an address paid for: an HMAC over payer and item, which a service checks without looking
// it up. A receipt to cite is a JWS (RFC 7515, EdDSA of RFC 8037) that anybody can check with the public key. Both come
// from one key, GAZETTE_RECEIPT_KEY: it is the seed of the Ed25519 key, and HKDF (RFC 5869) makes the key of the HMAC.
import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  sign,
  timingSafeEqual,
} from 'node:crypto';
import { GazetteError } from '../errors.ts';
import type { Item, Payer } from '../stores/contract/ledger.ts';

/** The environment variable that contains the key. */
export const RECEIPT_KEY_VARIABLE = 'GAZETTE_RECEIPT_KEY';

/** How a receipt begins. */
export const RECEIPT_PREFIX = 'gzr_';

/** RFC 8410 section 7: the 32 bytes of a seed follow these in a PKCS #8 document. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Receipts are shorter: ids have at most some hundred characters. */
const MAX_RECEIPT_LENGTH = 4096;

const MAC_BYTES = 32;

/** What a receipt opens: a record in one content version, for who paid. */
export interface ReceiptClaims {
  /** Who paid. */
  readonly payer: Payer;
  /** What was bought. */
  readonly item: Pick<Item, 'recordId' | 'contentVersion'>;
}

/** What a receipt to cite says. The payer is not among it. */
export interface Citation {
  /** The public address of the service. */
  readonly issuer: string;
  /** The id of its register. */
  readonly feedId: string;
  /** The id of the record. */
  readonly recordId: string;
  /** The version in which the publisher last changed it. */
  readonly contentVersion: number;
  /** The change number of that version in its register. */
  readonly change: number;
  /** The name of its register's log, in which entry `change - 1` is that version. Null: the log was never signed. */
  readonly log: string | null;
  /** When it was bought, RFC 3339. */
  readonly boughtAt: string;
}

/** A public key as a JWK (RFC 8037). */
export interface ReceiptJwk {
  /** The kind of key. */
  readonly kty: 'OKP';
  /** Its curve. */
  readonly crv: 'Ed25519';
  /** The key itself, base64url. */
  readonly x: string;
  /** The key's thumbprint (RFC 7638). */
  readonly kid: string;
  /** It checks signatures. */
  readonly use: 'sig';
  /** Their algorithm. */
  readonly alg: 'EdDSA';
}

interface ReceiptKey {
  readonly mac: KeyObject;
  readonly signing: KeyObject;
  readonly jwk: ReceiptJwk;
}

/** Whether a bearer token is meant as a receipt, valid or not. */
export function looksLikeReceipt(token: string): boolean {
  return token.startsWith(RECEIPT_PREFIX);
}

/** Makes and checks the receipts of a deployment. */
export class Receipts {
  readonly #keys: readonly [ReceiptKey, ...ReceiptKey[]];

  private constructor(keys: readonly [ReceiptKey, ...ReceiptKey[]]) {
    this.#keys = keys;
  }

  /**
   * @param hex 32 bytes as 64 hexadecimal characters, as in `GAZETTE_RECEIPT_KEY`; or several keys, separated by commas:
   *   the first one makes receipts, and all of them check receipts
   * @throws GazetteError `invalid_receipt_key`; the message says how to create a key, and never contains the given value
   */
  static fromHex(hex: string | undefined): Receipts {
    if (hex === undefined || !/^[0-9a-fA-F]{64}(?:,[0-9a-fA-F]{64})*$/.test(hex)) {
      const got = hex === undefined || hex === '' ? 'it is not set' : 'its value is something else';
      throw new GazetteError(
        'invalid_receipt_key',
        `${RECEIPT_KEY_VARIABLE} must be 32 bytes as 64 hexadecimal characters, and ${got}: receipts for purchases are made ` +
          'with it. Make one with `openssl rand -hex 32`, keep it where passwords are kept, and set it for every process of this service',
      );
    }
    const [first = '', ...others] = hex.toLowerCase().split(',');
    return new Receipts([receiptKey(first), ...others.map(receiptKey)]);
  }

  /** The receipt that opens an item for its payer. It says neither price nor time and is always the same. */
  issue({ payer, item }: ReceiptClaims): string {
    const body = Buffer.from(JSON.stringify([payer, item.recordId, item.contentVersion]));
    return RECEIPT_PREFIX + Buffer.concat([body, macOf(this.#keys[0], body)]).toString('base64url');
  }

  /**
   * What a receipt opens. It may have been refunded since: ask the ledger for the purchase.
   *
   * @throws GazetteError `invalid_receipt` for one that was not made with one of the keys
   */
  open(receipt: string): ReceiptClaims {
    const bytes =
      looksLikeReceipt(receipt) && receipt.length <= MAX_RECEIPT_LENGTH
        ? Buffer.from(receipt.slice(RECEIPT_PREFIX.length), 'base64url')
        : Buffer.alloc(0);
    const body = bytes.subarray(0, Math.max(0, bytes.length - MAC_BYTES));
    const mac = bytes.subarray(body.length);
    const isOurs =
      mac.length === MAC_BYTES && this.#keys.some((key) => timingSafeEqual(macOf(key, body), mac)) && body.length > 0;
    if (!isOurs) {
      throw new GazetteError(
        'invalid_receipt',
        'the receipt is not one of this service, or it was cut or changed: present it as it came in PAYMENT-RESPONSE',
      );
    }
    const [payer, recordId, contentVersion] = JSON.parse(body.toString('utf8')) as [string, string, number];
    return { payer, item: { recordId, contentVersion } };
  }

  /** A receipt to cite: a compact JWS whose payload names the record, its content version and its change. */
  cite(citation: Citation): string {
    const [{ signing, jwk }] = this.#keys;
    const head = { alg: 'EdDSA', typ: 'gazette-receipt+jwt', kid: jwk.kid };
    const claims = {
      iss: citation.issuer,
      iat: Math.floor(Date.parse(citation.boughtAt) / 1000),
      feed_id: citation.feedId,
      record_id: citation.recordId,
      content_version: citation.contentVersion,
      change: citation.change,
      ...(citation.log === null ? {} : { log: citation.log, log_index: citation.change - 1 }),
    };
    const signed = `${base64url(JSON.stringify(head))}.${base64url(JSON.stringify(claims))}`;
    return `${signed}.${sign(null, Buffer.from(signed), signing).toString('base64url')}`;
  }

  /** The public keys by which receipts to cite are checked, as a JWK set (RFC 7517). The first one signs. */
  publicKeys(): { readonly keys: readonly ReceiptJwk[] } {
    return { keys: this.#keys.map(({ jwk }) => jwk) };
  }

  /** The first 16 bytes of an HMAC in hex, for values that this service gives away and wants back unchanged. */
  tag(purpose: string, text: string): string {
    return createHmac('sha256', this.#keys[0].mac).update(`${purpose}\n${text}`).digest('hex').slice(0, 32);
  }
}

function receiptKey(hex: string): ReceiptKey {
  const seed = Buffer.from(hex, 'hex');
  const signing = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
  const mac = createSecretKey(Buffer.from(hkdfSync('sha256', seed, '', 'gazette receipt', 32)));
  const { x = '' } = createPublicKey(signing).export({ format: 'jwk' });
  const thumbprint = createHash('sha256').update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }));
  const kid = thumbprint.digest('base64url');
  return { mac, signing, jwk: { kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' } };
}

function macOf(key: ReceiptKey, body: Uint8Array): Buffer {
  return createHmac('sha256', key.mac).update('receipt\n').update(body).digest();
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
