import { describe, expect, it } from 'vitest';
import type { ClaimedDelivery } from '../../../src/stores/contract/deliveries.ts';
import { EndpointQueue } from '../../../src/webhooks/send/endpoint-queue.ts';

function queueOf(concurrency: number, isFailing = false): EndpointQueue {
  return new EndpointQueue('acme', { concurrency, isFailing });
}

function filled(queue: EndpointQueue, count: number): EndpointQueue {
  for (let n = 0; n < count; n++)
    queue.add({ delivery: { id: `dlv_${n + 1}` } as ClaimedDelivery, lease: 'l', until: 0 });
  return queue;
}

function begin(queue: EndpointQueue): number {
  let begun = 0;
  for (; queue.isReady(); begun++) queue.next();
  return begun;
}

describe('the queue of an endpoint', () => {
  it('claims nothing ahead before the endpoint has proved quick', () => {
    const queue = filled(queueOf(4), 4);
    expect([queueOf(4).room, queueOf(4, true).room, queue.room, begin(queue)]).toEqual([1, 1, 0, 4]);
    queue.sent(true, false);
    queue.release(1);
    expect(queue.room).toBe(61);
  });

  it('has no more under way than it may', () => {
    const queue = filled(queueOf(4), 20);
    expect(begin(queue)).toBe(4);
    queue.sent(true, false);
    expect(begin(queue)).toBe(1);
  });

  it('asks for more once half of what fits is done', () => {
    const queue = filled(queueOf(1), 16);
    queue.next();
    queue.sent(true, false);
    queue.release(7);
    expect(queue.room).toBe(0);
    queue.release(1);
    expect(queue.room).toBe(8);
  });

  it('gives back what waits when the endpoint is slow', () => {
    const queue = filled(queueOf(2), 10);
    begin(queue);
    queue.sent(true, false);
    expect(queue.takeBack()).toEqual([]);
    queue.slow();
    queue.sent(true, true);
    expect(queue.takeBack()).toHaveLength(8);
    queue.release(10);
    expect([queue.held, queue.room]).toEqual([0, 2]);
  });

  it('gives back what waits when the endpoint fails three times in a row, and tries one at a time until it succeeds', () => {
    const queue = filled(queueOf(3), 10);
    begin(queue);
    queue.sent(false, false);
    queue.sent(false, false);
    expect(queue.takeBack()).toEqual([]);
    queue.sent(false, false);
    expect(queue.takeBack()).toHaveLength(7);
    expect(queue.room).toBe(0);
    queue.release(10);
    expect(queue.room).toBe(1);
    filled(queue, 2);
    expect(begin(queue)).toBe(1);
    queue.sent(true, false);
    expect(begin(queue)).toBe(1);
    queue.release(1);
    expect(queue.room).toBe(47);
  });

  it('stands as its last attempt ended, and is doubtful while one that is under way is slow', () => {
    const queue = filled(queueOf(8), 8);
    expect([queue.standing, queueOf(8, true).standing]).toEqual(['untried', 'doubtful']);
    begin(queue);
    queue.sent(true, false);
    expect(queue.standing).toBe('quick');
    queue.slow();
    expect(queue.standing).toBe('doubtful');
    queue.sent(true, true);
    expect(queue.standing).toBe('doubtful');
    queue.sent(true, false);
    expect(queue.standing).toBe('quick');
    queue.sent(false, false);
    expect(queue.standing).toBe('doubtful');
    queue.sent(true, false);
    queue.sent(null, false);
    expect(queue.standing).toBe('doubtful');
  });
});
