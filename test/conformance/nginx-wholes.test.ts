// Whole registers go on after a break behind nginx as deploy/ has it, by the first range that anybody asks for.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../src/adapters/server.ts';
import { pullRegister } from '../../src/mirror/index.ts';
import { folder } from '../cli/run.ts';
import { at } from '../contracts/store-register.ts';
import { until } from '../until.ts';
import { type World, world } from '../world.ts';
import { asDeployed, startNginx } from './nginx.ts';
import { missing } from './tools.ts';

it.skipIf(missing('nginx', '-v') !== null).each(['tiered', 'open'] as const)(
  'a copy of a register that is %s goes on behind nginx',
  async (access) => {
    // It is made once its public address is known.
    const made = Promise.withResolvers<World>();
    const server = await startServer(async (request) => (await made.promise).fetch(request), {
      port: 0,
      host: '127.0.0.1',
    });
    onTestFinished(() => server.stop(0));
    const port = await startNginx((port) => asDeployed(port, server.url));
    const feed = `http://127.0.0.1:${port}/api/v1/feeds/permits`;
    const service = await world({ records: 2000, baseUrl: `http://127.0.0.1:${port}` });
    made.resolve(service);
    await until('nginx', () => fetch(feed).catch(() => null));
    const { store, key } = service;
    const { definition } = (await store.register('permits'))!;
    if (access === 'open') await store.updateRegister({ ...definition, access }, { recordedAt: at(1) });
    const output = join(await folder(), 'copy');
    const [asked, restarts]: [string[], string[]] = [[], []];
    const result = await pullRegister(feed, {
      ...{ format: 'csv', output, key: access === 'open' ? undefined : key },
      onRestart: ({ message }) => restarts.push(message),
      fetch: async (url, init) => {
        const answer = await fetch(url, init);
        if (!answer.url.includes('/register.')) return answer;
        asked.push(`${answer.status} ${new Headers(init?.headers).get('range')?.slice(0, 6) ?? ''}`.trim());
        if (asked.length > 1) return answer;
        let left = 500_000;
        const cut = new TransformStream<Uint8Array, Uint8Array>({
          transform(piece, controller) {
            controller.enqueue(piece);
            left -= piece.length;
            if (left < 0) controller.error(new TypeError('terminated'));
          },
        });
        const headers = new Headers(answer.headers);
        headers.delete('content-encoding');
        return new Response(answer.body!.pipeThrough(cut), { headers });
      },
    });
    expect([result.records, asked, restarts]).toEqual([2000, ['200', '206 bytes='], []]);
    expect((await readFile(output, 'utf8')).split('\r\n')).toHaveLength(2002);
  },
);
