// The figures of sending: what waits, what became of the rest, and a store that does not answer.
import { expect, it } from 'vitest';
import { GazetteError } from '../../src/errors.ts';
import { joinMetrics } from '../../src/http/metrics-source.ts';
import { SendingMetrics } from '../../src/http/sending-metrics.ts';
import type { ServiceStore } from '../../src/stores/contract/accounts.ts';
import type { Backlog } from '../../src/stores/contract/sending.ts';
import { at } from '../contracts/store-register.ts';
import { deployment, receiver } from '../webhooks/send/sending.ts';

/** The figures of a text, without help and types. */
function figuresIn(text: string): Record<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  );
}

it('tells what waits, for how long, what became of attempts, and which endpoints are disabled', async () => {
  const { store, clock, add, commit, sender, endpoints } = await deployment();
  const figures = new SendingMetrics(store, { now: () => clock.now });
  const sending = sender({
    schedule: [0, 60],
    onOutcomes: (outcomes) => {
      figures.note(outcomes);
    },
  });
  const { url } = await receiver((_, nth) => (nth === 1 ? 500 : 204));
  // The first, so that no other is told.
  await endpoints.disable((await add(url)).id);
  await add(url);
  await commit(['a', 'b', 'c']);
  const before = figuresIn(await figures.metrics());
  expect(before).toMatchObject({ gazette_webhook_backlog: 0, gazette_webhook_changes_behind: 3 });
  await sending.sendDue();
  clock.now += 90_000;
  expect(figuresIn(await figures.metrics())).toEqual({
    gazette_webhook_backlog: 1,
    gazette_webhook_changes_behind: 0,
    gazette_webhook_oldest_due_seconds: 30,
    'gazette_webhook_disabled_endpoints{reason="operator"}': 1,
    'gazette_webhook_disabled_endpoints{reason="gone"}': 0,
    'gazette_webhook_disabled_endpoints{reason="failing"}': 0,
    'gazette_webhook_outcomes_total{outcome="acknowledged"}': 2,
    'gazette_webhook_outcomes_total{outcome="retried"}': 1,
    'gazette_webhook_outcomes_total{outcome="failed"}': 0,
    'gazette_webhook_outcomes_total{outcome="skipped"}': 3,
  });
});

/** A store that does nothing but tell what waits. */
function onlyTelling(backlog: () => Promise<Backlog>): Pick<ServiceStore, 'deliveries'> {
  return { deliveries: { backlog } as unknown as ServiceStore['deliveries'] };
}

it('leaves out what the store does not tell in time, says so, and asks it once at a time', async () => {
  const errors: unknown[] = [];
  const told = Promise.withResolvers<Backlog>();
  let asked = 0;
  const silent = onlyTelling(() => {
    asked++;
    return told.promise;
  });
  const onError = (error: unknown): void => {
    errors.push(error);
  };
  const figures = new SendingMetrics(silent, { onError, patienceMs: 1 });
  const [first, second] = await Promise.all([figures.metrics(), figures.metrics()]);
  expect([figuresIn(first), asked, errors]).toEqual([
    figuresIn(second),
    1,
    Array.from({ length: 2 }, () => expect.objectContaining({ code: 'store_unavailable' }) as unknown),
  ]);
  expect(Object.keys(figuresIn(first)).every((name) => name.includes('outcomes_total'))).toBe(true);
  const failing = new SendingMetrics(
    onlyTelling(() => Promise.reject(new GazetteError('store_unavailable', 'away'))),
    { onError },
  );
  expect(figuresIn(await failing.metrics())).toEqual(figuresIn(first));
  expect(errors).toHaveLength(3);
  // A store that throws at once is asked again, too.
  const waiting: Backlog = { deliveries: 1, changes: 0, oldestDueAt: at(0), disabledEndpoints: { operator: 0, gone: 0, failing: 0 } }; // prettier-ignore
  let isAway = true;
  const throwing = new SendingMetrics(
    onlyTelling(() => {
      if (isAway) throw new GazetteError('store_unavailable', 'away');
      return Promise.resolve(waiting);
    }),
    { onError },
  );
  expect(figuresIn(await throwing.metrics())).toEqual(figuresIn(first));
  isAway = false;
  expect(figuresIn(await throwing.metrics())).toMatchObject({ gazette_webhook_backlog: 1 });
  told.resolve(waiting);
  await told.promise;
  const both = joinMetrics(figures, { contentType: 'text/plain', metrics: () => Promise.resolve('a 1\n') });
  expect(figuresIn(await both.metrics())).toMatchObject({ gazette_webhook_backlog: 1, a: 1 });
});
