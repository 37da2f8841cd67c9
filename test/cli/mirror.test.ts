// `gazette mirror` through the real command line.
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../src/adapters/server.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { at, say } from '../contracts/store-register.ts';
import { world } from '../world.ts';
import { until } from '../until.ts';
import { ending, folder, gazette, start } from './run.ts';

it('mirrors a register, goes on, and promotes it', async () => {
  const demo = await world({ records: 5 });
  const server = await startServer(async (request) => demo.fetch(request, { remoteAddress: '127.0.0.1' }), {
    port: 0,
    host: '127.0.0.1',
  });
  onTestFinished(() => server.stop(0));
  const store = `sqlite:${join(await folder(), 'mirror.db')}`;
  const mirror = (...more: readonly string[]) =>
    gazette(['mirror', ...more, '--store', store], '', { GAZETTE_API_KEY: demo.key });
  const once = () => mirror(`${server.url}/api/v1/feeds/permits`, '--once');

  const first = await once();
  expect([first.code, first.stderr]).toEqual([0, expect.stringContaining('the mirror has 5 changes')]);
  await demo.store.apply('permits', [say('006')], { recordedAt: at(1) });
  expect((await once()).stderr).toContain('the mirror has 6 changes');

  // A backup goes on as it does, in the log of its source.
  const copied = join(await folder(), 'copy.db');
  expect(await gazette(['backup', copied, '--store', store])).toMatchObject({ code: 0 });
  await demo.store.apply('permits', [say('007')], { recordedAt: at(2) });
  const url = `${server.url}/api/v1/feeds/permits`;
  const again = ['mirror', url, '--once', '--store', `sqlite:${copied}`];
  expect((await gazette(again, '', { GAZETTE_API_KEY: demo.key })).stderr).toContain('the mirror has 7 changes');

  const path = join(await folder(), 'none.csv');
  const refused = await gazette(['import', 'permits', path, '--store', store]);
  expect(refused.code).not.toBe(0);
  expect((await mirror(`${server.url}/api/v1/feeds/permits`, 'permits')).code).toBe(2);
  expect((await mirror('promote')).code).toBe(2);
  expect((await mirror('promote', 'other')).stderr).toContain('(unknown_feed)');
  expect(await mirror('promote', 'permits')).toMatchObject({ code: 0 });
  expect((await mirror('promote', 'permits')).stderr).toContain('(not_found)');

  const mirrored = SqliteStore.open(store.slice('sqlite:'.length));
  onTestFinished(() => mirrored.close());
  expect(await mirrored.register('permits')).toMatchObject({ change: 6, total: 6 });
});

it('says in a log how far it is, and when its source is away and back', async () => {
  const demo = await world({ records: 5 });
  let isAway = false;
  const server = await startServer(
    async (request) =>
      isAway
        ? new Response(null, { status: 503, headers: { 'Retry-After': '999999' } })
        : demo.fetch(request, { remoteAddress: '127.0.0.1' }),
    { port: 0, host: '127.0.0.1' },
  );
  onTestFinished(() => server.stop(0));
  const store = `sqlite:${join(await folder(), 'mirror.db')}`;
  const child = start(['mirror', `${server.url}/api/v1/feeds/permits`, '--store', store], {
    GAZETTE_API_KEY: demo.key,
  });
  let said = '';
  child.stderr.on('data', (text: Buffer) => (said += text.toString()));
  const ended = ending(child);
  await until('all', async () => said.includes('gazette: the mirror has all 5 changes\n'));
  isAway = true;
  await until('trouble', async () => said.includes('; it is asked again\n'));
  await demo.store.apply('permits', [say('006')], { recordedAt: at(1) });
  isAway = false;
  await until('all again', async () => said.includes('gazette: the mirror has all 6 changes\n'));
  child.kill();
  await ended;
  expect(said.match(/asked again/g)).toHaveLength(1);
});

it('asks for a key where the register is not open', async () => {
  const demo = await world({ records: 1 });
  const server = await startServer(async (request) => demo.fetch(request, { remoteAddress: '127.0.0.1' }), {
    port: 0,
    host: '127.0.0.1',
  });
  onTestFinished(() => server.stop(0));
  const store = `sqlite:${join(await folder(), 'mirror.db')}`;
  const ended = await gazette(['mirror', `${server.url}/api/v1/feeds/permits`, '--once', '--store', store]);
  expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('GAZETTE_API_KEY')]);
});
