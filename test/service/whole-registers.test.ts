// Whole registers over real sockets, in a server of Node's and in our own: a reader that is sent a part notices, and one that goes
// away, or reads slowly, holds nothing up.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WatchedWalks } from '../contracts/watched-walks.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { until } from '../until.ts';
import { addSamples, SAMPLES, type World, world } from '../world.ts';
import { embedded, own, type Start } from './servers.ts';

interface Sent {
  readonly bytes: Buffer;
  /** Whether the connection was reset. */
  readonly isReset: boolean;
}

async function untilClosed(socket: Socket): Promise<Sent> {
  const chunks: Buffer[] = [];
  let isReset = false;
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', (error: NodeJS.ErrnoException) => (isReset = error.code === 'ECONNRESET'));
  await new Promise((resolve) => socket.once('close', resolve));
  return { bytes: Buffer.concat(chunks), isReset };
}

describe.each([
  ['a server of Node’s', embedded],
  ['our own server', own],
])('%s', (_, start: Start) => {
  async function started(): Promise<
    World & { readonly walks: WatchedWalks; readonly ask: (version: string) => Socket }
  > {
    const store = SqliteStore.open(':memory:');
    const walks = new WatchedWalks(store);
    const service = await world({ samples: SAMPLES, store });
    await addSamples(store, SAMPLES + 1, 3000);
    const { port, stop } = await start(service);
    onTestFinished(() => stop().then(() => undefined));
    const ask = (version: string): Socket => {
      const socket = connect(port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      const head = ['Host: localhost', `Authorization: Bearer ${service.key}`, 'Connection: close', '', ''];
      socket.write(`GET /api/v1/feeds/permits/register.csv HTTP/${version}\r\n${head.join('\r\n')}`);
      return socket;
    };
    return { ...service, walks, ask };
  }

  it.each(['1.1', '1.0'])('tells the end of a document from a break, in HTTP/%s', async (version) => {
    const { walks, ask, errors } = await started();
    const isWhole = ({ bytes, isReset }: Sent): boolean =>
      !isReset && (version === '1.0' || bytes.subarray(-7).toString() === '\r\n0\r\n\r\n');
    const whole = await untilClosed(ask(version));
    expect([isWhole(whole), whole.bytes.length > 100_000]).toEqual([true, true]);
    walks.read = 0;
    walks.before = (pages) => {
      if (pages === 15) throw new Error('the disk is gone');
    };
    const broken = await untilClosed(ask(version));
    expect(isWhole(broken)).toBe(false);
    expect(errors).toHaveLength(1);
  });

  it('reads no further once a reader has hung up, and that is no failure', async () => {
    const { walks, ask, errors, lines } = await started();
    const held = Promise.withResolvers<undefined>();
    walks.before = (pages) => (pages === 15 ? held.promise : undefined);
    const socket = ask('1.1');
    await once(socket, 'data');
    socket.resume();
    await until('a page that takes long', () => walks.read === 15);
    socket.destroy();
    await until('a line in the log', () => lines.length > 0);
    held.resolve(undefined);
    await until('the end of the walk', () => walks.walking === 0);
    expect(walks.read).toBeLessThan(20);
    expect(lines).toMatchObject([{ status: 200, broken_off: true }]);
    expect(errors).toEqual([]);
  });

  it('waits for a reader that does not read', async () => {
    const { store, walks, ask } = await started();
    // What the system takes for a reader that does not read is some megabytes.
    await addSamples(store, 3001, 30_000);
    const socket = ask('1.1');
    await once(socket, 'data');
    socket.pause();
    let before = -1;
    await until('the walk to stand still', async () => {
      const stands = walks.read === before;
      before = walks.read;
      for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
      return stands && walks.read === before;
    });
    expect(walks.read).toBeLessThan(290);
    expect(walks.walking).toBe(1);
    socket.destroy();
    await until('the end of the walk', () => walks.walking === 0);
  });
});
