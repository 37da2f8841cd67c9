import { describe, expect, it } from 'vitest';
import type { ClaimedDelivery } from '../../../src/stores/contract/deliveries.ts';
import { EndpointQueue } from '../../../src/webhooks/send/endpoint-queue.ts';

const QUICK = { isSuccess: true, durationMs: 5 };
const FAILED = { isSuccess: false, durationMs: 5 };

function filled(queue: EndpointQueue, count: number): EndpointQueue {
  for (let n = 0; n < count; n++)
    queue.add({ delivery: { id: `dlv_${n + 1}` } as ClaimedDelivery, lease: 'l', until: 0 });
  return queue;
}

function begin(queue: EndpointQueue): number {
  let begun = 0;
  while (queue.next() !== null) begun++;
  return begun;
}

describe('the queue of an endpoint', () => {
  it('claims nothing ahead before the endpoint has proved quick', () => {
    const queue = filled(new EndpointQueue(4), 4);
    expect([new EndpointQueue(4).room, queue.room, begin(queue)]).toEqual([4, 0, 4]);
    queue.sent(QUICK);
    queue.release(1);
    expect(queue.room).toBe(61);
  });

  it('has no more under way than it may', () => {
    const queue = filled(new EndpointQueue(4), 20);
    expect(begin(queue)).toBe(4);
    queue.sent(QUICK);
    expect(begin(queue)).toBe(1);
  });

  it('asks for more once half of what fits is done', () => {
    const queue = filled(new EndpointQueue(1), 16);
    queue.next();
    queue.sent(QUICK);
    queue.release(7);
    expect(queue.room).toBe(0);
    queue.release(1);
    expect(queue.room).toBe(8);
  });

  it('gives back what waits when the endpoint is slow', () => {
    const queue = filled(new EndpointQueue(2), 10);
    begin(queue);
    queue.sent(QUICK);
    expect(queue.takeBack()).toEqual([]);
    queue.sent({ isSuccess: true, durationMs: 1000 });
    expect(queue.takeBack()).toHaveLength(8);
    queue.release(10);
    expect([queue.held, queue.room]).toEqual([0, 2]);
  });

  it('gives back what waits when the endpoint fails three times in a row, and tries one at a time until it succeeds', () => {
    const queue = filled(new EndpointQueue(3), 10);
    begin(queue);
    queue.sent(FAILED);
    queue.sent(FAILED);
    expect(queue.takeBack()).toEqual([]);
    queue.sent(FAILED);
    expect(queue.takeBack()).toHaveLength(7);
    expect(queue.room).toBe(0);
    queue.release(10);
    expect(queue.room).toBe(1);
    filled(queue, 2);
    expect(begin(queue)).toBe(1);
    queue.sent(QUICK);
    expect(begin(queue)).toBe(1);
    queue.release(1);
    expect(queue.room).toBe(47);
  });
});
