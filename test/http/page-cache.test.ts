import { describe, expect, it } from 'vitest';
import { PageCache } from '../../src/http/page-cache.ts';

const body = (size: number): { headers: Record<string, string>; body: Uint8Array<ArrayBuffer> } => ({
  headers: {},
  body: new Uint8Array(size),
});

describe('the cache of pages', () => {
  it('holds no more bytes than it may, and lets the least recently used go', () => {
    const cache = new PageCache(1000);
    for (let i = 0; i < 10; i++) cache.put(`"${i}"`, 'permits', body(100));
    expect(cache.get('"0"')).not.toBeNull();
    cache.put('"10"', 'permits', body(50));
    expect(cache.get('"1"')).toBeNull();
    expect(cache.get('"0"')).not.toBeNull();
    expect(cache.get('"10"')).not.toBeNull();
  });

  it('does not count a body twice', () => {
    const cache = new PageCache(1000);
    for (let i = 0; i < 50; i++) cache.put('"same"', 'permits', body(100));
    for (let i = 0; i < 9; i++) cache.put(`"${i}"`, 'permits', body(100));
    expect(cache.get('"same"')).not.toBeNull();
  });

  it('keeps no body that would push many others out, and nothing at all where it has no room', () => {
    const cache = new PageCache(1000);
    cache.put('"large"', null, body(101));
    expect(cache.get('"large"')).toBeNull();
    const none = new PageCache(0);
    none.put('"any"', null, body(1));
    expect(none.get('"any"')).toBeNull();
  });

  it('forgets what came from one register, and that alone', () => {
    const cache = new PageCache(1000);
    cache.put('"a"', 'permits', body(100));
    cache.put('"b"', 'notices', body(100));
    cache.put('"c"', null, body(100));
    cache.forget('permits');
    expect(['"a"', '"b"', '"c"'].map((etag) => cache.get(etag) !== null)).toEqual([false, true, true]);
  });
});
