// `gazette serve --limits`: what is refused of it, and what is said where Redis, or ioredis, is not there.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openRedisCounter } from '../../../../src/cli/process/limits/redis.ts';
import { freePort } from '../../../docs/free-port.ts';
import { gazetteProcess } from '../../run.ts';
import { makeStore } from '../../served.ts';

/** Node finds every package but ioredis, as where it was not installed. */
const WITHOUT_IOREDIS = `
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(name, context, next) {
      if (name !== 'ioredis') return next(name, context);
      throw Object.assign(new Error("Cannot find package 'ioredis'"), { code: 'ERR_MODULE_NOT_FOUND' });
    },
  });`;

const failureOf = (limits: string): Promise<unknown> =>
  openRedisCounter({ limits, product: 'gazette' }).catch((thrown: unknown) => thrown);

describe('the Redis that counts requests', () => {
  it('is none where none is named', async () => {
    expect(await openRedisCounter({ product: 'gazette' })).toBeNull();
  });

  it.each([
    'redis.example.org:6379',
    'https://:hunter2@redis.example.org',
    'redis://:hunter2@',
    'redis://:hunter2@redis.example.org/limits',
    'redis://:hunter2@redis.example.org/0?family=6',
    'redis://:hun/ter2@redis.example.org',
    'redis://:hun#ter2@redis.example.org',
  ])('is refused as %s, without its password', async (limits) => {
    const error = await failureOf(limits);
    expect(error).toMatchObject({
      code: 'usage',
      message: '--limits must be a URL such as redis://:password@redis.example.org:6379/0',
    });
  });

  it('is named without its password where nobody listens', async () => {
    const port = await freePort();
    const error = await failureOf(`redis://anna:hunter2@127.0.0.1:${port}/1`);
    expect(inspect(error, { depth: 9 })).not.toContain('hunter2');
    expect(error).toMatchObject({
      code: 'store_unavailable',
      message: `the counter of limits redis://…@127.0.0.1:${port}/1 cannot be used now: connect ECONNREFUSED 127.0.0.1:${port}`,
    });
  });

  it('is not waited for without end where a server says nothing', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    onTestFinished(() => {
      silent.close();
      for (const socket of sockets) socket.destroy();
    });
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    expect(await failureOf(`redis://127.0.0.1:${port}`)).toMatchObject({
      code: 'store_unavailable',
      message: expect.stringMatching(
        /^the counter of limits redis:\/\/127\.0\.0\.1:\d+ cannot be used now: .*3000/,
      ) as string,
    });
  });

  it('is said once not to be there, however many processes serve', async () => {
    const { path } = await makeStore(1);
    const url = `redis://127.0.0.1:${await freePort()}`;
    const args = ['serve', '--store', path, '--port', '0', '--workers', '2', '--limits', url];
    const { code, stderr } = await gazetteProcess(args);
    const refused = `connect ECONNREFUSED ${url.replace('redis://', '')}`;
    expect([code, stderr]).toEqual([
      1,
      `gazette: the counter of limits ${url} cannot be used now: ${refused} (store_unavailable)\n`,
    ]);
  });

  it('needs ioredis, and says how to install it', async () => {
    const hook = `--import=data:text/javascript,${encodeURIComponent(WITHOUT_IOREDIS)}`;
    const { path } = await makeStore(1);
    const args = ['serve', '--store', path, '--port', '0', '--limits', 'redis://:hunter2@127.0.0.1:1'];
    const { code, stderr } = await gazetteProcess(args, '', { NODE_OPTIONS: hook });
    expect([code, stderr]).toEqual([
      1,
      'gazette: --limits needs the package ioredis: npm install ioredis (missing_peer)\n',
    ]);
  });
});
