// Signs the logs of a store, as a service does.
import { randomUUID } from 'node:crypto';
import type { ServiceStore } from '../../../src/stores/contract/accounts.ts';
import { formatCheckpoint } from '../../../src/wings/proofs/tlog/checkpoint.ts';
import { hashesOf, tilesOf, type TreeHead } from '../../../src/wings/proofs/tlog/index.ts';
import { formatVerifierKey, type SignerKey, signerOf } from '../../../src/wings/proofs/tlog/keys.ts';
import { formatNote, parseNote, signText } from '../../../src/wings/proofs/tlog/note.ts';
import { logsOf } from './logs-of.ts';

/** The seed of the key of its logs. */
export const LOG_SEED: Uint8Array = Buffer.alloc(32, 7);

/** Signs the log of a register, as it is. */
export async function sign(store: Pick<ServiceStore, 'part'>, feedId: string | null): Promise<void> {
  const logs = logsOf(store);
  const log = feedId === null ? await logs.ofLogs() : await logs.of(feedId);
  const { uuid, size, checkpoint: before } = log;
  const origin =
    log.origin ?? `registers.example.org/api/v1/${feedId === null ? '' : `feeds/${feedId}/`}log/${randomUUID()}`;
  const ranges = [{ from: 0, to: size }];
  const tiles = tilesOf(ranges, size);
  const held = await logs.tiles(feedId, tiles);
  const [root] = hashesOf(ranges, size, (tile) => {
    return held[tiles.findIndex(({ level, index }) => level === tile.level && index === tile.index)]!;
  });
  await logs.publish(feedId, { uuid, origin, before, ...signedHead(origin, { size, root: root! }) });
}

/** Signs the log of logs as it is, with all checkpoints in it. */
export async function signLogOfLogs(store: Pick<ServiceStore, 'part'>): Promise<void> {
  while ((await logsOf(store).gather()) > 0);
  await sign(store, null);
}

/** Adds the signature of a witness to the checkpoint of the log of logs. @param atMs when it was made, in milliseconds since 1970 */
export async function cosignLogOfLogs(
  store: Pick<ServiceStore, 'part'>,
  witness: SignerKey,
  atMs: number,
): Promise<void> {
  const logs = logsOf(store);
  const { uuid, origin, vkey, checkpoint: before } = await logs.ofLogs();
  const { text, signatures } = parseNote(before!);
  const checkpoint = formatNote({ text, signatures: [...signatures, signText(text, witness, atMs / 1000)] });
  await logs.publish(null, { uuid, origin: origin!, vkey: vkey!, before, checkpoint });
}

/** The checkpoint of a log, and the key that checks it. */
export function signedHead(origin: string, head: TreeHead): { readonly checkpoint: string; readonly vkey: string } {
  const key = signerOf(origin, 'log', LOG_SEED);
  const text = formatCheckpoint({ origin, ...head });
  return { checkpoint: formatNote({ text, signatures: [signText(text, key, 0)] }), vkey: formatVerifierKey(key) };
}

/** What logs have in a store that holds a row of every kind. */
export async function fillLogs(store: ServiceStore): Promise<void> {
  await sign(store, 'permits');
  await signLogOfLogs(store);
}
