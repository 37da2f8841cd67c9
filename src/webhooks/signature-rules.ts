// The rules for the content of a signature and for when it is refused (specification 6, "Signature"), without any
// computing of digests. Web-standard globals only.
import { hasSpaceAround } from '../checks.ts';
import { GazetteError, quote } from '../errors.ts';

/** The header that carries the signature. */
export const SIGNATURE_HEADER = 'X-Register-Signature';

/**
 * How far a signature's time may differ from the receiver's clock, in seconds, in either direction (specification 6 and
 * 8).
 */
export const TOLERANCE_SECONDS = 300;

// Only digits: Number() would also accept '', ' 1', '0x10' and '1e3'.
const DECIMAL = /^[0-9]+$/;

// Decoders of hex differ in what else they accept: some stop at the first other character, some accept capitals.
const DIGEST = /^[0-9a-f]{64}$/;

/** When a delivery is refused as too old or too new. */
export interface VerifyOptions {
  /** How far a signature's time may be from the present, in seconds, in either direction. Default 300. */
  readonly toleranceSeconds?: number;
  /** Milliseconds since 1970. Default: the machine's clock. */
  readonly now?: () => number;
}

/** Options for checking a signature. */
export interface SignatureCheck extends VerifyOptions {
  /** The secret, or during a rotation all that may have signed. */
  readonly secret: string | readonly string[];
}

/** The content of a signature header. */
interface SignatureHeader {
  /** The text as written: the digest covers these characters. */
  readonly timestamp: string;
  readonly digests: readonly string[];
}

/** A signature whose form and time are valid. The caller must compute whether a digest matches. */
export interface SignatureClaim extends SignatureHeader {
  readonly secrets: readonly string[];
}

/**
 * Reads a signature header and checks its time.
 *
 * @param header the value of `X-Register-Signature`; null when there is none
 * @throws GazetteError `invalid_signature` with `details.reason` (`missing`, `malformed`, `timestamp`, `digest`),
 *   `signature_expired`; `invalid_option` for a secret or a tolerance that could not protect anything.
 */
export function readSignature(header: string | null, check: SignatureCheck): SignatureClaim {
  const secrets = checkSecrets(check.secret);
  const { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now } = check;
  const tolerance = checkTolerance(toleranceSeconds);
  const { timestamp, digests } = parseSignature(header);
  // In milliseconds, not rounded: 300.001 seconds are more than 300, in the past and in the future.
  const distanceMs = Math.abs(now() - Number(timestamp) * 1000);
  // Compared this way round, so that a clock that returns NaN leads to a refusal.
  if (!(distanceMs <= tolerance * 1000)) {
    throw new GazetteError(
      'signature_expired',
      `the signature must be at most ${tolerance} seconds from the present, got ${distanceMs / 1000}`,
    );
  }
  return { timestamp, digests, secrets };
}

/** The error for a signature without a matching digest. */
export function signatureMismatch(): GazetteError {
  return refusal('mismatch', 'no digest in the header is that of the body under the secret');
}

/**
 * Reads the header: `t` once, `v1` at least once (twice while a secret is rotated), other schemes are ignored, no
 * spaces.
 *
 * @throws GazetteError `invalid_signature`
 */
function parseSignature(header: string | null): SignatureHeader {
  if (header === null || header === '') throw refusal('missing', `the header ${SIGNATURE_HEADER} is missing`);
  const timestamps: string[] = [];
  const digests: string[] = [];
  for (const element of header.split(',')) {
    const [, name, value] = /^([a-z0-9]+)=(.*)$/s.exec(element) ?? [];
    if (name === undefined) {
      throw refusal('malformed', `${SIGNATURE_HEADER} must be t=<seconds>,v1=<hex>, got ${quote(element)} in it`);
    }
    if (name === 't') timestamps.push(value!);
    if (name === 'v1') digests.push(value!);
  }
  const [timestamp] = timestamps;
  if (timestamp === undefined || timestamps.length > 1) {
    throw refusal('malformed', `${SIGNATURE_HEADER} must have one t, got ${timestamps.length}`);
  }
  if (!DECIMAL.test(timestamp) || !Number.isFinite(Number(timestamp))) {
    throw refusal('timestamp', `t must be a finite decimal number, got ${quote(timestamp)}`);
  }
  if (digests.length === 0) throw refusal('malformed', `${SIGNATURE_HEADER} must have a v1`);
  for (const hex of digests) {
    if (!DIGEST.test(hex)) throw refusal('digest', `v1 must be 64 lowercase hexadecimal characters, got ${quote(hex)}`);
  }
  return { timestamp, digests };
}

/**
 * The secrets as a list. An empty secret, for example from an empty variable, is refused: anybody can sign with it. So is
 * one with white space around it, as a file that is read ends with a newline: no signature would ever match.
 *
 * @throws GazetteError `invalid_option`
 */
export function checkSecrets(secret: string | readonly string[]): readonly string[] {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  if (secrets.length === 0 || secrets.some((one) => typeof one !== 'string' || one === '')) {
    throw new GazetteError('invalid_option', 'secret must be a text that is not empty, or several', {
      details: { option: 'secret' },
    });
  }
  const list = secrets as readonly string[];
  if (!list.some(hasSpaceAround)) return list;
  throw new GazetteError(
    'invalid_option',
    'secret must have no white space around it, and it has: a file that is read ends with a newline; remove it, with trim() for example',
    { details: { option: 'secret' } },
  );
}

function checkTolerance(seconds: unknown): number {
  if (typeof seconds !== 'number' || !Number.isFinite(seconds) || seconds < 0) {
    throw new GazetteError('invalid_option', `toleranceSeconds must be a finite number from 0, got ${quote(seconds)}`, {
      details: { option: 'toleranceSeconds' },
    });
  }
  return seconds;
}

function refusal(reason: string, message: string): GazetteError {
  return new GazetteError('invalid_signature', message, { details: { reason } });
}
