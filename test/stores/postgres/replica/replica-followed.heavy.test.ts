// Those who follow a register through nodes that read from a replica: whichever node they ask, and however far the replica is
// behind, a stream has every change once and in order, and a mirror is a beginning of the log.
import fc, { type WeightedArbitrary } from 'fast-check';
import { expect, it } from 'vitest';
import { mirrorRegister } from '../../../../src/mirror/mirror.ts';
import type { StreamMessage } from '../../../../src/register/record.ts';
import type { RegisterStore } from '../../../../src/stores/contract/registers.ts';
import { SqliteStore } from '../../../../src/stores/sqlite/store.ts';
import { allChanges } from '../../../contracts/all-changes.ts';
import { served } from '../../../contracts/mirror-contract.ts';
import { permits } from '../../../contracts/store-register.ts';
import { tries } from '../../../effort.ts';
import { letPass } from '../../../until.ts';
import { type Change, History } from './history.ts';
import { openNodes, replicated } from './replicated.ts';
import { changes, type Lag, lags, NODES } from './steps.ts';

const FEED = 'https://registers.example.org/api/v1/feeds/permits';

const servers = replicated();

/** A node is asked by somebody who follows the register. */
interface Follow {
  readonly do: 'stream' | 'wait for more' | 'mirror';
  readonly node: number;
}

const follows: WeightedArbitrary<Follow> = {
  weight: 6,
  arbitrary: fc.record({
    do: fc.constantFrom('stream', 'wait for more', 'mirror'),
    node: fc.nat({ max: NODES - 1 }),
  }),
};
const steps = fc.array(fc.oneof<WeightedArbitrary<Change | Lag | Follow>[]>(...changes, ...lags, follows), {
  minLength: 8,
  maxLength: 40,
});

let schemas = 0;

/** The log of a register, without its content, which may be erased later. */
async function logOf(store: Pick<RegisterStore, 'changes'>): Promise<readonly object[]> {
  const all = await allChanges(store);
  return all.map(({ change, version, record_id: id }) => ({ change, version, id }));
}

it('streams each change once, and is mirrored, while the replica lags at random', async () => {
  const { pool, pause, resume, caughtUp } = servers();
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      await resume();
      const schema = `followed_${++schemas}`;
      const { writer, nodes } = await openNodes(servers(), schema);
      const history = new History(nodes);
      await history.begin(writer, { ...permits(), access: 'open' });
      await caughtUp();
      const asked = nodes.map(served);
      const mirror = SqliteStore.open(':memory:');
      const got: StreamMessage[] = [];
      let offset = '-1';
      const read = async (at: number, live = ''): Promise<readonly StreamMessage[]> => {
        const response = await asked[at]!(`${FEED}/stream?offset=${offset}${live}`);
        expect(response.status).toBe(200);
        const messages = (await response.json()) as StreamMessage[];
        got.push(...messages);
        offset = response.headers.get('stream-next-offset')!;
        return messages;
      };
      /** Whoever has not all that was committed gets more, and does not wait in vain. */
      const readOn = async (at: number): Promise<void> => {
        if (got.length < history.last.change) expect(await read(at, '&live=long-poll')).not.toEqual([]);
      };
      const mirrorOnce = (at: number): Promise<unknown> =>
        mirrorRegister(mirror, FEED, { once: true, attempts: 1, fetch: asked[at]! });
      const later: Promise<void>[] = [];
      for (const step of all) {
        if (step.do === 'pause') await pause();
        else if (step.do === 'resume') later.push(letPass(step.after, 'the lag of the replica').then(resume));
        else if (step.do === 'wait') await letPass(step.for, 'readers come at any time');
        else if ('name' in step) await history.change(writer, step);
        else if (step.do === 'stream') await read(step.node);
        else if (step.do === 'mirror') {
          await mirrorOnce(step.node);
          const mirrored = await logOf(mirror);
          expect(mirrored).toEqual((await logOf(writer)).slice(0, mirrored.length));
        } else await readOn(step.node);
      }
      const last = history.last.change;
      while (got.length < last) await readOn(last % NODES);
      const log = await logOf(writer);
      expect(got.map(({ change, version, record_id: id }) => ({ change, version, id }))).toEqual(log);
      await Promise.all(later);
      await mirrorOnce(0);
      expect(await logOf(mirror)).toEqual(log);
      await mirror.close();
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    }),
    { numRuns: tries(4, 400) },
  );
  await resume();
});
