// Whose attempt is next: attempts are bounded in all, and one with many leaves places to those with few.
import { describe, expect, it } from 'vitest';
import type { ClaimedDelivery } from '../../../src/stores/contract/deliveries.ts';
import { EndpointQueue } from '../../../src/webhooks/send/endpoint-queue.ts';
import { PLACES, Places, type Turn } from '../../../src/webhooks/send/places.ts';

/** Has so many deliveries wait to so many endpoints of an account. */
function fill(places: Places, accountId: string, endpoints: number, each: number): void {
  const line = places.lineOf(accountId);
  for (let nth = 0; nth < endpoints; nth++) {
    const queue = new EndpointQueue(8);
    for (let n = 0; n < each; n++) {
      queue.add({ delivery: { id: `${accountId} ${nth} ${n}` } as ClaimedDelivery, lease: 'l', until: 0 });
    }
    line.waiting.add(queue);
  }
}

function startAll(places: Places): Turn[] {
  const started: Turn[] = [];
  for (let turn = places.next(); turn !== null; turn = places.next()) started.push(turn);
  return started;
}

const countOf = (turns: readonly Turn[], accountId: string): number =>
  turns.filter(({ line }) => line.accountId === accountId).length;

describe('places', () => {
  it('are given to accounts in turn, and to the endpoints of each in turn', () => {
    const places = new Places();
    fill(places, 'a', 2, 3);
    fill(places, 'b', 1, 2);
    const ids = startAll(places).map(({ next }) => next.delivery.id);
    expect(ids).toEqual(['a 0 0', 'b 0 0', 'a 1 0', 'b 0 1', 'a 0 1', 'a 1 1', 'a 0 2', 'a 1 2']);
  });

  it('are never all taken by one account: what comes later to another one begins at once', () => {
    const places = new Places();
    fill(places, 'a', 1000, 10);
    expect(startAll(places)).toHaveLength(PLACES / 2);
    for (const later of ['b', 'c', 'd', 'e']) {
      fill(places, later, 1000, 1);
      expect(countOf(startAll(places), later)).toBeGreaterThan(5);
    }
  });

  it('are never more than there are, and those of an account that has more than its share go to others', () => {
    const places = new Places();
    fill(places, 'a', 1000, 10);
    const before = startAll(places);
    for (let n = 0; n < 600; n++) fill(places, `account ${n}`, 1, 1);
    const after = startAll(places);
    expect(before.length + after.length).toBe(PLACES);
    for (const { line, queue } of before) {
      queue.sent({ isSuccess: true, durationMs: 1 });
      places.leave(line);
    }
    // 344 accounts waited.
    const last = startAll(places);
    expect([last.length, countOf(last, 'a') <= 1]).toEqual([PLACES / 2, true]);
  });

  it('of an account are never all taken by its endpoints that are slow, while they are fewer than the places', () => {
    const places = new Places();
    fill(places, 'a', 200, 8);
    startAll(places);
    const line = places.lineOf('a');
    const quick = new EndpointQueue(8);
    for (let n = 0; n < 50; n++) {
      quick.add({ delivery: { id: `quick ${n}` } as ClaimedDelivery, lease: 'l', until: 0 });
      line.waiting.add(quick);
      const turns = startAll(places);
      expect(turns.map(({ next }) => next.delivery.id)).toEqual([`quick ${n}`]);
      quick.sent({ isSuccess: true, durationMs: 1 });
      places.leave(line);
      expect(startAll(places)).toEqual([]);
    }
  });
});
