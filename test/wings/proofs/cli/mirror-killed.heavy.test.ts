// `gazette mirror` that is killed at any moment, while its source changes, stops and starts: what it has then is a beginning of the
// source's log, and in the end all of it.
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../../../src/adapters/server.ts';
import type { RegisterStore } from '../../../../src/stores/contract/registers.ts';
import type { RecordVersion } from '../../../../src/register/record.ts';
import { SqliteStore } from '../../../../src/stores/sqlite/store.ts';
import { ending, folder, gazette, start } from '../../../cli/run.ts';
import { at, say } from '../../../contracts/store-register.ts';
import { tried, tries } from '../../../effort.ts';
import { letPass } from '../../../until.ts';
import { world } from '../../../world.ts';

const ROUNDS = tries(4, 200);

/** Changes of a round: three requests at least. */
const CHANGES = 300;

/** The first changes of a register. */
async function versionsOf(store: Pick<RegisterStore, 'changes'>, count: number): Promise<readonly RecordVersion[]> {
  const all: RecordVersion[] = [];
  while (all.length < count) all.push(...(await store.changes('permits', { since: all.length, limit: 100 })).versions);
  return all.slice(0, count);
}

it('has a beginning of the log of its source wherever it is killed, and goes on', { timeout: 1_800_000 }, async () => {
  const source = await world({ records: 5 });
  const { key, store } = source;
  let asked = (): void => undefined;
  const open = async (port: number) =>
    startServer(
      async (request) => {
        asked();
        return source.fetch(request, { remoteAddress: '127.0.0.1' });
      },
      { port, host: '127.0.0.1' },
    );
  let server = await open(0);
  onTestFinished(() => server.stop(0));
  const { url } = server;
  const requests = async (count: number): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    let left = count;
    asked = () => {
      if (--left === 0) resolve(undefined);
    };
    await promise;
  };
  const path = join(await folder(), 'mirror.db');
  const args = ['mirror', `${url}/api/v1/feeds/permits`, '--store', path];
  const env = { GAZETTE_API_KEY: key };

  for (let round = 0; round < ROUNDS; round++) {
    const batch = Array.from({ length: CHANGES }, (_, index) => say(`k${index}`, { title: `Round ${round}` }));
    await store.apply('permits', batch, { recordedAt: at(2 * round + 1) });
    if (round > 0) await store.withdraw('permits', [`permits:k${round}`], { recordedAt: at(2 * round + 2) });
    const reached = requests(1 + (round % 5));
    const child = start(args, env);
    const ended = ending(child);
    await reached;
    if (round % 2 === 1) {
      await server.stop(0);
      server = await open(Number(new URL(url).port));
      await requests(1);
    }
    await letPass((round * 7) % 40, 'it is killed while it works on the answer, too');
    child.kill('SIGKILL');
    await ended;
    const mirror = SqliteStore.open(path);
    const { change } = (await mirror.register('permits')) ?? { change: 0 };
    expect(await versionsOf(mirror, change)).toEqual(await versionsOf(store, change));
    await mirror.close();
    tried(1);
  }

  await store.redact('permits:k7', { recordedAt: at(2 * ROUNDS + 2) });
  expect(await gazette([...args, '--once'], '', env)).toMatchObject({ code: 0 });
  const mirror = SqliteStore.open(path);
  onTestFinished(() => mirror.close());
  const { change } = (await store.register('permits'))!;
  expect((await mirror.register('permits'))!.change).toBe(change);
  expect(await versionsOf(mirror, change)).toEqual(await versionsOf(store, change));
  expect(await gazette(['doctor', '--store', path])).toMatchObject({ code: 0 });
});
