// Whatever is sent, the service answers: in its own words, with a request id, with no status of its own failure, and
// the same to GET and HEAD. First as requests in process, then as bytes on a socket.
import fc from 'fast-check';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGazette } from '../../src/service/create-gazette.ts';
import { at, say } from '../contracts/store-register.ts';
import { closedAfter } from '../closed-after.ts';
import { BASE_URL, world, PRODUCT, type ProblemBody } from '../world.ts';
import { embedded, own } from './servers.ts';
import { tries } from '../effort.ts';
import { character } from '../properties/arbitraries.ts';

/** Enough for the statuses that have to be met, but for one. */
const RUNS = tries(1500, 50_000);

/** A request whose answer the client has: 304 is rare, and therefore always asked for. */
const KNOWN = {
  ...{ gazette: 0, method: 'GET', target: '/api/v1/feeds/permits/records', authorization: null },
  fields: [['If-None-Match', '*']] as [string, string][],
};

/** Messages sent side by side: some keep their connection open until the sender gives up. */
const BATCH = 100;

/** Far beyond what an answer takes on a busy machine, far below what a test may take. */
const HANG_MS = 300_000;

const failures: unknown[] = [];
const logger = {
  info: () => undefined,
  error: (fields: object) => failures.push(fields),
};

const service = await world();
/** The address configured; taken from the request; taken from forwarded headers. */
const gazettes = [{ baseUrl: BASE_URL }, { allowBasic: true }, { trustProxy: true }].map((options) => {
  const common = { store: service.store, product: PRODUCT, limits: null, now: () => service.clock.now, logger };
  return closedAfter(createGazette({ ...common, ...options }));
});

const LONG = 'x'.repeat(10_000);

const segments = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('feeds', 'records', 'permits', 'permits:001', 'permits%3A025', 'history', 'changes'),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom('export.csv', 'export.xlsx', 'export.atom', 'export.', 'export', 'export.constructor'),
  },
  { weight: 2, arbitrary: fc.constantFrom('register.xsd', 'openapi.json', 'reference', 'mcp', 'healthz', 'readyz') },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...['..', '.', '', '%2e%2e', '%2E', '%2F', 'permits%2Frecords', '%5C', '%00', 'permits:%00', 'permits%3a%2e%2e'],
      ...['%', '%zz', '%f', '%ff', '%C0%AF', '%ED%A0%80', '%0d%0aX-Injected:%201', '%u0041', ';v=1', '*', '{feed_id}'],
      ...['__proto__', 'constructor', 'toString', ':', 'permits:', ':001', `permits:${LONG}`, LONG, '%F0%9F%92%A9'],
    ),
  },
  { weight: 2, arbitrary: fc.string({ unit: character, maxLength: 12 }) },
);

const paths = fc.oneof(
  { weight: 4, arbitrary: fc.array(segments, { maxLength: 6 }).map((found) => `/api/v1/${found.join('/')}`) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('/api/v1/feeds', '/api/v1/feeds/permits/records', '/api/v1/records/permits:025'),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(segments, fc.constantFrom('/records', '/records/export.csv', '/changes', '/register.xsd', ''))
      .map(([id, rest]) => `/api/v1/feeds/${id}${rest}`),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(segments, fc.constantFrom('', '/history', '/history/'))
      .map(([id, rest]) => `/api/v1/records/${id}${rest}`),
  },
  { weight: 1, arbitrary: fc.array(segments, { maxLength: 6 }).map((found) => `/${found.join('/')}`) },
);

const values = fc.oneof(
  fc.constantFrom('1', '3', '100', '101', '0', '-1', '1e2', '+5', '0x10', '٣', '1.0', ' 1', 'NaN', '9007199254740993'),
  fc.constantFrom('', 'adopted', 'FAC-0003', LONG, '%00', '%0d%0aX-Injected:%201', '%0a', '\ud800', '%ED%A0%80', '%'),
  fc.constantFrom('%F0%9F%92%A9', "'; DROP TABLE records; --", '<script>', '%22%3E', '[]', '..%2f..', '%25'),
  fc.string({ unit: character, maxLength: 20 }),
);

const names = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('limit', 'offset', 'as_of', 'document_type', 'facility_id', 'since', 'lim%69t'),
  },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'limit[]', 'api_key', 'TOKEN', '', '%') },
  { weight: 1, arbitrary: fc.string({ unit: character, maxLength: 8 }) },
);

const queries = fc
  .array(fc.tuple(names, fc.option(values)), { maxLength: 5 })
  .map((pairs) =>
    pairs.length === 0
      ? ''
      : `?${pairs.map(([name, value]) => (value === null ? name : `${name}=${value}`)).join('&')}`,
  );

/** What a header field may hold at all (RFC 9110 5.5). */
const fieldText = fc
  .array(fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff }), fc.constant(9)), {
    maxLength: 30,
  })
  .map((codes) => String.fromCharCode(...codes));

const fieldValues = fc.oneof(
  fieldText,
  fc.constantFrom('*', '"x"', 'W/"x"', '"', 'W/', '"a", "b"', '*, "x"', ',,,', LONG, '"'.repeat(2000)),
  fc.constantFrom(
    'gzip',
    'br;q=x',
    'zstd, gzip;q=0',
    '*;q=0',
    'identity;q=0',
    ';;;',
    'gzip;q=1;q=0',
    'deflate, x-gzip',
  ),
  fc.constantFrom('Fri, 20 Nov 2026 12:00:00 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'yesterday', '0', '-1'),
  fc.constantFrom('evil.example', 'evil.example, x', 'a b', '[', 'x:99999', 'https', 'javascript', '<>', '//evil'),
  fc.constantFrom('bytes=0-1', 'application/json', 'text/csv', '100-continue', '203.0.113.1, 10.0.0.1', '::1'),
);

const fieldNames = fc.constantFrom(
  ...['Accept', 'Accept-Encoding', 'Accept-Language', 'If-None-Match', 'If-Match', 'If-Modified-Since', 'Range'],
  ...['If-Unmodified-Since', 'If-Range', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Forwarded-For', 'Forwarded'],
  ...['X-Request-Id', 'Origin', 'Access-Control-Request-Method', 'Content-Type', 'X-HTTP-Method-Override', 'Cookie'],
);

const fields = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: fc.tuple(fieldNames, fieldValues) },
    { weight: 1, arbitrary: fc.constant<[string, string]>(['If-None-Match', '*']) },
  ),
  { maxLength: 5 },
);

/** Every other is a key that works; `KEY` stands for it. */
const authorizations = fc.oneof(
  { weight: 3, arbitrary: fc.constant('Bearer KEY') },
  fc.constantFrom('Bearer KEY', 'bearer  KEY', 'Bearer', 'Bearer ', 'Basic OktFWQ==', 'Basic !', 'Bearer a, Bearer b'),
  fc.constantFrom('Bearer gz_', `Bearer ${LONG}`, 'Digest x', ','),
  fieldText,
);

const methods = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('GET', 'HEAD') },
  { weight: 1, arbitrary: fc.constantFrom('OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH', 'get', 'PROPFIND', 'QUERY') },
  { weight: 1, arbitrary: fc.constantFrom('X', "!#$%&'*+-.^_`|~", 'M'.repeat(3000), 'CONSTRUCTOR') },
);

const requests = fc.record({
  gazette: fc.nat({ max: 2 }),
  method: methods,
  target: fc.tuple(paths, queries).map(([path, query]) => path + query),
  fields,
  authorization: fc.option(authorizations, { freq: 2 }),
});

/** Rejects when an answer does not come. */
async function soon<T>(answer: Promise<T>, what: string): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new Error(`no answer to ${what}`));
  }, HANG_MS);
  try {
    return await Promise.race([answer, promise]);
  } finally {
    clearTimeout(timer);
  }
}

describe('any request', () => {
  async function ask(
    asked: { readonly gazette: number; readonly target: string; readonly fields: [string, string][] },
    method: string,
    authorization: string | null,
  ): Promise<number> {
    const headers = new Headers(asked.fields);
    if (authorization !== null) headers.set('Authorization', authorization.replace('KEY', service.key));
    const request = new Request(BASE_URL + asked.target, { method, headers });
    const response = await soon(gazettes[asked.gazette]!.fetch(request), asked.target);
    const body = Buffer.from(await soon(response.arrayBuffer(), asked.target)).toString('latin1');

    expect(failures.splice(0)).toEqual([]);
    expect(response.status).toBeLessThan(500);
    const id = response.headers.get('X-Request-Id');
    // What caches give to others carries nothing of this caller.
    if (response.headers.get('Cache-Control') === 'public, max-age=60') expect(id).toBeNull();
    else expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.headers.get('X-Injected')).toBeNull();
    expect([...response.headers].join()).not.toMatch(/[^\t\x20-\x7e]/);
    expect(body).not.toContain(service.key);
    if (method === 'HEAD') expect(body).toBe('');
    else if (response.status >= 400 && response.headers.get('Content-Type')!.startsWith('text/html')) {
      expect(response.headers.get('Content-Security-Policy')).not.toBeNull();
      expect(body).toContain(`<code>${id}</code>`);
    } else if (response.status >= 400) {
      expect(response.headers.get('Content-Type')).toBe('application/problem+json');
      const problem = JSON.parse(body) as ProblemBody;
      expect([problem.request_id, problem.status]).toEqual([id, response.status]);
    }
    return response.status;
  }

  it(`is answered with a request id, and with nothing of ours that failed (${RUNS})`, async () => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(requests, async (asked) => {
        const status = await ask(asked, asked.method, asked.authorization);
        statuses.add(status);
        const other = { GET: 'HEAD', HEAD: 'GET' }[asked.method];
        if (other !== undefined) expect(await ask(asked, other, asked.authorization)).toBe(status);
      }),
      { numRuns: RUNS, examples: [[KNOWN]] },
    );
    // So that a fuzz that meets one refusal alone is seen.
    expect([...statuses]).toEqual(expect.arrayContaining([200, 204, 304, 400, 401, 404, 405]));
  });

  it.each(['\r\nX-Injected: 1', '\nX-Injected: 1', '\u2028', '"><>; rel="next", <https://evil.example'])(
    'that filters by %j, below a mount of that name, finds both percent-encoded in Link',
    async (value) => {
      const statements = ['a', 'b'].map((key) => say(key, { document_type: value }, 'notices'));
      await service.store.apply('notices', statements, { recordedAt: at(1) });
      const mount = encodeURIComponent(value);
      const path = `/api/v1/feeds/notices/records/export.csv?limit=1&document_type=${mount}`;
      for (const gazette of gazettes) {
        const headers = { Authorization: `Bearer ${service.key}` };
        const response = await gazette.fetch(new Request(`${BASE_URL}/${mount}${path}`, { headers }));
        expect(response.status).toBe(200);
        expect(response.headers.get('X-Injected')).toBeNull();
        expect(response.headers.get('Link')).toMatch(/^<https:\/\/registers\.example\.org\/[!#-;=?-~]*>; rel="next"$/);
      }
    },
  );
});

describe.each([
  ['a server of Node’s with our listener', embedded, true],
  ['our own server', own, false],
])('any bytes to %s', (_, start, mayParserAnswer) => {
  let port: number;
  let stop: () => Promise<unknown>;

  beforeAll(async () => {
    ({ port, stop } = await start(gazettes[1]!));
  });

  afterAll(() => stop());

  /** Sends bytes and reads all that comes back; gives up its own side when the other waits for more. */
  async function send(bytes: string): Promise<string> {
    const socket = connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    // A server that refuses a request before its end resets the connection.
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(bytes, 'latin1');
    const patience = setTimeout(() => socket.end(), 300);
    try {
      await soon(closed, JSON.stringify(bytes.slice(0, 300)));
    } finally {
      clearTimeout(patience);
      socket.destroy();
    }
    return Buffer.concat(chunks).toString('latin1');
  }

  /** Mostly the first, so that a request seldom has more than one fault: the parser stops at the first it meets. */
  const mostly = (usual: string, ...others: string[]): fc.Arbitrary<string> =>
    fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });

  const targets = fc.oneof(
    { weight: 6, arbitrary: fc.tuple(paths, queries).map(([path, query]) => encodeURI((path + query).toWellFormed())) },
    { weight: 1, arbitrary: fc.tuple(paths, queries).map(([path, query]) => path + query) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        ...['*', '//evil.example/api/v1/feeds', '/api/v1/../../etc/passwd', '', 'feeds', '/api/v1/feeds#x', '\\'],
        ...['http://evil.example/api/v1/feeds', 'https://[/api/v1/feeds', 'http:', '/api/v1/records/\xff\xfe'],
        ...['/api/v1/feeds\0', '/api/v1/feeds\t', '/api/v1/f eeds', `/${LONG}`],
      ),
    },
  );

  const lines = fc
    .tuple(
      mostly('GET', 'HEAD', 'POST', 'OPTIONS', 'TRACE', 'CONNECT', 'get', 'G ET', '', 'PRI', 'GET\0'),
      targets,
      mostly('HTTP/1.1', 'HTTP/1.0', 'HTTP/9.9', 'HTTP/2.0', 'HTTQ/1.1', ''),
    )
    .map((parts) => parts.join(' '));

  const rawFields = fc.oneof(
    { weight: 3, arbitrary: fc.tuple(fieldNames, fieldValues).map(([name, value]) => `${name}: ${value}`) },
    fc.constantFrom('X: a\r\n folded', 'X: a\nX-Injected: 1', 'X: a\rX-Injected: 1', 'X: \0', ': x', 'X', 'X : y'),
    fc.constantFrom('Host: evil.example', 'Host: a b', 'Host:', 'Content-Length: 5', 'Content-Length: -1', 'Expect: x'),
    fc.constantFrom(
      'Transfer-Encoding: chunked',
      'Transfer-Encoding: chunked, x',
      'Connection: Upgrade',
      'Upgrade: h2c',
    ),
    fc.constantFrom(`X: ${'y'.repeat(70_000)}`, 'Expect: 100-continue', 'Trailer: Authorization'),
    fc.string({ unit: character, maxLength: 20 }),
  );

  const bodies = mostly('', 'hello', '5\r\nhello\r\n0\r\n\r\n', 'zz\r\n', '5;x=\0\r\nhello\r\n0\r\n\r\n');

  const messages = fc
    .tuple(lines, fc.boolean(), fc.array(rawFields, { maxLength: 2 }), mostly('\r\n', '\n', '\r'), bodies, fc.boolean())
    .map(([line, isLast, rest, eol, body, isTwice]) => {
      const fields = ['Host: h.example', ...(isLast ? ['Connection: close'] : []), ...rest];
      // A second one comes before the first is answered.
      return [line, ...fields, '', body].join(eol).repeat(isTwice ? 2 : 1);
    });

  /** What a parser refuses before any handler is asked (431: the head is too long). */
  const PARSER = /^HTTP\/1\.1 (?:400|408|413|417|431) [A-Za-z ]+\r\n/;

  const title = mayParserAnswer
    ? 'get an answer with a request id, or Node’s own refusal'
    : 'get an answer with a request id';
  it(`${title}, and no field they made up`, async () => {
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(messages, { minLength: BATCH, maxLength: BATCH }), async (batch) => {
        for (const answer of await Promise.all(batch.map(send))) {
          const [head = ''] = answer.replace('HTTP/1.1 100 Continue\r\n\r\n', '').split('\r\n\r\n', 1);
          // Nothing is said to what is no request, and to a body that was waited for and never came.
          if (head === '') continue;
          expect(head).not.toMatch(/^X-Injected:/im);
          if (/^(?:x-request-id: [0-9a-f-]{36}|cache-control: public, max-age=60)\r?$/im.test(head)) {
            answered++;
            expect(head).toMatch(/^HTTP\/1\.1 (?:[2-4]\d\d|501) /);
          } else expect([mayParserAnswer, head]).toEqual([true, expect.stringMatching(PARSER)]);
        }
        expect(failures.splice(0)).toEqual([]);
      }),
      { numRuns: tries(4, 300) },
    );
    // Some three of ten do.
    expect(answered, 'many get past the parser').toBeGreaterThan(tries(4, 300) * (BATCH / 8));
  });

  it.each([
    [
      'a chunked body on GET',
      'GET /api/v1/feeds HTTP/1.1',
      'Transfer-Encoding: chunked',
      '5\r\nhello\r\n0\r\n\r\n',
      200,
    ],
    ['a body on HEAD', 'HEAD /api/v1/feeds HTTP/1.1', 'Content-Length: 5', 'hello', 200],
    ['an absolute target of another host', 'GET http://evil.example/api/v1/feeds HTTP/1.1', 'X: y', '', 200],
    ['a path that names a host', 'GET //evil.example/api/v1/feeds HTTP/1.1', 'X: y', '', 200],
    ['dot segments', 'GET /api/v1/feeds/../../../healthz HTTP/1.1', 'X: y', '', 200],
    [
      'encoded dot segments, the same to the URL standard',
      'GET /api/v1/feeds/%2e%2e/%2E./../healthz HTTP/1.1',
      'X: y',
      '',
      200,
    ],
    ['an encoded slash', 'GET /api/v1/records/permits%3A001%2Fhistory HTTP/1.1', 'X: y', '', 404],
    ['an encoded NUL', 'GET /api/v1/records/permits:%00 HTTP/1.1', 'X: y', '', 404],
    ['bad percent-encoding', 'GET /api/v1/records/permits:%zz HTTP/1.1', 'X: y', '', 404],
    ['an id of 10,000 characters', `GET /api/v1/records/permits:${LONG} HTTP/1.1`, 'X: y', '', 404],
    ['a lone surrogate', 'GET /api/v1/feeds/permits/records?limit=%ED%A0%80 HTTP/1.1', 'X: y', '', 400],
    ['a folded field', 'GET /api/v1/feeds HTTP/1.1', 'X: y\r\n z', '', 400],
    ['a lone CR in a field', 'GET /api/v1/feeds HTTP/1.1', 'X: y\rX-Injected: 1', '', 400],
    ['a NUL in a field', 'GET /api/v1/feeds HTTP/1.1', 'X: \0', '', 400],
    ['a head of 70,000 bytes', 'GET /api/v1/feeds HTTP/1.1', `X: ${'y'.repeat(70_000)}`, '', 431],
    ['a space in the target', 'GET /api/v1/f eeds HTTP/1.1', 'X: y', '', 400],
    ['no such method', 'FETCH /api/v1/feeds HTTP/1.1', 'X: y', '', mayParserAnswer ? 400 : 501],
  ])('with %s get what they should', async (_, line, field, body, status) => {
    const answer = await send(`${line}\r\nHost: h.example\r\nConnection: close\r\n${field}\r\n\r\n${body}`);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });
});
