// Outcomes and a store that fails: what was sent is recorded in the end, and a stop waits for no store.
import { expect, it } from 'vitest';
import type { DeliveryOutcome } from '../../../src/stores/contract/deliveries.ts';
import { OutcomeWriter } from '../../../src/webhooks/send/outcome-writer.ts';
import { until } from '../../until.ts';
import { deployment, receiver } from './sending.ts';

const OUTCOME: DeliveryOutcome = {
  ...{ id: 'dlv_1', lease: 'a', state: 'failed', reason: 'exhausted', attempt: null, nextAttemptAt: null },
  isGone: false,
};

it('are written again until the store takes them, those of a batch together', async () => {
  const written: (readonly DeliveryOutcome[])[] = [];
  const errors: unknown[] = [];
  const writer = new OutcomeWriter(
    (outcomes) => {
      if (errors.length < 2) return Promise.reject(new Error('the store fails'));
      written.push(outcomes);
      return Promise.resolve();
    },
    (error) => errors.push(error),
  );
  await Promise.all([writer.write([OUTCOME]), writer.write([OUTCOME])]);
  expect([written, errors.length]).toEqual([[[OUTCOME, OUTCOME]], 2]);
});

it('that no store takes keep no sender from stopping', async () => {
  const { store, add, commit, sender } = await deployment();
  const hook = await receiver();
  await add(hook.url);
  await commit(['a']);
  const errors: unknown[] = [];
  const failing = Object.assign(store.deliveries, { settle: () => Promise.reject(new Error('the store is away')) });
  const stop = new AbortController();
  const running = sender({
    ...{ store: { deliveries: failing }, now: Date.now, pollMs: 20, stopGraceMs: 10 },
    onError: (error) => errors.push(error),
  }).run(stop.signal);
  await until('a failure to record', () => errors.length > 0);
  stop.abort();
  await running;
  expect(hook.received).toHaveLength(1);
});
