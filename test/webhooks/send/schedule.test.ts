import { describe, expect, it } from 'vitest';
import { checkSchedule, DEFAULT_SCHEDULE, nextDelayMs } from '../../../src/webhooks/send/schedule.ts';

const HOUR = 3600;

describe('the schedule', () => {
  it('is ten attempts, at once and after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h', () => {
    const hours = [2, 5, 10, 14, 20, 24].map((delay) => delay * HOUR);
    expect(checkSchedule(DEFAULT_SCHEDULE)).toEqual([0, 5, 300, 1800, ...hours]);
  });

  it.each([
    [0, 4000],
    [0.5, 5000],
    [0.999_999_999, 6000],
  ])('moves a delay by a fifth either way: %f makes 5 s %i ms', (random, ms) => {
    expect(nextDelayMs(DEFAULT_SCHEDULE, { tries: 1, random: () => random, retryAfterMs: null })).toBe(ms);
  });

  it('ends', () => {
    expect(nextDelayMs(DEFAULT_SCHEDULE, { tries: 9, random: () => 0.5, retryAfterMs: null })).toBe(24 * HOUR * 1000);
    expect(nextDelayMs(DEFAULT_SCHEDULE, { tries: 10, random: () => 0.5, retryAfterMs: 1000 })).toBeNull();
  });

  it.each([
    ['shorter than the delay', 1000, 5000],
    ['longer', 60_000, 60_000],
    ['longer than a day', 10 * 86_400_000, 86_400_000],
  ])('waits what was asked for where that is %s', (_, asked, ms) => {
    expect(nextDelayMs([0, 5], { tries: 1, random: () => 0.5, retryAfterMs: asked })).toBe(ms);
  });

  it.each([
    [[]],
    [[5]],
    [[0, -1]],
    [[0, Number.NaN]],
    [[0, Number.POSITIVE_INFINITY]],
    [[0, 8 * 86_400]],
    [Array.from({ length: 101 }, () => 0)],
  ])('is not %j', (delays) => {
    expect(() => checkSchedule(delays)).toThrow(expect.objectContaining({ code: 'invalid_option' }) as Error);
  });
});
