// Whatever is asked of a witness, in whatever order, and however often it is killed: what it signs of a log is one history.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openCheckpoint, type TreeHead } from '../../../../src/wings/proofs/tlog/index.ts';
import { signerOf } from '../../../../src/wings/proofs/tlog/keys.ts';
import { originHash } from '../../../../src/wings/proofs/tlog/checkpoint.ts';
import { WitnessState } from './state.ts';
import { trustedLogs, Witness } from './witness.ts';
import { hex } from '../tlog/naive-tree.ts';
import { tries } from '../../../effort.ts';
import { KnownLog } from './known-log.ts';

const KEY = signerOf('witness.example/w1', 'witness', Buffer.alloc(32, 9));

/** The longest history. */
const LONGEST = 40;

/** Histories of one log, which part at these sizes from the first of them. */
function forksAt(sizes: readonly number[]): readonly KnownLog[] {
  const whole = new KnownLog().grow(LONGEST);
  return [whole, ...sizes.map((size, at) => new KnownLog().grow(size).grow(LONGEST - size, `fork ${at}`))];
}

const BRANCHES = forksAt([0, 1, 7, 8, 20]);

function sameRoot(a: TreeHead, b: TreeHead): boolean {
  return Buffer.compare(a.root, b.root) === 0;
}

const branch = fc.nat(BRANCHES.length - 1);
const size = fc.nat(LONGEST);
/** Five times of six null. */
function rarely<T>(one: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: one });
}

/** What is asked: of which history, from what size, to what size, with which proof. Most ask as logs do. */
const asked = fc.record({
  // Null: one that begins with what was signed.
  branch: rarely(branch),
  // Null: what was signed last.
  before: rarely(size),
  // Null: some more than that.
  size: rarely(size),
  growth: fc.nat(6),
  // Null: the one that proves it.
  proofOf: rarely(fc.record({ branch, size })),
  ending: fc.constantFrom('answered', 'answered', 'answered', 'killed before', 'killed behind'),
});

const KILLED = new Error('killed');

it('signs one history of a log', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gazette-'));
  let runs = 0;
  let signedInAll = 0;
  fc.assert(
    fc.property(fc.array(asked, { minLength: 1, maxLength: 25 }), (requests) => {
      const path = join(folder, `${runs++}.db`);
      let state = WitnessState.open(path);
      /** What the witness has signed, whether or not anybody got it. */
      let head: TreeHead = BRANCHES[0]!.head(0);
      const seen: TreeHead[] = [];
      for (const { proofOf, ending, growth, ...asks } of requests) {
        const same = BRANCHES.findIndex((log) => sameRoot(log.head(head.size), head));
        const log = BRANCHES[asks.branch ?? same]!;
        const from = asks.before ?? head.size;
        const size = asks.size ?? Math.min(head.size + growth, LONGEST);
        const asking = from > size ? log.request(0, size).replace('old 0', `old ${from}`) : log.request(from, size);
        const other =
          proofOf === null || proofOf.size < from ? null : BRANCHES[proofOf.branch]!.request(from, proofOf.size);
        const body =
          other === null ? asking : `${other.split('\n\n')[0]}\n\n${asking.slice(asking.indexOf('\n\n') + 2)}`;
        const isSame = other === null || other.split('\n\n')[0] === asking.split('\n\n')[0];
        const advance = state.advance.bind(state);
        const ours = Object.assign(Object.create(state) as WitnessState, {
          last: state.last.bind(state),
          advance(...[origin, sign]: Parameters<typeof advance>) {
            if (ending === 'killed before')
              advance(origin, (last) => {
                sign(last);
                throw KILLED;
              });
            advance(origin, sign);
            if (ending === 'killed behind') throw KILLED;
          },
        });
        const witness = new Witness({
          key: KEY,
          logs: trustedLogs([log.key]),
          state: ours,
          now: () => 1_800_000_000_000,
        });
        let status = 0;
        try {
          const answer = witness.add(body);
          status = answer.status;
          if (status === 409) expect(answer.body).toBe(`${head.size}\n`);
        } catch (error) {
          if (error !== KILLED) throw error;
          state.close();
          state = WitnessState.open(path);
        }
        const note = state.last(originHash(log.key.name))?.checkpoint ?? null;
        const now = note === null ? BRANCHES[0]!.head(0) : openCheckpoint(note, log.key.name, [log.key, KEY]);
        // It moves on to what was asked, or not at all; and never without a reason.
        const begins = sameRoot(log.head(head.size), head);
        const isDue = from === head.size && size >= from && begins && isSame && ending !== 'killed before';
        expect(hex([now.root])).toEqual(hex([isDue ? log.head(size).root : head.root]));
        if (status !== 0) expect(status === 200).toBe(isDue);
        head = { size: now.size, root: now.root };
        if (isDue) seen.push(head);
      }
      state.close();
      signedInAll += seen.length;
      // All of it is one of the histories.
      const last = seen.at(-1);
      const whole = BRANCHES.find(
        (log) => last === undefined || hex([log.head(last.size).root])[0] === hex([last.root])[0],
      )!;
      for (const { size, root } of seen) expect(hex([root])).toEqual(hex([whole.head(size).root]));
    }),
    { numRuns: tries(50) },
  );
  rmSync(folder, { recursive: true });
  expect(signedInAll).toBeGreaterThan(runs);
});
