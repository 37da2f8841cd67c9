// Receipts: `gzr_…` opens what an address paid for. It is an HMAC over payer and item, which a service checks without looking it
// up. HKDF (RFC 5869) makes its key from GAZETTE_RECEIPT_KEY.
import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { hasSpaceAround } from '../../../checks.ts';
import { GazetteError } from '../../../errors.ts';
import type { Item, Payer } from '../stores/contract/ledger.ts';

/** The environment variable that contains the key. */
export const RECEIPT_KEY_VARIABLE = 'GAZETTE_RECEIPT_KEY';

/** How a receipt begins. */
export const RECEIPT_PREFIX = 'gzr_';

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

/** Whether a bearer token is meant as a receipt, valid or not. */
export function looksLikeReceipt(token: string): boolean {
  return token.startsWith(RECEIPT_PREFIX);
}

/** Makes and checks the receipts of a deployment. */
export class Receipts {
  readonly #keys: readonly [KeyObject, ...KeyObject[]];

  private constructor(keys: readonly [KeyObject, ...KeyObject[]]) {
    this.#keys = keys;
  }

  /**
   * @param hex 32 bytes as 64 hexadecimal characters, as in `GAZETTE_RECEIPT_KEY`; or several keys, separated by commas:
   *   the first one makes receipts, and all of them check receipts
   * @throws GazetteError `invalid_receipt_key`; the message says how to create a key, and never contains the given value
   */
  static fromHex(hex: string | undefined): Receipts {
    if (hex === undefined || !/^[0-9a-fA-F]{64}(?:,[0-9a-fA-F]{64})*$/.test(hex)) {
      const isUnset = hex === undefined || hex === '';
      const other = hasSpaceAround(hex ?? '') ? 'its value has white space around it' : 'its value is something else';
      const got = isUnset ? 'it is not set' : other;
      throw new GazetteError(
        'invalid_receipt_key',
        `${RECEIPT_KEY_VARIABLE} must be 32 bytes as 64 hexadecimal characters, and ${got}: receipts for purchases are made ` +
          'with it. Make one with `openssl rand -hex 32`, keep it where passwords are kept, and set it for every process of this service',
      );
    }
    const [first = '', ...others] = hex.toLowerCase().split(',');
    return new Receipts([keyFrom(first), ...others.map(keyFrom)]);
  }

  /** The receipt that opens an item for its payer. It says neither price nor time and is always the same. @internal */
  issue({ payer, item }: ReceiptClaims): string {
    const body = Buffer.from(JSON.stringify([payer, item.recordId, item.contentVersion]));
    return RECEIPT_PREFIX + Buffer.concat([body, macOf(this.#keys[0], body)]).toString('base64url');
  }

  /**
   * What a receipt opens. It may have been refunded since: ask the ledger for the purchase.
   *
   * @throws GazetteError `invalid_receipt` for one that was not made with one of the keys
   * @internal
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

  /** The first 16 bytes of an HMAC in hex, for values that this service gives away and wants back unchanged. @internal */
  tag(purpose: string, text: string): string {
    return createHmac('sha256', this.#keys[0]).update(`${purpose}\n${text}`).digest('hex').slice(0, 32);
  }
}

function keyFrom(hex: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', Buffer.from(hex, 'hex'), '', 'gazette receipt', 32)));
}

function macOf(key: KeyObject, body: Uint8Array): Buffer {
  return createHmac('sha256', key).update('receipt\n').update(body).digest();
}
