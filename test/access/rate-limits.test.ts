import fc from 'fast-check';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Limits } from '../../src/access/limits/limits.ts';
import { callerOfAddress, rateLimitHeaders, type RateLimitOptions } from '../../src/access/rate-limits.ts';
import { RUNS } from '../properties/arbitraries.ts';

const three = { limit: 3, windowSeconds: 60 };

describe('a limit', () => {
  it('lets so many through in a window, of each caller', async () => {
    const limits = new Limits(null, { perKey: three });
    for (const remaining of [2, 1, 0]) {
      expect(await limits.take('key', 'a')).toEqual({
        policy: 'key',
        isAllowed: true,
        limit: 3,
        remaining,
        resetSeconds: 60,
        windowSeconds: 60,
        window: 0,
      });
    }
    expect(await limits.take('key', 'a')).toMatchObject({ isAllowed: false, remaining: 0, resetSeconds: 60 });
    expect(await limits.take('key', 'b')).toMatchObject({ isAllowed: true, remaining: 2 });
  });

  it('says the seconds of its whole window at its beginning, whatever the clock shows then', async () => {
    const clock = vi.spyOn(performance, 'now');
    onTestFinished(() => {
      clock.mockRestore();
    });
    const limits = new Limits(null, { perKey: three });
    for (let caller = 0; caller < 2000; caller++) {
      clock.mockReturnValue(5000 + caller * 123.457);
      expect(await limits.take('key', `${caller}`)).toMatchObject({ resetSeconds: 60 });
    }
  });

  it('begins anew when its window is over', async () => {
    const limits = new Limits(null, { failures: { limit: 1, windowSeconds: 1 } });
    await limits.take('failures', '192.0.2.1');
    expect(await limits.take('failures', '192.0.2.1')).toMatchObject({ isAllowed: false, resetSeconds: 1 });
    // Nothing runs meanwhile, not even a timer.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1100);
    // What was taken in a window that is over is not given back in the next.
    limits.giveBack('failures', '192.0.2.1', { window: 0 });
    expect(await limits.take('failures', '192.0.2.1')).toMatchObject({ isAllowed: true, remaining: 0 });
  });

  it('tells whoever gives back how it then stands', async () => {
    const limits = new Limits(null, { perKey: { limit: 1, windowSeconds: 60 } });
    expect(limits.giveBack('key', 'a', { window: 0 })).toMatchObject({
      isAllowed: true,
      remaining: 1,
      resetSeconds: 0,
    });
    await limits.take('key', 'a');
    expect(await limits.take('key', 'a')).toMatchObject({ isAllowed: false });
    expect(limits.giveBack('key', 'a', { window: 0 })).toMatchObject({
      isAllowed: true,
      remaining: 1,
      resetSeconds: 60,
    });
  });

  it('gets back what cost nothing, and never more than was taken', async () => {
    const limits = new Limits(null, { perKey: three });
    limits.giveBack('key', 'a', { window: 0 });
    await limits.take('key', 'a');
    await limits.take('key', 'a');
    for (let i = 0; i < 5; i++) limits.giveBack('key', 'a', { window: 0 });
    expect(await limits.take('key', 'a')).toMatchObject({ remaining: 2 });
  });

  it('that is changed counts at once, with what was let through before', async () => {
    const limits = new Limits(null);
    const take = async (limit: number): Promise<unknown> => {
      const { isAllowed, remaining } = await limits.take('key', 'a', { rate: { limit, windowSeconds: 60 } });
      return [isAllowed, remaining];
    };
    expect([await take(1), await take(1), await take(3), await take(1), await take(3)]).toEqual([
      ...[
        [true, 0],
        [false, 0],
      ],
      ...[
        [true, 1],
        [false, 0],
        [true, 0],
      ],
    ]);
  });

  it('of one policy is not another’s', async () => {
    const limits = new Limits(null, { perKey: three, perAddress: three, failures: three });
    for (let i = 0; i < 4; i++) await limits.take('failures', '192.0.2.1');
    expect(await limits.take('failures', '192.0.2.1')).toMatchObject({ isAllowed: false });
    expect(await limits.take('address', '192.0.2.1')).toMatchObject({ isAllowed: true, remaining: 2 });
    expect(await limits.take('key', '192.0.2.1')).toMatchObject({ isAllowed: true, remaining: 2 });
  });

  it('may be none at all', async () => {
    const limits = new Limits(null, { perKey: null });
    for (let i = 0; i < 1000; i++) expect((await limits.take('key', 'a')).isAllowed).toBe(true);
    expect(rateLimitHeaders(limits.giveBack('key', 'a', { window: 0 }))).toEqual({});
    expect((await limits.take('address', '192.0.2.1')).limit).toBeLessThan(Infinity);
  });

  it.each<[string, RateLimitOptions]>([
    ['perKey.limit', { perKey: { limit: 0, windowSeconds: 60 } }],
    ['perAddress.limit', { perAddress: { limit: 1.5, windowSeconds: 60 } }],
    ['failures.windowSeconds', { failures: { limit: 1, windowSeconds: 86_401 } }],
    ['perKey.windowSeconds', { perKey: { limit: 1, windowSeconds: NaN } }],
    ['maxCallers', { maxCallers: 0 }],
  ])('is not made with a wrong %s', (option, options) => {
    expect(() => new Limits(null, options)).toThrow(
      expect.objectContaining({ code: 'invalid_option', details: { option } }) as Error,
    );
  });
});

describe('the callers in mind', () => {
  it('are so many and no more: of others the oldest goes that did not come again', async () => {
    const limits = new Limits(null, { perKey: three, maxCallers: 2 });
    for (let i = 0; i < 4; i++) await limits.take('key', 'busy');
    await limits.take('key', 'once');
    await limits.take('key', 'busy');
    await limits.take('key', 'new');
    expect(await limits.take('key', 'busy')).toMatchObject({ isAllowed: false });
    expect(await limits.take('key', 'once')).toMatchObject({ remaining: 2 });
  });

  it('take no more memory however often they come', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const limits = new Limits(null, { perKey: three });
    const grown = async (times: number): Promise<number> => {
      collect();
      const before = process.memoryUsage().heapUsed;
      for (let i = 0; i < times; i++) await limits.take('key', i % 2 === 0 ? 'one' : 'other');
      collect();
      return process.memoryUsage().heapUsed - before;
    };
    await grown(1000);
    // Nothing at all, but for what the engine does meanwhile.
    expect(await grown(200_000)).toBeLessThan(3_000_000);
  });

  it('take little memory when hundreds of thousands of addresses come', async () => {
    const limits = new Limits(null, { perAddress: three, maxCallers: 1000 });
    const address = (n: number): string => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
    for (let n = 0; n < 300_000; n++) await limits.take('address', address(n));
    // A caller that is not in mind has nothing to wait for.
    const kept = Array.from({ length: 300_000 }, (_, n) => n).filter(
      (n) => limits.giveBack('address', address(n), { window: 0 }).resetSeconds > 0,
    );
    expect(kept).toEqual(Array.from({ length: 1000 }, (_, index) => 299_000 + index));
  });
});

describe('an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:0201', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
    ['1::8', '1:0:0:0::/64'],
    ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
    ['unknown', 'unknown'],
    ['', ''],
  ])('%s counts as %s', (address, caller) => {
    expect(callerOfAddress(address)).toBe(caller);
  });

  it('counts alike with all others of its /64, however it is written, and with no other', async () => {
    const group = fc.nat({ max: 0xffff });
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), fc.ipV6(), (groups, text) => {
        expect(callerOfAddress(text)).toMatch(/^(?:[0-9a-f]{1,4}:){4}:\/64$|^[0-9.]+$/);
        const long = groups.map((n) => n.toString(16).padStart(4, '0').toUpperCase()).join(':');
        const expected = `${groups
          .slice(0, 4)
          .map((n) => n.toString(16))
          .join(':')}::/64`;
        if (groups.slice(0, 5).every((n) => n === 0)) return;
        expect(callerOfAddress(long)).toBe(expected);
      }),
      { numRuns: RUNS },
    );
  });

  it('of IPv6 shares its limit with its /64', async () => {
    const limits = new Limits(null, { perAddress: three, failures: three });
    for (const policy of ['address', 'failures'] as const) {
      for (let host = 1; host <= 3; host++) await limits.take(policy, `2001:db8::${host}`);
      expect(await limits.take(policy, '2001:db8::abcd')).toMatchObject({ isAllowed: false });
      expect(await limits.take(policy, '2001:db8:0:1::1')).toMatchObject({ isAllowed: true });
    }
  });

  it('that is none takes no more memory than one', async () => {
    expect(callerOfAddress('x'.repeat(100_000))).toHaveLength(64);
  });
});

describe('the headers', () => {
  const state = {
    policy: 'key',
    isAllowed: true,
    limit: 600,
    remaining: 599,
    resetSeconds: 60,
    windowSeconds: 60,
    window: 0,
  } as const;

  it('are structured fields: the policy, and how the caller stands with it', () => {
    expect(rateLimitHeaders(state)).toEqual({
      'ratelimit-policy': '"key";q=600;w=60',
      ratelimit: '"key";r=599;t=60',
    });
  });

  it('say when to come again once the limit is reached', () => {
    expect(rateLimitHeaders({ ...state, isAllowed: false, remaining: 0, resetSeconds: 7 })).toEqual({
      'ratelimit-policy': '"key";q=600;w=60',
      ratelimit: '"key";r=0;t=7',
      'retry-after': '7',
    });
  });
});
