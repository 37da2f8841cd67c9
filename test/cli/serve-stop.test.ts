// How `gazette serve` stops while somebody is still reading, in processes of its own.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Accounts } from '../../src/access/accounts.ts';
import { SqliteStore } from '../../src/stores/sqlite.ts';
import { statementOf } from '../../src/stores/statement.ts';
import { SAMPLE_DEFINITION, sampleRecord } from '../contracts/sample-register.ts';
import { type Ending, ending, folder, start } from './run.ts';

const RECORDS = 100;

/** So long that a page of {@link RECORDS} fits into no socket's buffers: it is sent only as fast as it is read. */
const CONTENT_LENGTH = 300_000;

/** A store whose one page is a long download, and a key. */
async function makeStore(): Promise<{ readonly path: string; readonly key: string }> {
  const path = `${await folder()}/gazette.db`;
  const store = SqliteStore.open(path);
  await store.createRegister(SAMPLE_DEFINITION);
  const content = 'A long decision. '.repeat(CONTENT_LENGTH / 17);
  const batch = Array.from({ length: RECORDS }, (_, index) => {
    return statementOf(sampleRecord(index + 1, { content, content_type: 'text' }), true);
  });
  await store.apply('permits', batch, { recordedAt: '2026-10-01T10:00:00Z' });
  const accounts = new Accounts(store, { product: 'gazette' });
  await accounts.add('demo', '2999-01-01T00:00:00Z');
  const { key } = await accounts.createKey('demo');
  await store.close();
  return { path, key };
}

interface Served {
  readonly port: number;
  readonly ended: Promise<Ending>;
  readonly kill: () => void;
}

async function serve(path: string, ...options: readonly string[]): Promise<Served> {
  const child = start(['serve', '--store', path, '--port', '0', ...options]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = ending(child);
  const port = await new Promise<number>((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const found = /serving .* on http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    child.once('exit', () => {
      reject(new Error(`it ended: ${said}`));
    });
  });
  return { port, ended, kill: () => void child.kill('SIGTERM') };
}

/** Asks for the page, reads its beginning, and then nothing. */
async function download(port: number, key: string): Promise<{ readonly socket: Socket; readonly begun: Buffer }> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write(
    `GET /api/v1/feeds/permits/records/export.csv HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`,
  );
  await once(socket, 'readable');
  const begun = socket.read() as Buffer;
  return { socket, begun };
}

/** Waits until nobody is let in any more. */
async function untilClosed(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
    } catch (error) {
      // Reset is who was let in by the one process and found the others closing.
      if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return;
    } finally {
      socket.destroy();
    }
    await wait(10);
  }
}

describe('gazette serve, told to end while a page is being fetched slowly', () => {
  it.each(['1', '2'])('sends all of it, lets nobody new in, and ends with 0 (%s processes)', async (workers) => {
    const { path, key } = await makeStore();
    const { port, ended, kill } = await serve(path, '--workers', workers);
    const { socket, begun } = await download(port, key);
    const head = begun.toString('latin1').split('\r\n\r\n', 1)[0]!;
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    const length = Number(/content-length: (\d+)/i.exec(head)![1]);
    expect(length).toBeGreaterThan(RECORDS * CONTENT_LENGTH * 0.9);

    kill();
    await untilClosed(port);
    const chunks = [begun];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).length - head.length - 4).toBe(length);
    expect(await ended).toMatchObject({ code: 0, signal: null });
  });

  it('waits no longer once it is told a second time', async () => {
    const { path, key } = await makeStore();
    const { port, ended, kill } = await serve(path);
    const { socket } = await download(port, key);
    socket.on('error', () => undefined);
    kill();
    await untilClosed(port);
    const at = performance.now();
    kill();
    expect((await ended).signal).toBe('SIGTERM');
    expect(performance.now() - at).toBeLessThan(3000);
  });
});
