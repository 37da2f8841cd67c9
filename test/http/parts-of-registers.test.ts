// Parts of whole registers (RFC 9110 14): a download that broke off goes on where it was, of the same state or not at all.
import { beforeEach, describe, expect, it } from 'vitest';
import { gunzipSync } from 'node:zlib';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { at } from '../contracts/store-register.ts';
import { WatchedWalks } from '../contracts/watched-walks.ts';
import { addSamples, API, SAMPLES, type World, world } from '../world.ts';

/** More than a store reads at once. */
const RECORDS = 3000;

let service: World;
let walks: WatchedWalks;
beforeEach(async () => {
  const store = SqliteStore.open(':memory:');
  walks = new WatchedWalks(store);
  service = await world({ samples: SAMPLES, store });
  await addSamples(store, SAMPLES + 1, RECORDS);
});

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
  service.pro(`/feeds/permits/${path}`, { headers, method });

async function bytesOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

/** The address of exactly these bytes, below that of the register. */
async function taggedOf(path: string): Promise<string> {
  const { headers } = await ask(path, {}, 'HEAD');
  return headers.get('content-location')!.slice(`${API}/feeds/permits/`.length);
}

const change = (): Promise<unknown> => addSamples(service.store, RECORDS + 1, RECORDS + 1, at(9));

/** The register as it was when it had half its records. */
const MOMENT = 'register.xml?at=2026-05-01T00%3A10%3A00Z';

it('names itself by an address that can be asked for, of a moment too', async () => {
  const self = /self="([^"]+)"/.exec(await (await ask(MOMENT)).text())![1]!;
  expect(self).toBe(`${API}/feeds/permits/${MOMENT}`);
});

it('has an address of its own for each state, with the same bytes and tag', async () => {
  for (const path of [
    'register.csv',
    'register.csv?bom=1',
    'register.xml?document_type=adopted&fields=title',
    MOMENT,
  ]) {
    const plain = await ask(path);
    expect([plain.headers.get('accept-ranges'), plain.headers.has('content-length')]).toEqual(['bytes', false]);
    const tagged = await ask(await taggedOf(path));
    expect([tagged.status, tagged.headers.get('etag')]).toEqual([200, plain.headers.get('etag')]);
    expect(tagged.headers.has('content-location')).toBe(false);
    expect((await bytesOf(tagged)).equals(await bytesOf(plain))).toBe(true);
  }
});

describe.each(['csv', 'ndjson', 'xml', 'xlsx', 'parquet'])('a part of a register as %s', (format) => {
  const path = `register.${format}`;

  it('is what it says, at both ends and in the middle, in one piece or many', async () => {
    const whole = await bytesOf(await ask(path));
    const { length } = whole;
    const tagged = await taggedOf(path);
    const cuts = [0, 1, 65_536, Math.floor(length / 2), length - 1].filter((cut) => cut < length);
    for (const [at, first] of cuts.entries()) {
      const last = (cuts[at + 1] ?? length) - 1;
      for (const [range, from, to] of [
        [`bytes=${first}-`, first, length - 1],
        [`bytes=${first}-${last}`, first, last],
        [`bytes=${first}-${length + 5}`, first, length - 1],
        [`bytes=-${length - first}`, first, length - 1],
      ] as const) {
        const part = await ask(tagged, { range });
        expect([range, part.status]).toEqual([range, 206]);
        expect(part.headers.get('content-range')).toBe(`bytes ${from}-${to}/${length}`);
        expect(part.headers.get('content-length')).toBe(String(to - from + 1));
        expect((await bytesOf(part)).equals(whole.subarray(from, to + 1))).toBe(true);
      }
    }
    expect(walks.walking).toBe(0);
  });
});

it('that was broken off at ten places is whole at its tagged address', async () => {
  const whole = await bytesOf(await ask('register.csv'));
  const tagged = await taggedOf('register.csv');
  let got = Buffer.alloc(0);
  for (let turn = 0; turn < 11; turn++) {
    const response = await ask(tagged, got.length === 0 ? {} : { range: `bytes=${got.length}-` });
    expect(response.status).toBe(got.length === 0 ? 200 : 206);
    if (turn === 10) {
      got = Buffer.concat([got, await bytesOf(response)]);
      break;
    }
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const { value } = await reader.read();
    got = Buffer.concat([got, value!.subarray(0, Math.ceil(whole.length / 11))]);
    await reader.cancel();
  }
  expect(got.equals(whole)).toBe(true);
  const done = await ask(tagged, { range: `bytes=${got.length}-` });
  expect([done.status, done.headers.get('content-range'), (await bytesOf(done)).length]).toEqual([
    416,
    `bytes */${got.length}`,
    0,
  ]);
});

it('of no bytes is empty at its tagged address, as often as it is asked for, and has no part', async () => {
  const tagged = await taggedOf('register.ndjson?document_type=none');
  for (const method of ['GET', 'GET', 'HEAD']) {
    const whole = await ask(tagged, {}, method);
    expect([whole.status, await whole.text()]).toEqual([200, '']);
  }
  const part = await ask(tagged, { range: 'bytes=0-' });
  expect([part.status, part.headers.get('content-range')]).toEqual([416, 'bytes */0']);
  expect(walks.walking).toBe(0);
});

describe('it is whole, whatever part is asked for,', () => {
  it.each([
    ['without a tag', { range: 'bytes=5-' }],
    ['with the tag of another state', { range: 'bytes=5-', 'if-range': '"AAAAAAAAAAAAAAAAAAAAAA"' }],
    ['with a date', { range: 'bytes=5-', 'if-range': new Date().toUTCString() }],
  ])('%s', async (_, headers) => {
    const response = await ask('register.csv', headers);
    expect([response.status, response.headers.has('content-range')]).toEqual([200, false]);
    expect((await bytesOf(response)).equals(await bytesOf(await ask('register.csv')))).toBe(true);
  });

  it.each(['bytes=5-1', 'bytes=1-2,4-5', 'bytes=', 'bytes=a-', 'records=1-2', '-5', 'bytes=-'])(
    'for the range %s, which is none or not one',
    async (range) => {
      expect((await ask(await taggedOf('register.csv'), { range })).status).toBe(200);
    },
  );

  it('with a weak tag, for HEAD, and compressed where it is asked for with the tag of that', async () => {
    const etag = (await ask('register.csv', {}, 'HEAD')).headers.get('etag')!;
    const weak = await ask('register.csv', { range: 'bytes=5-', 'if-range': `W/${etag}` });
    expect(weak.status).toBe(200);
    await weak.body!.cancel();
    expect((await ask('register.csv', { range: 'bytes=5-', 'if-range': etag }, 'HEAD')).status).toBe(200);
    const coded = await ask('register.csv', { 'accept-encoding': 'gzip' }, 'HEAD');
    expect(coded.headers.has('accept-ranges')).toBe(false);
    const again = await ask('register.csv', {
      ...{ 'accept-encoding': 'gzip', range: 'bytes=5-' },
      'if-range': coded.headers.get('etag')!,
    });
    expect([again.status, again.headers.get('content-encoding')]).toEqual([200, 'gzip']);
  });
});

it('counts what was unpacked, for who asked for the beginning compressed', async () => {
  const tagged = await taggedOf('register.csv');
  const whole = gunzipSync(await bytesOf(await ask(tagged, { 'accept-encoding': 'gzip' })));
  const rest = await ask(tagged, { 'accept-encoding': 'gzip', range: 'bytes=1000-' });
  expect([rest.status, rest.headers.has('content-encoding')]).toEqual([206, false]);
  expect((await bytesOf(rest)).equals(whole.subarray(1000))).toBe(true);
});

it('is a part where If-Range has the tag, and nothing where the client has it all', async () => {
  const etag = (await ask('register.csv', {}, 'HEAD')).headers.get('etag')!;
  const part = await ask('register.csv', { range: 'bytes=5-9', 'if-range': etag });
  expect([part.status, (await bytesOf(part)).length]).toEqual([206, 5]);
  const same = await ask('register.csv', { range: 'bytes=5-9', 'if-range': etag, 'if-none-match': etag });
  expect(same.status).toBe(304);
  expect((await ask('register.csv', { range: 'bytes=5-9', 'if-match': '"other"' })).status).toBe(412);
});

describe('after a change', () => {
  it('is refused at the address of the state before, whole too', async () => {
    const tagged = await taggedOf('register.csv');
    await change();
    for (const headers of [{}, { range: 'bytes=5-' }]) {
      const refused = await ask(tagged, headers);
      expect(refused.status).toBe(409);
      expect(await refused.json()).toMatchObject({ code: 'register_changed', parameter: 'etag' });
    }
    expect((await ask('register.csv?etag=nothing')).status).toBe(400);
  });

  it.each([
    'while it is counted',
    'before its first byte is read',
    'in its middle',
    'before its last page',
    'of a whole',
  ])('that comes %s is never joined to the state before', async (when) => {
    const { length } = await bytesOf(await ask('register.csv'));
    const groups = walks.read;
    const tagged = await taggedOf('register.csv');
    const range = when === 'of a whole' ? {} : { range: `bytes=${Math.floor(length / 2)}-` };
    if (!when.includes('whole') && !when.includes('counted')) await bytesOf(await ask(tagged, { range: 'bytes=-1' }));
    const begun = walks.read;
    const middle = Math.floor(groups / 2);
    const group = { 'before its first byte is read': 0, 'before its last page': groups - 1 }[when] ?? middle;
    let isChanged = false;
    walks.before = async (read) => {
      if (read - begun < group || isChanged) return;
      isChanged = true;
      await change();
    };
    const answer = await ask(tagged, range);
    const body = answer.status < 300 ? await bytesOf(answer).catch(() => null) : null;
    expect([when, isChanged, body?.length ?? null]).toEqual([when, true, null]);
    if (answer.status >= 300) expect(answer.status).toBe(409);
    expect(walks.walking).toBe(0);
  });

  it('that comes while the whole is sent at its plain address does not break it off', async () => {
    walks.before = async () => {
      walks.before = () => undefined;
      await change();
    };
    expect((await bytesOf(await ask('register.csv'))).includes('Permit 1: ')).toBe(true);
  });
});

it('has a Content-Length at its tagged address once its length is known', async () => {
  const tagged = await taggedOf('register.csv');
  const { length } = await bytesOf(await ask(tagged));
  for (const method of ['HEAD', 'GET']) {
    const response = await ask(tagged, {}, method);
    expect([response.status, response.headers.get('content-length')]).toEqual([200, String(length)]);
    expect((await bytesOf(response)).length).toBe(method === 'GET' ? length : 0);
  }
  expect((await ask('register.csv', {}, 'HEAD')).headers.has('content-length')).toBe(false);
  expect((await ask(tagged, { 'accept-encoding': 'gzip' }, 'HEAD')).headers.has('content-length')).toBe(false);
});

it('has no length that a reader who went away had counted, and its next reader all of it', async () => {
  const tagged = await taggedOf('register.csv');
  const { length } = await bytesOf(await ask('register.csv'));
  const begun = walks.read;
  const hangUp = new AbortController();
  walks.before = (read) => {
    if (read > begun) hangUp.abort();
  };
  const headers = { authorization: `Bearer ${service.key}`, range: 'bytes=5-' };
  const request = new Request(`${API}/feeds/permits/${tagged}`, { headers, signal: hangUp.signal });
  expect((await service.fetch(request)).status).toBe(499);
  const late = new AbortController();
  late.abort();
  const left = new Request(`${API}/feeds/permits/${tagged}`, { headers, signal: late.signal });
  await service.fetch(left).catch(() => undefined);
  walks.before = () => undefined;
  const part = await ask(tagged, { range: 'bytes=5-' });
  expect(part.headers.get('content-range')).toBe(`bytes 5-${length - 1}/${length}`);
  expect((await bytesOf(await ask(tagged))).length).toBe(length);
});

it('is for those alone who may have the whole, and takes the place of one', async () => {
  const tagged = await taggedOf('register.csv');
  expect((await service.get(`/feeds/permits/${tagged}`, { headers: { range: 'bytes=5-' } })).status).toBe(401);
  const parts = [await ask(tagged, { range: 'bytes=5-' }), await ask(tagged, { range: 'bytes=6-' })];
  expect(parts.map(({ status }) => status)).toEqual([206, 206]);
  expect((await ask(tagged, { range: 'bytes=7-' })).status).toBe(503);
  for (const part of parts) await part.body!.cancel();
  expect((await ask(tagged, { range: 'bytes=7-' })).status).toBe(206);
});
