// What it costs to follow a register, in processor time of every process that takes part: a mirror, against a proved copy of
// the same register; a whole register over HTTP, against an export. That both have the same is what is tested; how long they
// take is for the report of `npm run prove`, of a million records.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SqliteStore } from '../../../../src/stores/sqlite/store.ts';
import { type Ending, ending, folder, start } from '../../../cli/run.ts';
import { serveAs } from '../../../cli/served.ts';
import { measured, tries } from '../../../effort.ts';
import { addSamples, world } from '../../../world.ts';
import { logsOf } from '../logs-of.ts';
import { sign } from '../signing.ts';

const RECORDS = tries(5000, 1_000_000);

/** Records in a batch. */
const BATCH = 5000;

/** How often each is done, by turns. */
const ROUNDS = tries(1, 3);

/** Has a process say its processor time when it ends. Workers say it too, and earlier. */
const COUNTED = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    "process.on('exit', () => { const { user, system } = process.cpuUsage(); process._rawDebug(`cpu ${user + system} us`); });",
  )}`,
};

/** The processor time that a process said last, in milliseconds. */
function cpuOf({ stderr }: Ending): number {
  const [, us] = [...stderr.matchAll(/^cpu (\d+) us$/gm)].at(-1)!;
  return Number(us) / 1000;
}

/** Runs a command to its end. @returns its processor time */
async function cpuOfRun(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<number> {
  const child = start(args, { ...env, ...COUNTED });
  child.stdin.end();
  const ended = await ending(child);
  expect([ended.code, ended.stderr]).toEqual([0, expect.stringMatching(/^cpu /m)]);
  return cpuOf(ended);
}

/** The processor time of a service from its start to its end, and what the work with it took besides. */
async function cpuOfService(path: string, work: (api: string) => Promise<number>): Promise<number> {
  const { api, child, ended } = await serveAs({ env: COUNTED }, path, '--limit-key', '1000000/1');
  const others = await work(api);
  child.kill('SIGTERM');
  return others + cpuOf(await ended);
}

async function digestOfStream(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

it('takes a mirror and a proved copy, a download and an export', { timeout: 7_200_000 }, async () => {
  const place = await folder();
  const [path, mirror, copy, exported] = ['gazette.db', 'mirror.db', 'copy.ndjson', 'exported.csv'].map((name) =>
    join(place, name),
  ) as [string, string, string, string];
  const store = SqliteStore.open(path);
  const service = await world({ store, records: 0, product: 'gazette' });
  for (let first = 1; first <= RECORDS; first += BATCH) await addSamples(store, first, first + BATCH - 1);
  await sign(store, 'permits');
  const { vkey } = await logsOf(store).of('permits');
  await service.close();
  await store.close();
  const env = { GAZETTE_API_KEY: service.key };
  const times: Record<'mirror' | 'pull' | 'download' | 'export', number[]> = {
    ...{ mirror: [], pull: [], download: [], export: [] },
  };
  for (let round = 0; round < ROUNDS; round++) {
    times.mirror.push(
      await cpuOfService(path, (api) =>
        cpuOfRun(['mirror', `${api}/feeds/permits`, '--store', mirror, '--once', '--vkey', vkey!], env),
      ),
    );
    const held = SqliteStore.open(mirror);
    expect((await held.register('permits'))!.change).toBe(RECORDS);
    await held.close();
    await Promise.all(['', '-wal', '-shm'].map((end) => rm(mirror + end, { force: true })));
    times.pull.push(
      await cpuOfService(path, (api) => {
        const what = ['pull', `${api}/feeds/permits`, '--format', 'ndjson', '--output', copy];
        return cpuOfRun([...what, '--prove', '--vkey', vkey!], env);
      }),
    );
    await rm(copy);
    let digest = '';
    times.download.push(
      await cpuOfService(path, async (api) => {
        const headers = { authorization: `Bearer ${service.key}`, 'accept-encoding': 'identity' };
        const answer = await fetch(`${api}/feeds/permits/register.csv`, { headers });
        expect(answer.status).toBe(200);
        digest = await digestOfStream(answer.body!);
        return 0;
      }),
    );
    times.export.push(await cpuOfRun(['export', 'permits', '--store', path, '--format', 'csv', '--output', exported]));
    expect(await digestOfStream(createReadStream(exported))).toBe(digest);
    await rm(exported);
  }
  const ratio = (one: readonly number[], other: readonly number[]): string =>
    middle(one.map((ms, round) => ms / other[round]!)).toFixed(2);
  const { mirror: mirrored, pull, download, export: written } = times;
  const ratios = `a mirror ${ratio(mirrored, pull)} × a proved copy, a download ${ratio(download, written)} × an export`;
  measured(`of ${RECORDS} records, processor time, ${ratios}; the mirror`, mirrored);
});
