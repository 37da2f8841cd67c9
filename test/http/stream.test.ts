// The reading half of the Durable Streams protocol as a table: each of its MUSTs (and the SHOULDs that were taken) is a test, named
// by its clause. Live answers, and time, are in stream-live.test.ts.
import { describe, expect, it } from 'vitest';
import type { StreamMessage } from '../../src/register/record.ts';
import { at, permits } from '../contracts/store-register.ts';
import { keyAt, statementAt, type World, world } from '../world.ts';

/** More than two chunks. */
const COUNT = 250;
const STREAM = '/feeds/open/stream';
const OFFSET = /^[0-9a-f]{8}_[0-9]{16}$/;

/** A service with an open register. */
async function opened(): Promise<World> {
  const service = await world({ records: 12 });
  await service.store.createRegister({ ...permits('open'), access: 'open' });
  const records = Array.from({ length: COUNT }, (_, index) => statementAt(index + 1, COUNT, 'open'));
  await service.store.apply('open', records, { recordedAt: at(1) });
  return service;
}

/** For all that only ask. */
const shared = await opened();

const nextOf = ({ headers }: Response): string => headers.get('stream-next-offset')!;
const messagesOf = async (response: Response): Promise<readonly StreamMessage[]> =>
  (await response.json()) as readonly StreamMessage[];

/** The answers from an offset to the end. */
async function walk({ get }: Pick<World, 'get'>, from = '-1', filter = ''): Promise<readonly Response[]> {
  const answers: Response[] = [];
  for (let offset = from; ;) {
    const answer = await get(`${STREAM}?offset=${offset}${filter}`);
    expect(answer.status).toBe(200);
    answers.push(answer);
    if (answer.headers.get('stream-up-to-date') === 'true') return answers;
    offset = nextOf(answer);
  }
}

async function messages(service: Pick<World, 'get'>, from = '-1', filter = ''): Promise<readonly StreamMessage[]> {
  return (await Promise.all((await walk(service, from, filter)).map(messagesOf))).flat();
}

const correct = ({ store }: World, title: string, index = 1): Promise<unknown> =>
  store.apply('open', [{ ...statementAt(index, COUNT, 'open'), title }], { recordedAt: at(30) });

type Must = readonly [clause: string, sentence: string, holds: () => Promise<void>];

const MUSTS: readonly Must[] = [
  [
    '4',
    'what is at an offset stays, whatever is appended',
    async () => {
      const service = await opened();
      const before = await (await service.get(`${STREAM}?offset=-1`)).text();
      await correct(service, 'Another');
      expect(await (await service.get(`${STREAM}?offset=-1`)).text()).toBe(before);
    },
  ],
  [
    '5.2',
    'no method writes: 405',
    async () => {
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
        const answer = await shared.get(STREAM, { method });
        expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD, OPTIONS']);
      }
    },
  ],
  [
    '5.5',
    'HEAD names the tail, which no cache keeps, and has no body',
    async () => {
      const answer = await shared.get(`${STREAM}?offset=-1`, { method: 'HEAD' });
      const tail = nextOf((await walk(shared)).at(-1)!);
      expect([answer.status, nextOf(answer), await answer.text()]).toEqual([200, tail, '']);
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.has('stream-closed')).toBe(false);
    },
  ],
  [
    '5.5',
    'HEAD of no stream is 404',
    async () => {
      expect((await shared.pro('/feeds/none/stream', { method: 'HEAD' })).status).toBe(404);
    },
  ],
  [
    '5.6',
    'without an offset, the stream begins at its start',
    async () => {
      const [bare, first] = [await shared.get(STREAM), await shared.get(`${STREAM}?offset=-1`)];
      expect(await bare.text()).toBe(await first.text());
      expect(nextOf(bare)).toBe(nextOf(first));
    },
  ],
  [
    '5.6',
    'Stream-Up-To-Date is at the end and nowhere before',
    async () => {
      const answers = await walk(shared);
      expect(answers.map(({ headers }) => headers.get('stream-up-to-date'))).toEqual([null, null, 'true']);
      expect((await Promise.all(answers.map(messagesOf))).map(({ length }) => length)).toEqual([100, 100, 50]);
    },
  ],
  [
    '5.6',
    'at the tail there is an empty array, and the offset that was asked for',
    async () => {
      const tail = nextOf((await walk(shared)).at(-1)!);
      const answer = await shared.get(`${STREAM}?offset=${tail}`);
      expect([answer.status, await answer.text(), nextOf(answer)]).toEqual([200, '[]', tail]);
      expect(answer.headers.get('stream-up-to-date')).toBe('true');
    },
  ],
  [
    '5.6',
    'a malformed offset is 400',
    async () => {
      for (const offset of [
        '',
        '0',
        '-2',
        'NOW',
        '12345678',
        '12345678_1',
        `${'x'.repeat(8)}_${'0'.repeat(16)}`,
        '-1&offset=-1',
      ]) {
        const problem = await shared.problem(`${STREAM}?offset=${offset}`);
        expect([offset, problem.status, problem.parameter]).toEqual([offset, 400, 'offset']);
      }
    },
  ],
  [
    '5.6',
    'an offset that the stream does not have yet is 400',
    async () => {
      const [log] = nextOf(await shared.get(STREAM)).split('_');
      for (const change of [COUNT + 1, '9'.repeat(16)]) {
        const problem = await shared.problem(`${STREAM}?offset=${log}_${String(change).padStart(16, '0')}`);
        expect(problem).toMatchObject({ status: 400, code: 'invalid_parameter', parameter: 'offset' });
      }
    },
  ],
  [
    '5.6',
    'no stream is 404',
    async () => {
      expect(await shared.problem('/feeds/none/stream', shared)).toMatchObject({ status: 404, code: 'unknown_feed' });
    },
  ],
  [
    '5.6',
    'an offset of a log that is gone is 410, and of a register that is gone 404',
    async () => {
      const service = await opened();
      const offset = nextOf(await service.get(STREAM));
      await service.store.removeRegister('open');
      expect((await service.pro(`${STREAM}?offset=${offset}`)).status).toBe(404);
      await service.store.createRegister({ ...permits('open'), access: 'open' });
      for (const live of ['', '&live=long-poll', '&live=sse']) {
        const answer = await service.get(`${STREAM}?offset=${offset}${live}`);
        expect([live, answer.status]).toEqual([live, 410]);
        expect(await answer.json()).toMatchObject({
          ...{ code: 'log_restarted', parameter: 'offset' },
          detail: expect.stringContaining('offset=-1') as string,
        });
      }
      expect(await messages(service)).toEqual([]);
    },
  ],
  [
    '5.7, 5.8',
    'live answers need an offset, and there are two kinds',
    async () => {
      for (const query of ['live=long-poll', 'live=sse']) {
        expect(await shared.problem(`${STREAM}?${query}`)).toMatchObject({ status: 400, parameter: 'offset' });
      }
      for (const live of ['', 'true', 'SSE', 'long-poll&live=sse']) {
        expect(await shared.problem(`${STREAM}?offset=-1&live=${live}`)).toMatchObject({
          status: 400,
          parameter: 'live',
        });
      }
      expect(await shared.problem(`${STREAM}?offset=-1&cursor=x`)).toMatchObject({ status: 400, parameter: 'cursor' });
      expect(await shared.problem(`${STREAM}?timeout=3`)).toMatchObject({ status: 400, code: 'unknown_parameter' });
    },
  ],
  [
    '8',
    'offsets rise as texts, are short, and are no sentinel',
    async () => {
      const offsets = (await walk(shared)).map(nextOf);
      expect(offsets.every((offset) => OFFSET.test(offset))).toBe(true);
      expect(offsets.toSorted()).toEqual(offsets);
      expect(new Set(offsets).size).toBe(offsets.length);
    },
  ],
  [
    '8',
    'what was read from each offset on is what follows it',
    async () => {
      const all = await messages(shared);
      const [log] = nextOf(await shared.get(STREAM)).split('_');
      for (const since of [0, 1, 99, 100, 101, 249]) {
        const rest = await messages(shared, `${log}_${String(since).padStart(16, '0')}`);
        expect(rest).toEqual(all.slice(since));
      }
    },
  ],
  [
    '8',
    'from now on there is nothing yet: an empty array, the tail, and no cache keeps it',
    async () => {
      const answer = await shared.get(`${STREAM}?offset=now`);
      const tail = nextOf(await shared.get(STREAM, { method: 'HEAD' }));
      expect([answer.status, await answer.text(), nextOf(answer)]).toEqual([200, '[]', tail]);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        ...{ 'stream-up-to-date': 'true', 'cache-control': 'no-store', 'content-type': 'application/json' },
        'content-length': '2',
      });
      expect(answer.headers.has('etag')).toBe(false);
    },
  ],
  [
    '9.1.5',
    'the body is a JSON array of all messages, each once and in order',
    async () => {
      const answers = await walk(shared);
      expect(answers.every(({ headers }) => headers.get('content-type') === 'application/json')).toBe(true);
      const all = (await Promise.all(answers.map(messagesOf))).flat();
      expect(all.map(({ change }) => change)).toEqual(Array.from({ length: COUNT }, (_, index) => index + 1));
    },
  ],
  [
    '10.1',
    'who has an answer is told so by 304, without a body',
    async () => {
      for (const answer of await walk(shared)) {
        const etag = answer.headers.get('etag')!;
        const at = `${STREAM}?offset=${nextOf(answer)}`;
        const again = await shared.get(at);
        const same = await shared.get(at, { headers: { 'If-None-Match': again.headers.get('etag')! } });
        expect([same.status, await same.text(), nextOf(same)]).toEqual([304, '', nextOf(again)]);
        expect((await shared.get(at, { headers: { 'If-None-Match': etag } })).status).toBe(200);
      }
    },
  ],
  [
    '10.1',
    'the tag tells apart what ends elsewhere, or is not the end any more',
    async () => {
      const service = await opened();
      const last = (await walk(service)).at(-2)!;
      const path = `${STREAM}?offset=${nextOf(last)}`;
      const none = `${STREAM}?offset=-1&document_type=none`;
      const [etag, ofNone] = await Promise.all(
        [path, none].map(async (one) => (await service.get(one)).headers.get('etag')!),
      );
      await service.store.apply(
        'open',
        Array.from({ length: 60 }, (_, index) => statementAt(1000 + index, 9999, 'open')),
        { recordedAt: at(9) },
      );
      const longer = await service.get(path, { headers: { 'If-None-Match': etag! } });
      expect([longer.status, longer.headers.get('stream-up-to-date')]).toEqual([200, null]);
      // The same empty array, which leads further.
      const further = await service.get(none, { headers: { 'If-None-Match': ofNone! } });
      expect([further.status, await further.text()]).toEqual([200, '[]']);
    },
  ],
  [
    '12.1',
    'what needs a key needs it here, in every mode',
    async () => {
      for (const query of ['', '?offset=now', '?offset=-1&live=long-poll', '?offset=now&live=sse']) {
        const path = `/feeds/permits/stream${query}`;
        expect(await shared.problem(path)).toMatchObject({ status: 401, code: 'credentials_required' });
        expect((await shared.get(path, { method: 'HEAD' })).status).toBe(401);
        expect((await shared.problem(path, { key: `gz_${'0'.repeat(32)}_000000` })).status).toBe(401);
      }
      expect(await messagesOf(await shared.pro('/feeds/permits/stream'))).toHaveLength(12);
    },
  ],
  [
    '12.7',
    'no browser guesses its type, and pages of every site may read it',
    async () => {
      for (const query of ['', '?offset=now', '?offset=-1&live=long-poll', '?offset=-1&live=sse', '?offset=none']) {
        const answer = await shared.get(STREAM + query, { headers: { origin: 'https://other.example' } });
        await answer.body?.cancel();
        expect(Object.fromEntries(answer.headers)).toMatchObject({
          ...{ 'x-content-type-options': 'nosniff', 'cross-origin-resource-policy': 'cross-origin' },
          'access-control-allow-origin': '*',
          'access-control-expose-headers': expect.stringMatching(
            /, ETag, .*, Stream-Next-Offset, Stream-Up-To-Date, Stream-Cursor$/,
          ) as string,
        });
      }
      const preflight = await shared.get(STREAM, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://other.example',
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'authorization',
        },
      });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization');
    },
  ],
];

describe('the Durable Streams protocol', () => {
  it.each(MUSTS)('%s: %s', async (_, __, holds) => {
    await holds();
  });
});

describe('a stream', () => {
  it('has what a version says: who, why, when, and the record by it', async () => {
    const service = await opened();
    await correct(service, 'Corrected', 7);
    await service.store.withdraw('open', [`open:${keyAt(8)}`], { recordedAt: at(31) });
    const [corrected, withdrawn] = (await messages(service)).slice(COUNT);
    expect(corrected).toEqual({
      ...{ change: COUNT + 1, record_id: 'open:007', version: 2, cause: 'source_change', changed: ['title'] },
      ...{ recorded_at: at(30), log_index: COUNT },
      record: expect.objectContaining({ id: 'open:007', title: 'Corrected', version: 2 }) as object,
    });
    expect(withdrawn).toMatchObject({ record_id: 'open:008', version: 2, cause: 'withdrawn', record: null });
    expect(Object.keys(withdrawn!).sort()).toEqual([
      'cause',
      'change',
      'changed',
      'log_index',
      'record',
      'record_id',
      'recorded_at',
      'version',
    ]);
  });

  it('ends a chunk after the message that passes 1 MiB', async () => {
    const service = await world({ records: 0 });
    await service.store.createRegister({ ...permits('open'), access: 'open' });
    const content = 'x'.repeat(400 * 1024);
    const long = Array.from({ length: 5 }, (_, index) => ({ ...statementAt(index + 1, 5, 'open'), content }));
    await service.store.apply('open', long, { recordedAt: at(1) });
    const chunks = await Promise.all((await walk(service)).map(messagesOf));
    expect(chunks.map((chunk) => chunk.map(({ change }) => change))).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
  });

  it('says under a filter what no longer matches, and goes past what never did', async () => {
    const service = await opened();
    const all = await messages(service);
    const adopted = await messages(service, '-1', '&document_type=adopted');
    expect(adopted.map(({ change }) => change)).toEqual(
      all.filter(({ record }) => record?.document_type === 'adopted').map(({ change }) => change),
    );
    const tail = nextOf((await walk(service, '-1', '&document_type=adopted')).at(-1)!);
    expect(tail).toBe(nextOf(await service.get(STREAM, { method: 'HEAD' })));
    await service.store.apply('open', [{ ...statementAt(3, COUNT, 'open'), document_type: 'draft' }], {
      recordedAt: at(40),
    });
    await correct(service, 'None of it', 1);
    const [gone, ...others] = await messages(service, tail, '&document_type=adopted');
    expect([gone, others]).toEqual([expect.objectContaining({ record_id: 'open:003', matches: false }), []]);
    expect(await service.problem(`${STREAM}?document_typo=adopted`)).toMatchObject({ status: 400 });
  });

  it('is renewed when one of its versions is erased: nothing of it is left, and the tag is another', async () => {
    const service = await opened();
    const path = `${STREAM}?offset=-1`;
    const before = await service.get(path);
    const etag = before.headers.get('etag')!;
    expect(await before.text()).toContain('Permit number 5"');
    await service.store.redact(`open:${keyAt(5)}`, { recordedAt: at(50) });
    const after = await service.get(path, { headers: { 'If-None-Match': etag } });
    const text = await after.text();
    expect([after.status, text.includes('Permit number 5"')]).toEqual([200, false]);
    expect((JSON.parse(text) as readonly StreamMessage[])[4]).toMatchObject({
      record_id: 'open:005',
      cause: 'first_observed',
      record: null,
    });
    expect((await messages(service)).at(-1)).toMatchObject({ record_id: 'open:005', cause: 'redacted', record: null });
  });

  it('may be kept by caches where it is the same for everybody, and by nobody where it is live for one', async () => {
    const caching = async (path: string, key?: string): Promise<string> => {
      const answer = await shared.get(path, key === undefined ? {} : { key });
      await answer.body?.cancel();
      return answer.headers.get('cache-control')!;
    };
    const rows: readonly (readonly [query: string, open: string, keyed: string])[] = [
      // Of HEAD, that names the end.
      ['', 'private, no-cache', 'private, no-cache'],
      ['?offset=-1', 'public, max-age=60', 'private, no-cache'],
      ['?offset=-1&live=long-poll', 'public, max-age=60', 'private, no-store'],
      ['?offset=-1&live=sse', 'no-store', 'no-store'],
      ['?offset=now', 'no-store', 'no-store'],
    ];
    for (const [query, open, keyed] of rows) {
      const found = [await caching(STREAM + query), await caching(STREAM + query, shared.key)];
      expect([query, ...found]).toEqual([query, open, keyed]);
      expect(await caching(`/feeds/permits/stream${query}`, shared.key)).toBe(keyed);
    }
    expect((await shared.get(`${STREAM}?offset=-1&live=long-poll`)).headers.get('x-request-id')).toBeNull();
  });

  it('is compressed, each coding with a tag of its own; events are not', async () => {
    const ask = (query: string, coding: string): Promise<Response> =>
      shared.get(STREAM + query, { headers: { 'accept-encoding': coding } });
    const [plain, gzip] = [await ask('?offset=-1', 'identity'), await ask('?offset=-1', 'gzip')];
    expect(gzip.headers.get('content-encoding')).toBe('gzip');
    expect(gzip.headers.get('etag')).not.toBe(plain.headers.get('etag'));
    const events = await ask('?offset=-1&live=sse', 'gzip');
    await events.body?.cancel();
    expect(events.headers.has('content-encoding')).toBe(false);
  });
});
