// A signer whose every checkpoint is checked as soon as it is stored: it must have its versions, and begin with all that the
// ones before had. Somebody who only reads does this.
import { expect } from 'vitest';
import { readLogKeys } from '../../../../src/wings/proofs/operate/log-key.ts';
import { LogSigner } from '../../../../src/wings/proofs/operate/signer.ts';
import { readHashes, readRoot } from '../../../../src/wings/proofs/stores/tree-reader.ts';
import {
  consistencyRanges,
  isConsistent,
  leafHash,
  openCheckpoint,
  parseVerifierKey,
  type TreeHead,
} from '../../../../src/wings/proofs/tlog/index.ts';
import { sameHash } from '../../../../src/wings/proofs/tlog/hashes.ts';
import type { SignedHead } from '../../../../src/wings/proofs/operate/state.ts';
import type { LogStore } from '../../../../src/wings/proofs/stores/contract/logs.ts';
import { hex, naiveRoot } from '../tlog/naive-tree.ts';

/** What was seen of the log of one register, over as many signers and stores as there are. */
export interface Watched {
  readonly feedId: string;
  /** The checkpoints, in the order in which they were stored. */
  readonly seen: TreeHead[];
  /** What is kept outside the store. */
  readonly state: Map<string, SignedHead>;
  readonly errors: string[];
}

/** Nothing was seen yet. */
export function watch(feedId: string): Watched {
  return { feedId, seen: [], state: new Map(), errors: [] };
}

/** A signer that looks all the time, once it is started. */
export function watchedSigner(logs: LogStore, watched: Watched): LogSigner {
  const { feedId, state, errors } = watched;
  const checked: LogStore = {
    ...logs,
    async publish(id, checkpoint) {
      const isStored = await logs.publish(id, checkpoint);
      if (isStored && id === feedId) await look(logs, watched);
      return isStored;
    },
  };
  return new LogSigner(checked, {
    keys: readLogKeys('07'.repeat(32)),
    place: 'registers.example',
    state: {
      last: (uuid) => state.get(uuid) ?? null,
      remember: (uuid, head) => Promise.resolve(void state.set(uuid, head)),
    },
    onError: (error) => void errors.push(String(error)),
    intervalMs: 1,
  });
}

async function look(logs: LogStore, { feedId, seen, errors }: Watched): Promise<void> {
  const { checkpoint, origin, vkey, size } = await logs.of(feedId);
  const now = openCheckpoint(checkpoint!, origin!, [parseVerifierKey(vkey!)]);
  const before = seen.at(-1);
  seen.push(now);
  const root = await readRoot(logs, feedId, now.size);
  if (size < now.size || root === null || !sameHash(root, now.root)) errors.push(`${now.size} without its versions`);
  if (before === undefined) return;
  if (now.size < before.size) errors.push(`${now.size} after ${before.size}`);
  else {
    const ranges = before.size === 0 || before.size === now.size ? [] : consistencyRanges(before.size, now.size);
    const proof = await readHashes(logs, feedId, ranges, now.size);
    if (!isConsistent(before, now, proof!)) errors.push(`${now.size} is not consistent with ${before.size}`);
  }
}

/** Signs what is left, and makes the tree again from all versions. */
export async function expectSigned(logs: LogStore, watched: Watched): Promise<void> {
  const { feedId, seen, errors } = watched;
  await watchedSigner(logs, watched).signAll();
  const entries: Uint8Array[] = [];
  for (let more = true; more;) {
    const read = await logs.entries(feedId, entries.length, 256);
    entries.push(...read);
    more = read.length === 256;
  }
  const { size, root } = seen.at(-1)!;
  expect(size).toBe(entries.length);
  expect(hex([root])).toEqual(hex([naiveRoot(entries.map(leafHash))]));
  expect(errors).toEqual([]);
}
