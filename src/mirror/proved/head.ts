// The signed size and root of a register's log over HTTP, compared with the ones seen before, and the hashes by which content is
// compared with it: the roots of its full tiles, and the hashes of its last one.
import { type Requester, where } from '../../client/requester.ts';
import { GazetteError } from '../../errors.ts';
import { openCheckpoint } from '../../proofs/checkpoint.ts';
import { EMPTY_ROOT, foldRoots, HASH_LENGTH, rootOf, sameHash } from '../../proofs/hashes.ts';
import type { VerifierKey } from '../../proofs/keys.ts';
import { tilePath, TILE_WIDTH, tileWidth } from '../../proofs/tiles.ts';
import type { TreeHead } from '../../proofs/verification.ts';

/** A log as it is signed now. */
export interface LogHead extends TreeHead {
  /** The signed checkpoint. */
  readonly checkpoint: string;
  /** The roots of the full tiles of entries, one after the other. */
  readonly roots: Uint8Array;
  /** The hashes of the entries behind them. */
  readonly rest: Uint8Array;
}

/** A log over HTTP, and what is trusted of it. */
export interface WatchedLog {
  readonly url: URL;
  readonly requester: Requester;
  readonly key: VerifierKey;
  /** A checkpoint seen before; null: none. */
  readonly kept: string | null;
}

/** The last part of the name of a register's log. @throws GazetteError `invalid_option` */
export function logUuid({ name }: VerifierKey): string {
  const uuid = /\/log\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(name)?.[1];
  if (uuid !== undefined) return uuid;
  throw new GazetteError('invalid_option', 'vkey must be the key of a register’s log', { details: { option: 'vkey' } });
}

/** The log of a register that a service has. @param feed the register's address @throws GazetteError `invalid_option` */
export function watchedLog(feed: URL, key: VerifierKey, requester: Requester, kept: string | null): WatchedLog {
  return { url: new URL(`${feed.href}/log/${logUuid(key)}`), requester, key, kept };
}

/** @throws GazetteError `invalid_option` for a kept checkpoint of something else */
export function keptHead({ kept, key }: Pick<WatchedLog, 'kept' | 'key'>): TreeHead | null {
  if (kept === null) return null;
  try {
    return openCheckpoint(kept, key.name, [key]);
  } catch (cause) {
    throw new GazetteError('invalid_option', 'the checkpoint that was kept must be signed by the same key', {
      ...{ cause, details: { option: 'kept' } },
    });
  }
}

/**
 * Reads the head of a log.
 *
 * @throws GazetteError `invalid_proof`, `log_forked` when it does not begin with what it had before, and the errors of requests
 */
export async function readHead(log: WatchedLog): Promise<LogHead> {
  const before = keptHead(log);
  const url = new URL(`${log.url.href}/checkpoint`);
  const checkpoint = new TextDecoder().decode((await log.requester.get(url, 'text/plain')).body);
  const { size, root } = openCheckpoint(checkpoint, log.key.name, [log.key]);
  const forked = (how: string): GazetteError => {
    const message = `the log ${log.key.name} ${how}: keep both checkpoints, they prove it`;
    return new GazetteError('log_forked', message, { details: { kept: log.kept, served: checkpoint } });
  };
  if (before !== null && size < before.size) throw forked(`had ${before.size} changes, and shows ${size} now`);
  if (before?.size === size && !sameHash(before.root, root)) throw forked(`had ${size} other changes`);
  const full = Math.floor(size / TILE_WIDTH);
  const roots = Buffer.alloc(full * HASH_LENGTH);
  for (let index = 0; index * TILE_WIDTH < full; index++) {
    roots.set(await readTile(log, 1, index, size), index * TILE_WIDTH * HASH_LENGTH);
  }
  const rest = full * TILE_WIDTH === size ? new Uint8Array() : await readTile(log, 0, full, size);
  const head = { size, root, checkpoint, roots, rest };
  if (!sameHash(rootAt(roots, rest), root)) {
    throw new GazetteError('invalid_proof', `the tiles below ${where(log.url)} must have the root that is signed`);
  }
  if (before !== null && !sameHash(await rootBefore(log, head, before.size), before.root)) {
    throw forked(`of ${size} changes does not begin with the ${before.size} that it had`);
  }
  return head;
}

/** The hashes of the first entries of the tile that a place is in, up to the place. */
export async function hashesBefore(log: WatchedLog, head: LogHead, place: number): Promise<Uint8Array> {
  const index = Math.floor(place / TILE_WIDTH);
  const count = place % TILE_WIDTH;
  if (count === 0) return new Uint8Array();
  if (index * HASH_LENGTH >= head.roots.length) return head.rest.subarray(0, count * HASH_LENGTH);
  const hashes = await readTile(log, 0, index, head.size);
  if (!sameHash(rootOf(hashes), hashAt(head.roots, index))) {
    throw new GazetteError('invalid_proof', `tile ${index} below ${where(log.url)} must be that of the signed root`);
  }
  return hashes.subarray(0, count * HASH_LENGTH);
}

/** One of hashes that lie one after the other. */
export function hashAt(hashes: Uint8Array, index: number): Uint8Array {
  return hashes.subarray(index * HASH_LENGTH, (index + 1) * HASH_LENGTH);
}

async function rootBefore(log: WatchedLog, head: LogHead, size: number): Promise<Uint8Array> {
  const full = Math.floor(size / TILE_WIDTH);
  return rootAt(head.roots.subarray(0, full * HASH_LENGTH), await hashesBefore(log, head, size));
}

/** The root over full tiles, and what is behind them. */
function rootAt(roots: Uint8Array, rest: Uint8Array): Uint8Array {
  const subtrees = [...perfect(roots), ...perfect(rest)];
  return subtrees.length === 0 ? EMPTY_ROOT : foldRoots(subtrees);
}

/** The roots over hashes that lie one after the other, each over as many as it can, the largest first. */
function perfect(hashes: Uint8Array): Uint8Array[] {
  const count = hashes.length / HASH_LENGTH;
  const found: Uint8Array[] = [];
  for (let from = 0; from < count;) {
    const width = 2 ** Math.floor(Math.log2(count - from));
    found.push(rootOf(hashes.subarray(from * HASH_LENGTH, (from + width) * HASH_LENGTH)));
    from += width;
  }
  return found;
}

async function readTile(log: WatchedLog, level: number, index: number, size: number): Promise<Uint8Array> {
  const width = tileWidth(size, level, index);
  const url = new URL(`${log.url.href}/${tilePath({ level, index, width })}`);
  const { body } = await log.requester.get(url, 'application/octet-stream');
  if (body.length === width * HASH_LENGTH) return body;
  throw new GazetteError('invalid_proof', `${where(url)} must answer ${width} hashes of ${HASH_LENGTH} bytes`);
}
