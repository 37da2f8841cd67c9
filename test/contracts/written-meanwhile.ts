// A store that is inspected while others write to it: every part of an inspection is one state of the store, and between
// two parts anything may happen. What was true all the time must not be found wrong.
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import type { InspectedStore } from '../../src/stores/contract/inspection.ts';
import { eventNameOf } from '../../src/webhooks/send/record-event.ts';
import { tried, tries } from '../effort.ts';
import { keyOfAccount } from './accounts.ts';
import { fillStore } from './full-store.ts';
import { at, permits, say } from './store-register.ts';

/** Something that a service or an operator does. `n` rises by one each time. */
type Act = (store: InspectedStore, n: number) => Promise<unknown>;

/** More than an inspection reads at once. */
const MANY = 300;

const recordOf = (n: number): string => `m${n % 7}`;

const ACTS: readonly Act[] = [
  (store, n) => {
    const batch = [say(`new${n}`), say(recordOf(n), { title: `Title ${n}` }), say(recordOf(n + 1), { author: `${n}` })];
    return store.apply('permits', batch, { recordedAt: at(50) });
  },
  (store, n) => store.withdraw('permits', [`permits:${recordOf(n)}`], { recordedAt: at(50) }),
  (store, n) => store.redact(`permits:${recordOf(n)}`, { recordedAt: at(50) }),
  (store, n) => store.lift(`permits:${recordOf(n)}`),
  async (store, n) => {
    await store.removeRegister('other');
    await store.createRegister(permits('other'));
    await store.apply('other', [say(`x${n}`, {}, 'other')], { recordedAt: at(50) });
  },
  (store, n) => store.updateRegister({ ...permits(), description: `No. ${n}` }, { recordedAt: at(50) }),
  ({ deliveries }) => deliveries.fanOut({ at: at(50), baseUrl: 'https://r.example.org', toEvent: eventNameOf }),
  async ({ deliveries }, n) => {
    const room = { room: new Map(), accountRoom: new Map() };
    const claim = { now: at(60), lease: `l${n}`, until: at(61), limit: 5, limitPerEndpoint: 5, ...room };
    const attempt = { at: at(60), durationMs: 1, status: 204, error: null, response: null };
    const outcomes = (await deliveries.claim(claim)).map(({ id }) => {
      return { id, lease: `l${n}`, state: 'acknowledged', reason: null, attempt, nextAttemptAt: null, isGone: false };
    });
    await deliveries.settle(outcomes as Parameters<typeof deliveries.settle>[0], { at: at(60), failingBefore: at(0) });
  },
  async ({ deliveries }, n) => {
    const all = { feeds: null, types: null, filter: null, createdAt: at(50), secret: Uint8Array.from([1]) };
    await deliveries.createEndpoint({ id: `ep_${n}`, accountId: 'demo', url: 'https://8.8.8.8/c', ...all });
    await deliveries.prune({ before: at(70) });
    const [first] = await deliveries.endpoints('demo');
    await deliveries.removeEndpoint(first!.id, { at: at(50) });
  },
  async ({ accounts }, n) => {
    await accounts.createKey({ ...keyOfAccount('demo', `key ${n}`), createdAt: at(50) });
    await accounts.updateAccount('idle', { isSuspended: n % 2 === 0 });
  },
  async ({ imports }, n) => {
    const begun = { file: `${n}.csv`, cause: 'source_change', who: null, begunAt: at(50) } as const;
    const { number } = await imports.begin('permits', begun, { key: randomBytes(32) });
    const counts = { added: 1, changed: 0, unchanged: 0, restored: 0, redacted: 0, withdrawn: 0, refused: 0 };
    await imports.end(number, { counts, endedAt: at(51), error: null, digest: randomBytes(32) });
  },
  async ({ leases }, n) => {
    const lease = { token: `t${n}`, what: 'import', host: 'demo', pid: n, since: at(2000) };
    await leases.take('empty', lease);
    await leases.release(`t${n - ACTS.length}`);
  },
  (store) => store.beginNewLogs({ at: at(50) }),
];

/** Registers the suite for one database. @param open opens an empty store, which is closed by others */
export function writtenMeanwhileContract(open: () => Promise<InspectedStore>): void {
  const runs = tries(3, 200);
  it(`finds nothing wrong in ${runs} inspections during writes`, async () => {
    const store = await open();
    await fillStore(store);
    const many = Array.from({ length: MANY }, (_, n) => say(`m${n}`));
    await store.apply('permits', many, { recordedAt: at(45) });
    let n = 0;
    let parts = 0;
    for (let run = 0; run < runs; run++) {
      const problems: string[] = [];
      const done: number[] = [];
      for await (const { findings } of store.inspection.rows()) {
        problems.push(...findings.map((finding) => `after the acts ${done.join()}: ${JSON.stringify(finding)}`));
        // Each inspection begins with another act, and goes through them in other steps.
        const act = (run + ++n * (1 + (run % (ACTS.length - 1)))) % ACTS.length;
        await ACTS[act]!(store, n);
        done.push(act);
        parts++;
      }
      expect(problems).toEqual([]);
    }
    tried(runs);
    expect(parts).toBeGreaterThan(runs * ACTS.length);
  });
}
