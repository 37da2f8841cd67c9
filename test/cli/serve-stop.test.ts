// How `gazette serve` stops while somebody is still reading, in processes of its own.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { makeStore, serve } from './served.ts';
import { until } from '../until.ts';

const RECORDS = 40;

/** So long that a page of {@link RECORDS} fits into no socket's buffers: it is sent only as fast as it is read. */
const CONTENT_LENGTH = 300_000;

/** One long word: nothing here is about finding it, and many take three times as long to index. */
const PAGE = { content: 'x'.repeat(CONTENT_LENGTH), content_type: 'text' } as const;

/** Asks for the page, reads its beginning, and then nothing. */
async function download(api: string, key: string): Promise<{ readonly socket: Socket; readonly begun: Buffer }> {
  const socket = connect(Number(new URL(api).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write(
    `GET /api/v1/feeds/permits/records/export.csv HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`,
  );
  await once(socket, 'readable');
  const begun = socket.read() as Buffer;
  return { socket, begun };
}

/** Waits until nobody is let in any more. */
async function untilClosed(api: string): Promise<void> {
  await until('a closed port', async () => {
    const socket = connect(Number(new URL(api).port), '127.0.0.1');
    try {
      await once(socket, 'connect');
      return false;
    } catch (error) {
      // Reset is who was let in by the one process and found the others closing.
      return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
    } finally {
      socket.destroy();
    }
  });
}

describe('gazette serve, told to end while a page is being fetched slowly', () => {
  /** A store that each service only reads. */
  let path: string;
  let key: string;
  beforeAll(async () => {
    const place = await mkdtemp(join(tmpdir(), 'gazette-stop-'));
    ({ path, key } = await makeStore(RECORDS, PAGE, place));
    return () => rm(place, { recursive: true });
  });

  it.each(['1', '2'])('sends all of it, lets nobody new in, and ends with 0 (%s processes)', async (workers) => {
    const { child, api, ended } = await serve(path, '--workers', workers);
    const { socket, begun } = await download(api, key);
    const head = begun.toString('latin1').split('\r\n\r\n', 1)[0]!;
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    const length = Number(/content-length: (\d+)/i.exec(head)![1]);
    expect(length).toBeGreaterThan(RECORDS * CONTENT_LENGTH * 0.9);

    child.kill('SIGTERM');
    await untilClosed(api);
    const chunks = [begun];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).length - head.length - 4).toBe(length);
    expect(await ended).toMatchObject({ code: 0, signal: null });
  });

  it('waits no longer once it is told a second time', async () => {
    const { child, api, ended } = await serve(path);
    const { socket } = await download(api, key);
    socket.on('error', () => undefined);
    child.kill('SIGTERM');
    await untilClosed(api);
    child.kill('SIGTERM');
    // Whoever waits until the time is over ends with a code, and no signal.
    expect(await ended).toMatchObject({ code: null, signal: 'SIGTERM' });
  });
});
