// What a service can do to its clients: answers without end, and pages that lead on for ever. Each function reads no more than
// its bound, and asks at most twice for nothing.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { changes, type ClientOptions, exportPages, feeds, history, records } from '../../src/client/index.ts';
import { DEFAULT_MAX_BODY_BYTES } from '../../src/client/client-options.ts';
import { pullRegister } from '../../src/mirror/index.ts';

const API = 'http://127.0.0.1:1/api/v1';
const FEED = `${API}/feeds/permits`;

/** Every function that asks, as far as it goes. */
const WALKS: readonly (readonly [name: string, walk: (options: ClientOptions) => Promise<unknown>])[] = [
  ['records()', (options) => Array.fromAsync(records(`${FEED}/records`, options))],
  ['exportPages()', (options) => Array.fromAsync(exportPages(`${FEED}/records/export.csv`, options))],
  ['history()', (options) => Array.fromAsync(history(`${API}/records/permits:1/history`, options))],
  ['changes()', (options) => Array.fromAsync(changes(`${FEED}/changes`, options))],
  ['feeds()', (options) => Array.fromAsync(feeds(`${API}/feeds`, options))],
];

async function pull(options: ClientOptions): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-client-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  try {
    return await pullRegister(FEED, { ...options, format: 'csv', output: join(folder, 'copy.csv') });
  } finally {
    expect((await readdir(folder)).filter((name) => name === 'copy.csv')).toEqual([]);
  }
}

/** A `fetch` of a service, the addresses it was asked for, and how many bytes of bodies were read. */
function lyingService(answer: (url: URL) => { readonly headers?: Record<string, string>; readonly body: unknown }): {
  readonly fetch: typeof fetch;
  readonly asked: URL[];
} {
  const asked: URL[] = [];
  return {
    asked,
    fetch: async (address) => {
      const url = new URL(address instanceof Request ? address.url : address);
      asked.push(url);
      if (asked.length > 50) throw new Error('it never ends');
      const { headers = {}, body } = answer(url);
      return new Response(typeof body === 'string' ? body : JSON.stringify(body), { headers });
    },
  };
}

describe('an answer without end', () => {
  const CHUNK = 1024 * 1024;

  it.each([...WALKS, ['pullRegister()', pull] as const])('is not read further than the bound: %s', async (_, walk) => {
    for (const [more, bound] of [
      [{}, DEFAULT_MAX_BODY_BYTES],
      [{ maxBodyBytes: 3 * CHUNK }, 3 * CHUNK],
    ] as const) {
      let [requests, read, isCancelled] = [0, 0, false];
      const endless: typeof fetch = async () => {
        requests++;
        return new Response(
          new ReadableStream(
            {
              pull(controller) {
                read += CHUNK;
                controller.enqueue(new Uint8Array(CHUNK).fill(0x20));
              },
              cancel() {
                isCancelled = true;
              },
            },
            { highWaterMark: 0 },
          ),
        );
      };
      await expect(walk({ fetch: endless, ...more })).rejects.toMatchObject({
        code: 'body_too_large',
        message: expect.stringMatching(/longer than \d+ bytes: ask for fewer records a page with limit/) as string,
      });
      expect([requests <= 2, read <= requests * (bound + CHUNK), isCancelled]).toEqual([true, true, true]);
    }
  });

  it('of a refusal is told by its beginning', async () => {
    let read = 0;
    const endless: typeof fetch = async () => {
      const pulled = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
        read += CHUNK;
        controller.enqueue(new Uint8Array(CHUNK).fill(0x20));
      };
      return new Response(new ReadableStream({ pull: pulled }, { highWaterMark: 0 }), { status: 404 });
    };
    await expect(Array.fromAsync(records(`${FEED}/records`, { fetch: endless }))).rejects.toMatchObject({
      code: 'request_refused',
    });
    expect(read).toBe(CHUNK);
  });

  it('is measured as it is unpacked', async () => {
    const packed = gzipSync(Buffer.alloc(8 * CHUNK, 0x20));
    expect(packed.length).toBeLessThan(CHUNK / 64);
    const server = createServer((_, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Length': String(packed.length) }).end(packed);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/records`;
    await expect(Array.fromAsync(records(url, { maxBodyBytes: 7 * CHUNK }))).rejects.toMatchObject({
      code: 'body_too_large',
    });
    await expect(Array.fromAsync(records(url, { maxBodyBytes: 8 * CHUNK }))).rejects.toMatchObject({
      code: 'invalid_answer',
    });
  });
});

describe('a page that is too long', () => {
  it('is asked for once more with ten records, and so are the next ones', async () => {
    const { fetch, asked } = lyingService((url) => {
      const limit = Number(url.searchParams.get('limit'));
      const offset = Number(url.searchParams.get('offset') ?? 0);
      const listed = Array.from({ length: Math.min(limit, 25 - offset) }, (_, index) => ({
        id: `permits:${25 - offset - index}`,
        position: 25 - offset - index,
        content: 'x'.repeat(1000),
      }));
      return { body: { records: listed, next_offset: offset + limit < 25 ? offset + limit : null, as_of: 25 } };
    });
    const read = await Array.fromAsync(records(`${FEED}/records`, { fetch, maxBodyBytes: 12_000 }));
    expect(read.map(({ position }) => position)).toEqual(Array.from({ length: 25 }, (_, index) => 25 - index));
    expect(asked.map(({ searchParams }) => searchParams.get('limit'))).toEqual(['100', '10', '10', '10']);
  });
});

describe('a service that ignores where a page is to begin', () => {
  const nextOf = (url: URL, name: string, value: string): Record<string, string> => {
    const next = new URL(url);
    next.searchParams.set(name, value);
    return { link: `<${next.href}>; rel="next"` };
  };
  const after = (url: URL): number => Number(url.searchParams.get('offset') ?? 0) + 100;
  const listed = <T>(one: (index: number) => T): T[] => Array.from({ length: 100 }, (_, index) => one(100 - index));
  const ANSWERS: Readonly<
    Record<string, (url: URL) => { readonly headers?: Record<string, string>; readonly body: unknown }>
  > = {
    'records()': (url) => ({
      body: {
        records: listed((index) => ({ id: `p:${index}`, position: index })),
        next_offset: after(url),
        as_of: 100,
      },
    }),
    'exportPages()': (url) => ({
      headers: nextOf(url, 'offset', String(after(url))),
      body: `id\r\n${listed((index) => `p:${index}\r\n`).join('')}`,
    }),
    'history()': () => ({ body: listed((index) => ({ version: index })) }),
    'changes()': (url) => ({
      headers: nextOf(url, 'since', '0123abcd.100'),
      body: { versions: listed((index) => ({ record_id: `p:${index}`, version: 1 })), next_since: '0123abcd.100' },
    }),
    'feeds()': (url) => ({
      body: { feeds: listed((index) => ({ feed_id: `feed-${1000 - index}` })), next_offset: after(url) },
    }),
  };

  it.each(WALKS)('is asked at most twice for nothing: %s', async (name, walk) => {
    const { fetch, asked } = lyingService(ANSWERS[name]!);
    await expect(walk({ fetch })).rejects.toMatchObject({ code: 'invalid_answer' });
    expect(asked.length).toBeLessThanOrEqual(3);
  });

  it('is asked at most twice for nothing where records have no positions', async () => {
    const { fetch, asked } = lyingService((url) => ({
      body: { records: listed((index) => ({ id: `p:${index}` })), next_offset: after(url) },
    }));
    await expect(Array.fromAsync(records(`${FEED}/records?fields=id`, { fetch }))).rejects.toMatchObject({
      code: 'invalid_answer',
      message: expect.stringContaining('answers again what it answered before') as string,
    });
    expect(asked).toHaveLength(3);
  });

  it('is none if its pages are alike but for their entity tags: nothing may be found on any of them', async () => {
    const { fetch, asked } = lyingService((url) => ({
      headers: { etag: `"${url.search}"`, ...(asked.length < 9 ? nextOf(url, 'offset', String(after(url))) : {}) },
      body: 'id\r\n',
    }));
    expect(await Array.fromAsync(exportPages(`${FEED}/records/export.csv?q=x`, { fetch }))).toHaveLength(9);
  });
});
