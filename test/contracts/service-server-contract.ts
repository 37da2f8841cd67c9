// The black-box suite of every host the whole service is embedded in: real sockets, no knowledge but an address, where
// the links lead, and a key.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { keyAt, type ListBody, type ProblemBody, SECRET } from '../world.ts';
import { hangUp } from './hang-up.ts';

/** How many records the register `permits` of the suite has; so many that an export takes three pages. */
export const SERVED_COUNT = 250;

/** Where the host of a suite listens, once it does. */
export interface ServiceServer {
  /** The address below which `/api/v1` is asked for. */
  readonly address: string;
  /** The address below which `/api/v1` stands in links. Default: `address`. */
  readonly links?: string;
  /** A key that opens everything. */
  readonly key: string;
}

/** An answer as it came over the wire. */
interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

const RECORDS = '/feeds/permits/records';

/** Runs the suite against one host; `server()` is asked inside each test. */
export function describeServiceServer(name: string, server: () => ServiceServer): void {
  /** Asks without anything that a client's library would add, or undo. */
  async function ask(
    path: string,
    headers: Readonly<Record<string, string | readonly string[]>> = {},
    method = 'GET',
  ): Promise<Answer> {
    const { address } = server();
    const outgoing = request(path.startsWith('http') ? path : `${address}/api/v1${path}`, {
      method,
      headers: headers as Record<string, string | string[]>,
    });
    outgoing.end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return { status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) };
  }
  const pro = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Answer> =>
    ask(path, { Authorization: `Bearer ${server().key}`, ...headers }, method);
  const json = ({ body }: Answer): unknown => JSON.parse(body.toString());
  const problemOf = (answer: Answer): readonly [number, string, boolean] => {
    const problem = json(answer) as ProblemBody;
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(problem.request_id).toBe(answer.headers['x-request-id']);
    return [answer.status, problem.code, problem.status === answer.status];
  };
  /** Where the links lead, and the same place as it can be asked from here. */
  const linkBase = (): string => `${server().links ?? server().address}/api/v1`;
  const here = (link: string): string => {
    expect(link.startsWith(`${linkBase()}/`), `${link} is not below ${linkBase()}`).toBe(true);
    return link.slice(linkBase().length);
  };

  describe(`the service in ${name}`, () => {
    it('lists every record to a key, page by page, and three to the public', async () => {
      const ids: string[] = [];
      for (let offset: number | null = 0; offset !== null;) {
        const page: ListBody = json(await pro(`${RECORDS}?limit=100&offset=${offset}`)) as ListBody;
        ids.push(...page.records.map(({ id }) => id));
        offset = page.next_offset;
      }
      expect(ids).toHaveLength(SERVED_COUNT);
      expect(new Set(ids).size).toBe(SERVED_COUNT);
      const open = await ask(RECORDS);
      expect((json(open) as ListBody).records).toHaveLength(3);
      expect(open.body.toString()).not.toContain(SECRET);
    });

    it('has a record and its history, with the colon plain and encoded', async () => {
      for (const id of [`permits:${keyAt(1)}`, `permits%3A${keyAt(1)}`]) {
        expect(json(await pro(`/records/${id}`))).toMatchObject({ id: `permits:${keyAt(1)}`, version: 1 });
        expect(json(await pro(`/records/${id}/history`))).toMatchObject([{ version: 1, cause: 'first_observed' }]);
        expect(json(await ask(`/records/${id}`))).toMatchObject({ preview: true });
      }
    });

    it('leads the specification’s client through the whole register by Link alone', async () => {
      const pages: number[] = [];
      const ids = new Set<string>();
      let path: string | null = `${RECORDS}/export.csv?limit=100`;
      while (path !== null) {
        const answer = await pro(path);
        expect(answer.status).toBe(200);
        const found = answer.body.toString().match(/^permits:\d+/gm) ?? [];
        pages.push(found.length);
        for (const id of found) ids.add(id);
        const link = /^<([^>]+)>; rel="next"$/.exec(String(answer.headers.link ?? ''));
        path = link === null ? null : here(link[1]!);
      }
      expect(pages).toEqual([100, 100, 50]);
      expect(ids.size).toBe(SERVED_COUNT);
    });

    it.each(['csv', 'xlsx', 'xml', 'rss', 'atom'])('serves %s whole, and 304 to its own tag', async (format) => {
      const path = `${RECORDS}/export.${format}?limit=5`;
      const answer = await pro(path);
      expect([answer.status, answer.headers['content-length']]).toEqual([200, String(answer.body.length)]);
      expect(answer.headers['content-disposition']).toContain(`permits-0001.${format}`);
      const again = await pro(path, { 'If-None-Match': answer.headers.etag! });
      expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, answer.headers.etag]);
    });

    it.each(['identity', 'gzip'])('sends a whole register while it is written, as %s', async (coding) => {
      const path = '/feeds/permits/register.csv';
      const whole = await pro(path, { 'Accept-Encoding': coding });
      expect([whole.status, whole.headers['content-length']]).toEqual([200, undefined]);
      const csv = (coding === 'gzip' ? gunzipSync(whole.body) : whole.body).toString();
      expect(csv.split('\r\n').flatMap((line) => /^permits:(\d+),/.exec(line)?.[1] ?? [])).toEqual(
        Array.from({ length: SERVED_COUNT }, (_, index) => keyAt(SERVED_COUNT - index)),
      );
      const again = { 'Accept-Encoding': coding, 'If-None-Match': whole.headers.etag! };
      expect((await pro(path, again)).status).toBe(304);
      expect((await pro(path, { 'Accept-Encoding': coding }, 'HEAD')).body.length).toBe(0);
    });

    it('answers HEAD with the head of GET', async () => {
      for (const path of [RECORDS, `${RECORDS}/export.xml`, `/records/permits:${keyAt(1)}`, '/openapi.json']) {
        const [head, whole] = [await pro(path, {}, 'HEAD'), await pro(path)];
        expect([path, head.status, head.body.length]).toEqual([path, 200, 0]);
        for (const field of ['content-type', 'content-length', 'etag', 'link', 'cache-control', 'vary']) {
          expect([path, field, head.headers[field]]).toEqual([path, field, whole.headers[field]]);
        }
      }
    });

    it('answers a browser that asks before it sends a key', async () => {
      const asked = { Origin: 'https://app.example', 'Access-Control-Request-Headers': 'authorization' };
      const answer = await ask(RECORDS, { ...asked, 'Access-Control-Request-Method': 'GET' }, 'OPTIONS');
      expect(answer.status).toBe(204);
      expect(answer.headers['access-control-allow-origin']).toBe('*');
      expect(answer.headers['access-control-allow-headers']).toMatch(/authorization/i);
      expect(answer.headers['access-control-allow-methods']).toContain('GET');
      expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS');
    });

    it.each([
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const)('compresses with %s', async (coding, decompress) => {
      const plain = await pro(`${RECORDS}/export.csv`);
      const packed = await pro(`${RECORDS}/export.csv`, { 'Accept-Encoding': coding });
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(packed.headers['content-encoding']).toBe(coding);
      expect(packed.headers['content-length']).toBe(String(packed.body.length));
      expect(packed.body.length).toBeLessThan(plain.body.length / 2);
      expect(decompress(packed.body).equals(plain.body)).toBe(true);
    });

    it('refuses with problems, each with its request id', async () => {
      expect(problemOf(await ask(`${RECORDS}/export.csv`))).toEqual([401, 'credentials_required', true]);
      expect(problemOf(await pro('/nothing'))).toEqual([404, 'not_found', true]);
      expect(problemOf(await pro('/feeds/nothing'))).toEqual([404, 'unknown_feed', true]);
      expect(problemOf(await pro(`${RECORDS}?limit=101`))).toEqual([400, 'invalid_parameter', true]);
      expect(problemOf(await ask(`${RECORDS}?api_key=x`))).toEqual([400, 'credentials_in_url', true]);
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
        const answer = await pro(RECORDS, {}, method);
        expect([method, ...problemOf(answer)]).toEqual([method, 405, 'method_not_allowed', true]);
        expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS');
      }
    });

    it('sees two Authorization headers as two', async () => {
      const { key } = server();
      const answer = await ask(RECORDS, { Authorization: [`Bearer ${key}`, `Bearer ${key}`] });
      expect(problemOf(answer)).toEqual([400, 'repeated_credentials', true]);
    });

    it('names its own place: in the links of a register, in openapi.json, in the reference', async () => {
      const { links } = json(await pro('/feeds/permits')) as {
        readonly links: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
      };
      const all = Object.values(links).flatMap((link) => (typeof link === 'string' ? [link] : Object.values(link)));
      expect(all.length).toBeGreaterThan(5);
      for (const link of all) expect([link, (await pro(here(link))).status]).toEqual([link, 200]);
      expect(json(await ask('/openapi.json'))).toMatchObject({ servers: [{ url: linkBase() }] });
      const atom = await pro(`${RECORDS}/export.atom?limit=1`);
      expect(atom.body.toString()).toContain(`href="${linkBase()}${RECORDS}`);
      const page = await ask('/reference');
      expect(page.status).toBe(200);
      const policy = String(page.headers['content-security-policy']);
      expect(policy).toContain(new URL(linkBase()).origin);
      for (const [, file] of page.body.toString().matchAll(/(?:src|href)="(reference\/[^"]+)"/g)) {
        expect((await ask(`/${file!}`)).status).toBe(200);
      }
    });

    it('says that it lives, beside /api/v1', async () => {
      for (const path of ['/healthz', '/readyz']) {
        expect((await ask(server().address + path)).status).toBe(200);
      }
    });

    it('believes no client about where it is', async () => {
      const headers = {
        'X-Forwarded-Host': 'evil.example',
        'X-Forwarded-Proto': 'ftp',
        Forwarded: 'host=evil.example',
      };
      for (const path of ['/openapi.json', '/feeds/permits', `${RECORDS}?limit=1`]) {
        const answer = await pro(path, headers);
        expect([path, answer.status]).toEqual([path, 200]);
        expect(answer.body.toString() + String(answer.headers.link)).not.toContain('evil.example');
      }
    });

    it('goes on serving after clients that hang up', async () => {
      await hangUp(`${server().address}/api/v1${RECORDS}`);
      expect((await ask(RECORDS)).status).toBe(200);
    });
  });
}
