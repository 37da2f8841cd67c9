// What a version commits to: HMAC-SHA-256, keyed with a salt of the version's own, over the canonical JSON (RFC 8785) of
// what the publisher stated and of where it stands. Who has the salt can check a statement; once the salt is erased, the
// commitment confirms no guess.
import { hash, randomBytes } from 'node:crypto';
import { asNumber, asText, type Shape, shape } from './sql.ts';

/** The length of a salt and of a commitment, in bytes. */
const LENGTH = 32;

/** A log of a register. A register whose log begins anew has several, numbered upwards. */
export interface LogRow {
  /** Its number in the store; never reused. */
  readonly number: number;
  /** Its name, for ever. */
  readonly uuid: string;
}

/** A log's columns. */
export const LOG: Shape<LogRow> = shape(['number', 'uuid'], ([number, uuid]) => ({
  number: asNumber(number),
  uuid: asText(uuid),
}));

/** What a version stores of its commitment. */
export interface Commitment {
  /** 32 random bytes. */
  readonly salt: Uint8Array;
  /** See {@link commitmentOf}. */
  readonly commitment: Uint8Array;
  /** The number of the log that the version was first written to. */
  readonly log: number;
}

/**
 * The commitment of a version.
 *
 * @param version its record, its number, and the UUID of the log that it was first written to
 * @param statement the text of `canonicalStatement()`; null in a withdrawal or a redaction
 */
export function commitmentOf(
  salt: Uint8Array,
  { id, log, version }: { readonly id: string; readonly log: string; readonly version: number },
  statement: string | null,
): Buffer {
  return Buffer.from(hmac(salt, committedText(id, log, version, statement)), 'latin1');
}

function committedText(id: string, log: string, version: number, statement: string | null): string {
  // canonicalJson() of these members, written out in their order.
  return `{"id":${JSON.stringify(id)},"log":"${log}","statement":${statement ?? 'null'},"v":1,"version":${version}}`;
}

/** The logs of one register. */
export class RegisterLogs {
  readonly #uuids: ReadonlyMap<number, string>;
  /** The log that new versions are written to. */
  readonly current: LogRow;

  /** @param logs in the order of their numbers, at least one */
  constructor(logs: readonly LogRow[]) {
    this.#uuids = new Map(logs.map(({ number, uuid }) => [number, uuid]));
    this.current = logs.at(-1)!;
  }

  /** The UUID of a log by its number. */
  uuidOf(log: number): string {
    return this.#uuids.get(log) ?? '';
  }

  /** Whether a version has this statement: its commitment is made again with its salt. */
  confirm(kept: Commitment, id: string, version: number, statement: string): boolean {
    return commitmentOf(kept.salt, { id, log: this.uuidOf(kept.log), version }, statement).equals(kept.commitment);
  }
}

/** Salts and commitments of versions, one after the other. */
export interface CommitmentBytes {
  readonly salts: Uint8Array;
  readonly commitments: Uint8Array;
}

/** What one version has in {@link CommitmentBytes}, as an expression of SQL. @param place its own, counted from 0 */
export function bytesAt(all: string, place: string): string {
  return `substr(${all}, (${place}) * ${LENGTH} + 1, ${LENGTH})`;
}

/** Makes the commitments of new versions. The salts of all are drawn at once, which costs a tenth of one by one. */
export class Committer {
  /** The number of the log that the versions are written to. */
  readonly log: number;
  readonly #uuid: string;
  readonly #salts: Buffer;
  readonly #commitments: Buffer;
  #taken = 0;

  /** @param count the number of versions */
  constructor(log: LogRow, count: number) {
    this.log = log.number;
    this.#uuid = log.uuid;
    this.#salts = randomBytes(count * LENGTH);
    this.#commitments = Buffer.allocUnsafe(count * LENGTH);
  }

  /** The next version's commitment. @param statement as in {@link commitmentOf} */
  commit(id: string, version: number, statement: string | null): Commitment {
    this.add(id, version, statement);
    const { salts: salt, commitments: commitment } = this.last(1);
    return { salt, commitment, log: this.log };
  }

  /** Makes the next version's commitment, for {@link last}. @param statement as in {@link commitmentOf} */
  add(id: string, version: number, statement: string | null): void {
    const at = this.#taken++;
    const salt = this.#salts.subarray(at * LENGTH, (at + 1) * LENGTH);
    const digest = hmac(salt, committedText(id, this.#uuid, version, statement));
    this.#commitments.write(digest, at * LENGTH, 'latin1');
  }

  /** Those of the last versions. */
  last(count: number): CommitmentBytes {
    const [from, to] = [this.#taken - count, this.#taken];
    return {
      salts: this.#salts.subarray(from * LENGTH, to * LENGTH),
      commitments: this.#commitments.subarray(from * LENGTH, to * LENGTH),
    };
  }
}

/** The block length of SHA-256, in bytes. */
const BLOCK_LENGTH = 64;

/** The longest text that needs no memory of its own, in UTF-16 units. */
const SHORT_LENGTH = 8192;

const INNER = Buffer.alloc(BLOCK_LENGTH + 3 * SHORT_LENGTH);
const OUTER = Buffer.alloc(BLOCK_LENGTH + LENGTH);

/**
 * HMAC-SHA-256 (RFC 2104) of a text's UTF-8 with a key of 32 bytes: createHmac() takes six times as long, and digests
 * as new buffers twice as long.
 *
 * @returns one character for each byte
 */
export function hmac(key: Uint8Array, text: string): string {
  const inner = text.length <= SHORT_LENGTH ? INNER : Buffer.allocUnsafe(BLOCK_LENGTH + 3 * text.length);
  inner.fill(0x36, LENGTH, BLOCK_LENGTH);
  OUTER.fill(0x5c, LENGTH, BLOCK_LENGTH);
  for (let at = 0; at < LENGTH; at++) {
    inner[at] = key[at]! ^ 0x36;
    OUTER[at] = key[at]! ^ 0x5c;
  }
  const length = BLOCK_LENGTH + inner.write(text, BLOCK_LENGTH);
  OUTER.write(hash('sha256', inner.subarray(0, length), 'binary'), BLOCK_LENGTH, 'latin1');
  return hash('sha256', OUTER, 'binary');
}
