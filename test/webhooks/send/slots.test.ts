// Whose attempt is next: attempts are bounded in all, one with many leaves places to those with few, and endpoints that hang
// or fail have places of their own.
import { describe, expect, it } from 'vitest';
import type { ClaimedDelivery } from '../../../src/stores/contract/deliveries.ts';
import { EndpointQueue, type Standing } from '../../../src/webhooks/send/endpoint-queue.ts';
import {
  type Attempt,
  DOUBTFUL_SLOTS,
  LATE_AGE,
  SENDING_SLOTS,
  SendingSlots,
  SLOW_AGE,
} from '../../../src/webhooks/send/slots.ts';

/** An endpoint that stands so, with so many deliveries that wait. */
function queueOf(accountId: string, name: string, count: number, standing: Standing = 'quick'): EndpointQueue {
  const queue = new EndpointQueue(accountId, { concurrency: 8, isFailing: standing === 'doubtful' });
  const add = (id: string): void => {
    queue.add({ delivery: { id } as ClaimedDelivery, lease: 'l', until: 0 });
  };
  if (standing === 'quick') {
    add('before');
    queue.next();
    queue.sent(true, false);
  }
  for (let n = 0; n < count; n++) add(`${accountId} ${name} ${n}`);
  return queue;
}

/** Has so many deliveries wait to so many endpoints of an account. */
function fill(places: SendingSlots, accountId: string, endpoints: number, each: number, standing?: Standing): void {
  for (let nth = 0; nth < endpoints; nth++) places.wait(queueOf(accountId, String(nth), each, standing));
}

function startAll(places: SendingSlots): Attempt[] {
  const started: Attempt[] = [];
  for (let attempt = places.next(); attempt !== null; attempt = places.next()) started.push(attempt);
  return started;
}

/** All attempts under way grow so old. */
function grow(places: SendingSlots, age: number): readonly EndpointQueue[] {
  return Array.from({ length: age }, () => places.tick()).flat();
}

const idsOf = (attempts: readonly Attempt[]): string[] => attempts.map(({ next }) => next.delivery.id);
const countOf = (attempts: readonly Attempt[], accountId: string): number =>
  attempts.filter(({ queue }) => queue.accountId === accountId).length;

describe('places', () => {
  it.each<Standing>(['quick', 'untried', 'doubtful'])(
    'are given to accounts in turn, and to the endpoints of each in turn (%s)',
    (standing) => {
      const places = new SendingSlots();
      fill(places, 'a', 2, 3, standing);
      fill(places, 'b', 1, 2, standing);
      const expected = ['a 0 0', 'b 0 0', 'a 1 0', 'b 0 1', 'a 0 1', 'a 1 1', 'a 0 2', 'a 1 2'];
      expect(idsOf(startAll(places))).toEqual(expected);
    },
  );

  it.each<[Standing, number]>([
    ['quick', SENDING_SLOTS - DOUBTFUL_SLOTS],
    ['untried', SENDING_SLOTS / 2],
    ['doubtful', DOUBTFUL_SLOTS],
  ])('are never all taken by one account: what comes later to another one begins at once (%s)', (standing, most) => {
    const places = new SendingSlots();
    fill(places, 'a', 1000, 10, standing);
    expect(startAll(places)).toHaveLength(most / 2);
    for (const later of ['b', 'c', 'd', 'e']) {
      fill(places, later, 1000, 1, standing);
      expect(countOf(startAll(places), later)).toBeGreaterThan(most / 64);
    }
  });

  it('are never more than there are, and those of an account that has more than its share go to others', () => {
    const places = new SendingSlots();
    fill(places, 'a', 1000, 10);
    const before = startAll(places);
    for (let n = 0; n < 600; n++) fill(places, `account ${n}`, 1, 1);
    const after = startAll(places);
    expect(before.length + after.length).toBe(SENDING_SLOTS - DOUBTFUL_SLOTS);
    for (const attempt of before) places.leave(attempt, true);
    const last = startAll(places);
    expect([last.length, countOf(last, 'a') <= 1]).toEqual([before.length, true]);
  });

  it('of those that answer are never taken by the untried, nor by those that hang or fail', () => {
    const places = new SendingSlots();
    for (let n = 0; n < 1000; n++) {
      fill(places, `untried ${n}`, 1, 1, 'untried');
      fill(places, `doubtful ${n}`, 1, 1, 'doubtful');
    }
    expect(startAll(places)).toHaveLength(SENDING_SLOTS / 2 + DOUBTFUL_SLOTS);
    fill(places, 'a', 1, 1);
    expect(idsOf(startAll(places))).toEqual(['a 0 0']);
  });

  it('of an account are never all taken by its endpoints that hang, however many they are', () => {
    const places = new SendingSlots();
    fill(places, 'a', 1000, 8, 'doubtful');
    expect(startAll(places)).toHaveLength(DOUBTFUL_SLOTS / 2);
    for (let n = 0; n < 50; n++) {
      const queue = queueOf('a', `good ${n}`, 1);
      places.wait(queue);
      const [attempt, ...more] = startAll(places);
      expect([idsOf([attempt!]), more]).toEqual([[`a good ${n} 0`], []]);
      places.leave(attempt!, true);
    }
  });

  it('are left by attempts that take long: those are of the doubtful, until they end', () => {
    const places = new SendingSlots();
    fill(places, 'a', 1000, 1, 'untried');
    const late = startAll(places);
    expect(grow(places, LATE_AGE)).toEqual([]);
    // As many again, and of the doubtful none, who have all their places.
    fill(places, 'b', 1000, 1, 'doubtful');
    expect(late.length).toBe(DOUBTFUL_SLOTS);
    expect(countOf(startAll(places), 'a')).toBe(late.length);
    for (const attempt of late) places.leave(attempt, false);
    expect(countOf(startAll(places), 'b')).toBe(DOUBTFUL_SLOTS / 2);
  });

  it('have endpoints with an attempt that is slow wait among the doubtful, and these are told', () => {
    const places = new SendingSlots();
    const queue = queueOf('a', '0', 20);
    places.wait(queue);
    expect(startAll(places)).toHaveLength(8);
    expect([grow(places, SLOW_AGE - 1), queue.standing]).toEqual([[], 'quick']);
    expect([new Set(places.tick()), queue.standing]).toEqual([new Set([queue]), 'doubtful']);
    expect(places.tick()).toEqual([]);
  });

  it('that are all taken are freed for those that answer and for the untried: the attempt that has hung for longest ends', () => {
    const places = new SendingSlots();
    const [late, ended]: [Attempt[], Attempt[]] = [[], []];
    fill(places, 'doubtful', 1000, 1, 'doubtful');
    startAll(places);
    for (let n = 0; n < 1000; n++) fill(places, `account ${n}`, 1, 1, 'untried');
    for (let started = startAll(places); started.length > 0; started = startAll(places)) {
      grow(places, LATE_AGE);
      late.push(...started);
    }
    expect(late.length).toBe(SENDING_SLOTS - DOUBTFUL_SLOTS / 2);
    // One at a time: the next when its place is free.
    for (let n = 0; n < 300; n++) {
      places.next();
      const broken = late.filter((attempt) => attempt.brokenOff.signal.aborted && !ended.includes(attempt));
      expect(broken).toEqual([late[n]]);
      ended.push(broken[0]!);
      places.leave(broken[0]!, null);
      late.push(places.next()!);
      grow(places, LATE_AGE);
    }
    // Nobody who waits: nothing ends.
    const full = new SendingSlots();
    fill(full, 'a', 1000, 1, 'untried');
    for (let n = 0; n < 20; n++) {
      startAll(full);
      grow(full, LATE_AGE);
    }
    expect(full.next()).toBe(null);
  });
});
