// A shared cache as RFC 9111 describes it, over real sockets in front of the service: whatever it keeps, no public caller
// gets what a key opened, and neither tier gets the other's 304.
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as ask, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toNodeListener } from '../../src/adapters/node.ts';
import { BASE_URL, type World, world, keyAt, SECRET, statementAt } from '../world.ts';
import { at } from '../contracts/store-register.ts';
import { tries } from '../effort.ts';

const COUNT = 12;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** What a cache keeps of an answer. */
interface Kept extends Answer {
  /** The request's values of the headers that `Vary` names (RFC 9111 4.1). */
  readonly selecting: Readonly<Record<string, string | undefined>>;
}

/** Asks a server on loopback. */
async function send(port: number, path: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  const sent = ask({ host: '127.0.0.1', port, path, headers, agent: false });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks).toString('latin1') };
}

/** A shared cache: as eager to keep and to reuse as RFC 9111 allows, and never older than it may be. */
class SharedCache {
  hits = 0;
  revalidations = 0;
  readonly #origin: number;
  readonly #kept = new Map<string, Kept[]>();

  constructor(origin: number) {
    this.#origin = origin;
  }

  clear(): void {
    this.#kept.clear();
  }

  async answer(path: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
    const candidates = this.#kept.get(path) ?? [];
    const kept = candidates.find(({ selecting }) =>
      Object.entries(selecting).every(([name, value]) => headers[name] === value),
    );
    // A client's own validators go through: the origin decides (RFC 9111 4.3.2 leaves this to the cache).
    if (kept !== undefined && headers['if-none-match'] === undefined) {
      if (directives(kept).has('max-age')) {
        this.hits++;
        return kept;
      }
      // no-cache, or unknown: only after asking again with the validator (RFC 9111 4.3.1).
      const asked = await send(this.#origin, path, { ...headers, 'if-none-match': String(kept.headers.etag) });
      if (asked.status === 304) {
        this.revalidations++;
        return kept;
      }
      return this.#keep(path, headers, asked);
    }
    // RFC 9111 4.3.1 lets a cache ask with the validators of everything it keeps for this URL.
    const tags = candidates.map(({ headers: { etag } }) => String(etag)).filter((tag) => tag !== 'undefined');
    const own = headers['if-none-match'];
    if (own !== undefined || tags.length === 0)
      return this.#keep(path, headers, await send(this.#origin, path, headers));
    const asked = await send(this.#origin, path, { ...headers, 'if-none-match': tags.join(', ') });
    if (asked.status !== 304) return this.#keep(path, headers, asked);
    this.revalidations++;
    return candidates.find((one) => one.headers.etag === asked.headers.etag) ?? asked;
  }

  #keep(path: string, headers: Readonly<Record<string, string>>, answer: Answer): Answer {
    const said = directives(answer);
    // RFC 9111 3 and 3.5: private and no-store are not kept, nor what a key opened unless it says so.
    const isOpened = headers.authorization !== undefined && !said.has('public') && !said.has('s-maxage');
    if (answer.status !== 200 || said.has('private') || said.has('no-store') || isOpened) return answer;
    const names = String(answer.headers.vary ?? '')
      .toLowerCase()
      .split(/\s*,\s*/)
      .filter((name) => name !== '');
    const selecting = Object.fromEntries(names.map((name) => [name, headers[name]]));
    this.#kept.set(path, [...(this.#kept.get(path) ?? []), { ...answer, selecting }]);
    return answer;
  }
}

function directives({ headers }: Answer): Set<string> {
  const values = String(headers['cache-control'] ?? '')
    .toLowerCase()
    .split(/\s*,\s*/);
  return new Set(values.map((value) => value.split('=')[0]!));
}

let service: World;
let origin: Server;
let front: Server;
let cache: SharedCache;
let port: number;

const listen = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

beforeAll(async () => {
  service = await world({ records: COUNT, baseUrl: BASE_URL });
  origin = createServer(toNodeListener((request) => service.fetch(request)));
  cache = new SharedCache(await listen(origin));
  front = createServer((request: IncomingMessage, response: ServerResponse) => {
    void cache.answer(request.url!, request.headers as Record<string, string>).then((answer) => {
      response.writeHead(answer.status, answer.headers);
      response.end(answer.status === 304 ? '' : Buffer.from(answer.body, 'latin1'));
    });
  });
  port = await listen(front);
});
afterAll(async () => {
  front.close();
  origin.close();
  front.closeAllConnections();
  origin.closeAllConnections();
  await service.close();
});
beforeEach(() => {
  cache.clear();
});

const through = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  send(port, `/api/v1${path}`, { host: 'registers.example.org', ...headers });

const PATHS = [
  '/feeds',
  '/feeds/permits',
  '/feeds/permits/records',
  '/feeds/permits/records?limit=3',
  '/feeds/permits/records/export.csv',
  '/feeds/permits/changes',
  `/records/permits:${keyAt(2)}`,
  `/records/permits:${keyAt(2)}/history`,
  '/openapi.json',
] as const;

/** Somebody with a key, who has no tag yet. */
const READER = { path: PATHS[2], isPro: true, coding: 'identity', hasTag: false } as const;

describe('a shared cache in front of the service', () => {
  it('keeps public answers and gives them again', async () => {
    const before = cache.hits;
    const first = await through('/feeds/permits/records');
    expect((await through('/feeds/permits/records')).body).toBe(first.body);
    expect(cache.hits).toBe(before + 1);
  });

  it('never gives a caller what is not his tier’s, in whatever order they come', async () => {
    const caller = fc.record({
      path: fc.constantFrom(...PATHS),
      isPro: fc.boolean(),
      coding: fc.constantFrom('identity', 'gzip'),
      /** Whether he shows the tag he was given last, whichever tier he then had. */
      hasTag: fc.boolean(),
    });
    let revalidated = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(caller, { minLength: 2, maxLength: 12 }), async (callers) => {
        cache.clear();
        const tags = new Map<string, string>();
        for (const { path, isPro, coding, hasTag } of callers) {
          const tag = hasTag ? tags.get(path) : undefined;
          const headers = {
            'accept-encoding': coding,
            ...(isPro ? { authorization: `Bearer ${service.key}` } : {}),
            ...(tag === undefined ? {} : { 'if-none-match': tag }),
          };
          const answer = await through(path, headers);
          const direct = await service.get(path, {
            headers: { 'Accept-Encoding': coding, ...(isPro ? { Authorization: `Bearer ${service.key}` } : {}) },
          });
          if (answer.status === 304) {
            revalidated++;
            expect(tag).toBe(direct.headers.get('ETag'));
          } else {
            expect([path, isPro, answer.status]).toEqual([path, isPro, direct.status]);
            if (direct.status === 200) expect(answer.headers.etag).toBe(direct.headers.get('ETag'));
            if (!isPro) expect(answer.body).not.toContain(SECRET);
          }
          if (typeof answer.headers.etag === 'string') tags.set(path, answer.headers.etag);
        }
      }),
      // The first run is sure to ask with a tag: otherwise nothing of this might be about conditions at all.
      { numRuns: tries(25), examples: [[[READER, { ...READER, hasTag: true }]]] },
    );
    expect(revalidated).toBeGreaterThan(0);
  });

  it('would give away what is PRO if the service called it public: the search can find it', async () => {
    const leaky = new SharedCache((origin.address() as AddressInfo).port);
    const opened = await leaky.answer('/api/v1/feeds/permits/records?limit=100', {
      host: 'registers.example.org',
      authorization: `Bearer ${service.key}`,
      'accept-encoding': 'identity',
    });
    expect(opened.body).toContain(SECRET);
  });

  it('gives public answers anew at the latest after their minute, and PRO ones at once', async () => {
    const path = '/feeds/permits/records?limit=3';
    const pro = { authorization: `Bearer ${service.key}`, 'accept-encoding': 'identity' };
    await through(path, pro);
    await service.store.apply('permits', [{ ...statementAt(COUNT, COUNT), title: 'Changed today' }], {
      recordedAt: at(7),
    });
    expect((await through(path, pro)).body).toContain('Changed today');
    expect((await through(path)).headers['cache-control']).toBe('public, max-age=60');
  });
});
