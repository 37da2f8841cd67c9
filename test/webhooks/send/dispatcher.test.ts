// The dispatcher alone: what it does with a delivery whose lease has become too short while it waited, and with outcomes that
// come while others are being written.
import { expect, it, onTestFinished } from 'vitest';
import type { ClaimedDelivery, DeliveryOutcome } from '../../../src/stores/contract/deliveries.ts';
import type { ClaimedEndpoint } from '../../../src/stores/contract/endpoints.ts';
import { Poster } from '../../../src/webhooks/send/attempt.ts';
import { Dispatcher } from '../../../src/webhooks/send/dispatcher.ts';
import { OutcomeWriter } from '../../../src/webhooks/send/outcome-writer.ts';
import { SecretBox } from '../../../src/webhooks/send/secret-box.ts';
import { until } from '../../until.ts';

const TIMEOUT_MS = 1000;

/** A delivery that is settled without an attempt: its register was removed. */
const DELIVERY = {
  id: 'dlv_1',
  endpoint: {
    id: 'ep_a',
    accountId: 'acme',
    disabledAt: null,
    account: { accessUntil: '2999-01-01T00:00:00Z', isSuspended: false },
  } as ClaimedEndpoint,
  version: null,
  isTest: false,
  disabled: null,
  dueAt: '2026-10-01T10:00:00Z',
} as ClaimedDelivery;

function noName(): never {
  throw new Error('no attempt is made here');
}

/** As it was claimed, if its account was suspended between the choice of its endpoint and the claim. */
const SUSPENDED = {
  ...DELIVERY,
  endpoint: { ...DELIVERY.endpoint, account: { ...DELIVERY.endpoint.account, isSuspended: true } },
};

const GIVEN_BACK = { state: 'pending', reason: null, attempt: null, nextAttemptAt: DELIVERY.dueAt };

it.each([
  ['gives back a delivery whose lease is too short', DELIVERY, TIMEOUT_MS - 1, GIVEN_BACK],
  ['gives back a delivery to a suspended account', SUSPENDED, TIMEOUT_MS, GIVEN_BACK],
  [
    ...(['settles a delivery whose lease just lasts', DELIVERY, TIMEOUT_MS] as const),
    { state: 'skipped', reason: 'register_removed', attempt: null, nextAttemptAt: null },
  ],
])('%s', async (_, delivery, leftMs, expected) => {
  const settled: DeliveryOutcome[] = [];
  const poster = new Poster({ rules: {}, timeoutMs: TIMEOUT_MS, resolve: noName });
  const dispatcher = new Dispatcher({
    ...{ poster, box: SecretBox.fromHex('00'.repeat(32)), schedule: [0], random: () => 0, concurrency: 1 },
    ...{ timeoutMs: TIMEOUT_MS, now: () => 5000, onRoom: () => undefined },
    settle: async (outcomes) => void settled.push(...outcomes),
    onError: (error) => {
      throw error;
    },
  });
  onTestFinished(() => dispatcher.stop(0));
  dispatcher.add([delivery], 'lease', 5000 + leftMs);
  await until('its outcome', () => settled.length === 1);
  expect(settled).toEqual([{ id: 'dlv_1', lease: 'lease', isGone: false, ...expected }]);
});

it('writes an outcome that comes during a write with the next one', async () => {
  const begun: string[][] = [];
  const { promise: held, resolve } = Promise.withResolvers<undefined>();
  const writer = new OutcomeWriter(
    async (outcomes) => {
      begun.push(outcomes.map(({ id }) => id));
      await held;
    },
    (error) => {
      throw error;
    },
  );
  const [first, second] = ['dlv_1', 'dlv_2'].map((id) => ({ id }) as DeliveryOutcome);
  const written = [writer.write([first!])];
  await until('a write', () => begun.length === 1);
  written.push(writer.write([second!]));
  resolve(undefined);
  await Promise.all(written);
  expect(begun).toEqual([['dlv_1'], ['dlv_2']]);
});
