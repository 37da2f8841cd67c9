import { describe, expect, it } from 'vitest';
import type { ClaimedDelivery } from '../../../src/stores/contract/deliveries.ts';
import { Lane } from '../../../src/webhooks/send/lane.ts';

const QUICK = { isSuccess: true, durationMs: 5 };
const FAILED = { isSuccess: false, durationMs: 5 };

function filled(lane: Lane, count: number): Lane {
  for (let n = 0; n < count; n++)
    lane.add({ delivery: { id: `dlv_${n + 1}` } as ClaimedDelivery, lease: 'l', until: 0 });
  return lane;
}

function begin(lane: Lane): number {
  let begun = 0;
  while (lane.next() !== null) begun++;
  return begun;
}

describe('the lane of an endpoint', () => {
  it('claims nothing ahead before the endpoint has proved quick', () => {
    const lane = filled(new Lane(4), 4);
    expect([new Lane(4).room, lane.room, begin(lane)]).toEqual([4, 0, 4]);
    lane.sent(QUICK);
    lane.release(1);
    expect(lane.room).toBe(61);
  });

  it('has no more under way than it may', () => {
    const lane = filled(new Lane(4), 20);
    expect(begin(lane)).toBe(4);
    lane.sent(QUICK);
    expect(begin(lane)).toBe(1);
  });

  it('asks for more once half of what fits is done', () => {
    const lane = filled(new Lane(1), 16);
    lane.next();
    lane.sent(QUICK);
    lane.release(7);
    expect(lane.room).toBe(0);
    lane.release(1);
    expect(lane.room).toBe(8);
  });

  it('gives back what waits when the endpoint is slow', () => {
    const lane = filled(new Lane(2), 10);
    begin(lane);
    lane.sent(QUICK);
    expect(lane.takeBack()).toEqual([]);
    lane.sent({ isSuccess: true, durationMs: 1000 });
    expect(lane.takeBack()).toHaveLength(8);
    lane.release(10);
    expect([lane.held, lane.room]).toEqual([0, 2]);
  });

  it('gives back what waits when the endpoint fails three times in a row, and tries one at a time until it succeeds', () => {
    const lane = filled(new Lane(3), 10);
    begin(lane);
    lane.sent(FAILED);
    lane.sent(FAILED);
    expect(lane.takeBack()).toEqual([]);
    lane.sent(FAILED);
    expect(lane.takeBack()).toHaveLength(7);
    expect(lane.room).toBe(0);
    lane.release(10);
    expect(lane.room).toBe(1);
    filled(lane, 2);
    expect(begin(lane)).toBe(1);
    lane.sent(QUICK);
    expect(begin(lane)).toBe(1);
    lane.release(1);
    expect(lane.room).toBe(47);
  });
});
