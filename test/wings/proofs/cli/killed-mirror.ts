// `gazette mirror` of `gazette serve`, where either is killed at any moment while the source changes: what the mirror has then is a
// beginning of the source's log, and in the end all of it.
import type { ChildProcess } from 'node:child_process';
import { expect, onTestFinished } from 'vitest';
import { startServer } from '../../../../src/adapters/server.ts';
import type { ServiceStore } from '../../../../src/stores/contract/accounts.ts';
import { ending, gazette, start } from '../../../cli/run.ts';
import { serve } from '../../../cli/served.ts';
import { allChanges } from '../../../contracts/all-changes.ts';
import { at, say } from '../../../contracts/store-register.ts';
import { tried, tries } from '../../../effort.ts';
import { letPass } from '../../../until.ts';
import { world } from '../../../world.ts';

const ROUNDS = tries(5, 200);

/** Records at first: several batches of a mirror. */
const RECORDS = 4500;

/** Changes of a round: three requests at least. */
const CHANGES = 300;

/** Changes that one request brings. */
const PAGE = 100;

/** Where the stores of a source and of its mirror are, as `--store` says it. */
export interface Places {
  readonly source: string;
  readonly mirror: string;
  /** Opens one of them. */
  readonly open: (place: string) => Promise<ServiceStore>;
}

/** A way to a service that is killed, and comes back elsewhere: 502 meanwhile. */
async function wayTo(
  target: () => string,
): Promise<{ readonly url: string; readonly requests: (count: number) => Promise<void> }> {
  let asked = (): void => undefined;
  const server = await startServer(
    async (request) => {
      asked();
      const { pathname, search } = new URL(request.url);
      const headers = { authorization: request.headers.get('authorization') ?? '', 'accept-encoding': 'identity' };
      const answer = await fetch(target() + pathname + search, { headers }).catch(() => null);
      if (answer === null) return new Response(null, { status: 502 });
      const answered = new Headers(answer.headers);
      for (const name of ['connection', 'keep-alive', 'transfer-encoding']) answered.delete(name);
      return new Response(answer.body, { status: answer.status, headers: answered });
    },
    { port: 0, host: '127.0.0.1' },
  );
  onTestFinished(() => server.stop(0));
  return {
    url: server.url,
    requests: async (count) => {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      let left = count;
      asked = () => {
        if (--left === 0) resolve(undefined);
      };
      await promise;
    },
  };
}

/** Kills a source and its mirror again and again. */
export async function killSourceAndMirror({ source: place, mirror: mirrorPlace, open }: Places): Promise<void> {
  const store = await open(place);
  const made = await world({ store, records: RECORDS, product: 'gazette' });
  await made.close();
  let source: { readonly child: ChildProcess; readonly ended: Promise<unknown>; readonly url: string };
  const way = await wayTo(() => source.url);
  const begin = async (): Promise<void> => {
    const { api, child, ended } = await serve(place);
    source = { child, ended, url: new URL(api).origin };
  };
  await begin();
  const args = ['mirror', `${way.url}/api/v1/feeds/permits`, '--store', mirrorPlace];
  const env = { GAZETTE_API_KEY: made.key };

  /** What the mirror has. */
  let had = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const batch = Array.from({ length: CHANGES }, (_, index) => say(`k${index}`, { title: `Round ${round}` }));
    await store.apply('permits', batch, { recordedAt: at(2 * round + 1) });
    if (round > 0) await store.withdraw('permits', [`permits:k${round}`], { recordedAt: at(2 * round + 2) });
    const { change: there } = (await store.register('permits'))!;
    // Anywhere among those that it takes until then: the state, the pages, and the state again.
    const requests = 4 + Math.ceil((there - had) / PAGE);
    const reached = way.requests(1 + Math.floor(((0.618 * (round + 1)) % 1) * requests));
    const child = start(args, env);
    const ended = ending(child);
    await Promise.race([reached, ended.then(({ stderr }) => Promise.reject(new Error(`it ended: ${stderr}`)))]);
    if (round % 2 === 1) {
      source!.child.kill('SIGKILL');
      await source!.ended;
      await begin();
      await way.requests(1);
    }
    await letPass((round * 7) % 40, 'it is killed while it works on the answer, too');
    child.kill('SIGKILL');
    await ended;
    const mirror = await open(mirrorPlace);
    const versions = (await mirror.register('permits')) === null ? [] : await allChanges(mirror);
    had = versions.length;
    expect(versions).toEqual((await allChanges(store)).slice(0, had));
    await mirror.close();
    tried(1);
  }

  await store.redact('permits:k7', { recordedAt: at(2 * ROUNDS + 2) });
  expect(await gazette([...args, '--once'], '', env)).toMatchObject({ code: 0 });
  const mirror = await open(mirrorPlace);
  expect(await allChanges(mirror)).toEqual(await allChanges(store));
  await mirror.close();
  await store.close();
  expect(await gazette(['doctor', '--store', mirrorPlace])).toMatchObject({ code: 0 });
}
