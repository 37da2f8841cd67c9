// A whole register as the client gets it: in one piece or not at all.
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { type ClientOptions, exportPages, wholeRegister } from '../../src/client/index.ts';
import { addSamples, keyAt } from '../world.ts';
import { answering } from './answering.ts';
import { type FaultyService, startFaultyService, withoutWaits } from './faulty-service.ts';

const COUNT = 30;

let service: FaultyService;
let options: ClientOptions;
let waits: number[];
beforeEach(async () => {
  service = await startFaultyService(COUNT);
  ({ options, waits } = withoutWaits(service));
});
afterEach(() => service.stop());

const fileUrl = (format: string): string => `${service.url}/api/v1/feeds/permits/register.${format}`;

async function bytesOf(body: ReadableStream<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(body));
}

it('is what all pages together are, with the filter and fields that were asked for', async () => {
  const { body, headers } = await wholeRegister(fileUrl('csv'), { ...options, filter: { document_type: 'adopted' } });
  expect(headers.get('content-type')).toMatch(/^text\/csv/);
  const pages = exportPages(`${service.url}/api/v1/feeds/permits/records/export.csv`, {
    ...options,
    filter: { document_type: 'adopted' },
  });
  const [page] = await Array.fromAsync(pages);
  expect((await bytesOf(body)).equals(page!.body)).toBe(true);

  const { records } = await wholeRegister(fileUrl('ndjson'), { ...options, fields: ['title'] });
  expect(await Array.fromAsync(records())).toEqual(
    Array.from({ length: COUNT }, (_, index) => ({
      id: `permits:${keyAt(COUNT - index)}`,
      title: `Permit number ${COUNT - index}`,
    })),
  );
});

it('waits as long as a service asks that sends as many as it may, and asks again before anything has come', async () => {
  service.faults.push({ status: 503, headers: { 'Retry-After': '30' } }, 'reset');
  const { body } = await wholeRegister(fileUrl('csv'), options);
  expect((await bytesOf(body)).length).toBeGreaterThan(1000);
  expect(waits[0]).toBe(30_000);
  expect(service.asked.map(({ status }) => status)).toEqual([503, 200, 200]);
});

it('is refused for good where a key is needed', async () => {
  await expect(wholeRegister(fileUrl('csv'), { ...options, key: undefined })).rejects.toMatchObject({
    code: 'request_refused',
    details: { status: 401, code: 'credentials_required' },
  });
});

it('goes on where the connection broke, again and again, unless the register has changed', async () => {
  const large = await startFaultyService(8000);
  onTestFinished(() => large.stop());
  const { options: withKey } = withoutWaits(large);
  const file = `${large.url}/api/v1/feeds/permits/register.ndjson`;
  const all = await bytesOf((await wholeRegister(file, withKey)).body);
  large.faults.push('broken', 'broken', 'reset', { status: 503 }, 'broken');
  const { body, headers } = await wholeRegister(file, withKey);
  expect(headers.get('content-encoding')).not.toBeNull();
  expect((await bytesOf(body)).equals(all)).toBe(true);
  expect(large.faults).toEqual([]);

  large.faults.push('broken');
  const { body: before } = await wholeRegister(file, withKey);
  await addSamples(large.store, 8001, 8001);
  await expect(bytesOf(before)).rejects.toMatchObject({ code: 'request_failed' });
});

it.each([
  ['other bytes', { 'content-range': 'bytes 3-9/10' }],
  ['a part of the rest', { 'content-range': 'bytes 0-8/10' }],
  ['compressed bytes', { 'content-range': 'bytes 0-9/10', 'content-encoding': 'gzip' }],
  ['bytes of another state', { 'content-range': 'bytes 0-9/10', etag: '"B"' }],
  ['bytes that are only much like them', { 'content-range': 'bytes 0-9/10', etag: 'W/"A"' }],
])('does not go on with %s', async (_, fields) => {
  const answers: ServerResponse[] = [];
  const url = await answering((response) => {
    const isFirst = answers.push(response) === 1;
    response.writeHead(isFirst ? 200 : 206, { 'content-location': '/register.csv?etag=A', ...(isFirst ? {} : fields) });
    if (isFirst) response.write('abc');
    else response.end('abcdefghij');
  });
  const reader = (await wholeRegister(url, options)).body.getReader();
  expect(Buffer.from((await reader.read()).value!).toString()).toBe('abc');
  answers[0]!.destroy();
  await expect(reader.read()).rejects.toMatchObject({ code: 'request_failed' });
  expect(answers).toHaveLength(2);
});

it('leaves no connection open where its caller goes away while it is asked again', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<undefined>();
  const { promise: asked, resolve: ask } = Promise.withResolvers<ServerResponse>();
  const answers: ServerResponse[] = [];
  const url = await answering((response) => {
    const isFirst = answers.push(response) === 1;
    response.once('close', () => {
      if (!isFirst) resolve(undefined);
    });
    if (isFirst) response.writeHead(200, { 'content-location': '/register.csv?etag=A' }).write('abc');
    else ask(response);
  });
  const reader = (await wholeRegister(url, options)).body.getReader();
  await reader.read();
  answers[0]!.destroy();
  const reading = reader.read();
  const second = await asked;
  await reader.cancel();
  second.writeHead(206, { 'content-range': 'bytes 2-9/10' }).write('c');
  await closed;
  await reading;
});

it('says why it cannot go on', async () => {
  const answers: ServerResponse[] = [];
  const url = await answering((response) => {
    if (answers.push(response) === 1) response.writeHead(200, { 'content-location': '/a.csv?etag=A' }).write('abc');
    else response.writeHead(409).end('{"code":"register_changed"}');
  });
  const reader = (await wholeRegister(url, options)).body.getReader();
  await reader.read();
  answers[0]!.destroy();
  await expect(reader.read()).rejects.toMatchObject({
    code: 'request_failed',
    message: expect.stringContaining('register_changed') as string,
    cause: { code: 'request_refused' },
  });
});

it('gives up where nothing more comes', async () => {
  let asked = 0;
  const url = await answering((response) => {
    const fields = asked++ === 0 ? {} : { 'content-range': 'bytes 0-9/10' };
    response.writeHead(asked === 1 ? 200 : 206, { 'content-location': '/register.csv?etag=A', ...fields });
    response.flushHeaders();
    setImmediate(() => response.destroy());
  });
  await expect(bytesOf((await wholeRegister(url, { ...options, attempts: 100 })).body)).rejects.toMatchObject({
    code: 'request_failed',
  });
  expect(asked).toBeGreaterThan(2);
});

it('fails where the connection breaks in the middle of what has no such address, and asks for nothing again', async () => {
  let asked = 0;
  const url = await answering((response) => {
    asked++;
    // Not of one state.
    response.writeHead(200, { 'content-location': '/register.ndjson' });
    response.write('{"id":"permits:1"}\n', () => response.destroy());
  });
  const { records } = await wholeRegister(url, options);
  const read: unknown[] = [];
  const reading = (async () => {
    for await (const record of records()) read.push(record);
  })();
  await expect(reading).rejects.toMatchObject({ code: 'request_failed' });
  expect([asked, waits]).toEqual([1, []]);
});

it('fails where nothing more comes, and does not hurry a reader that takes its time', async () => {
  let rest: (() => void) | undefined;
  const url = await answering((response) => {
    response.write('{"id":"permits:1"}\n');
    rest = () => response.end('{"id":"permits:2"}\n');
  });
  const slow = (await wholeRegister(url, { ...options, timeoutMs: 500 })).records();
  expect(await slow.next()).toMatchObject({ value: { id: 'permits:1' } });
  await expect(slow.next()).rejects.toMatchObject({ code: 'request_failed' });

  const patient = (await wholeRegister(url, { ...options, timeoutMs: 60_000 })).records();
  expect(await patient.next()).toMatchObject({ value: { id: 'permits:1' } });
  rest!();
  expect(await patient.next()).toMatchObject({ value: { id: 'permits:2' } });
  expect((await patient.next()).done).toBe(true);
});

it('ends when its caller no longer wants it, at the service too', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<undefined>();
  const url = await answering((response) => {
    response.once('close', () => {
      resolve(undefined);
    });
    response.write('{"id":"permits:1"}\n');
  });
  const stop = new AbortController();
  const { body } = await wholeRegister(url, { ...options, signal: stop.signal });
  const reader = body.getReader();
  await reader.read();
  stop.abort();
  await expect(reader.read()).rejects.toMatchObject({ code: 'aborted' });
  await closed;
});

it.each(['no JSON', '{"title":"no id"}', 'null'])('refuses a line that is no record: %s', async (line) => {
  const url = await answering((response) => response.end(`${line}\n`));
  const { records } = await wholeRegister(url, options);
  await expect(Array.fromAsync(records())).rejects.toMatchObject({ code: 'invalid_answer' });
});

it('refuses what cannot be an address before it asks', async () => {
  await expect(wholeRegister('nowhere')).rejects.toMatchObject({ code: 'invalid_option' });
  await expect(wholeRegister(fileUrl('csv'), { key: 'a b' })).rejects.toMatchObject({ code: 'invalid_option' });
});
