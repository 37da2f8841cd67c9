// `gazette mirror promote --log-state` through the real command line.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../../../src/adapters/server.ts';
import { keepSigning } from '../../../../src/wings/proofs/cli/signing/signing.ts';
import { until } from '../../../until.ts';
import { folder, gazette } from '../../../cli/run.ts';
import { surroundings } from '../../../cli/surroundings.ts';
import { world } from '../../../world.ts';
import { logsOf } from '../logs-of.ts';

it('keeps the log of a source once that is stopped', async () => {
  const demo = await world({ records: 5 });
  const server = await startServer(async (request) => demo.fetch(request, { remoteAddress: '127.0.0.1' }), {
    ...{ port: 0, host: '127.0.0.1' },
  });
  onTestFinished(() => server.stop(0));
  const place = await folder();
  const logState = join(place, 'state');
  const { io } = surroundings({ GAZETTE_LOG_KEY: '07'.repeat(32) });
  const signing = keepSigning(io, demo.store, { logState, baseUrl: server.url })!;
  await until('a checkpoint', async () => (await logsOf(demo.store).of('permits')).checkpoint !== null);
  const { origin } = await logsOf(demo.store).of('permits');
  const mirror = (...more: readonly string[]) =>
    gazette(['mirror', ...more, '--store', `sqlite:${join(place, 'mirror.db')}`], '', { GAZETTE_API_KEY: demo.key });
  const url = `${server.url}/api/v1/feeds/permits`;
  expect(await mirror(url, '--once', '--unproved')).toMatchObject({ code: 0 });

  expect((await mirror(url, '--log-state', logState)).code).toBe(2);
  const none = join(place, 'none', 'state');
  expect((await mirror('promote', 'permits', '--log-state', none)).stderr).toContain('(invalid_option)');
  expect((await mirror('promote', 'permits', '--log-state', logState)).stderr).toContain('(store_busy)');
  await signing.stop();
  expect((await mirror('promote', 'permits', '--log-state', logState)).stderr).toContain('(register_busy)');
  const before = await readFile(logState, 'utf8');
  await server.stop(0);
  const promoted = await mirror('promote', 'permits', '--log-state', logState);
  expect([promoted.code, promoted.stderr]).toEqual([0, expect.stringContaining(origin!)]);
  expect(await readFile(logState, 'utf8')).toBe(before);
});
