// `gazette snapshot --out s3://…` killed at points spread over its run: each object is the old or the new one, no
// manifest is there before its files, a second run is refused while the first has the lock, and the next one completes it.
import { expect } from 'vitest';
import { digestOf, type RegisterManifest } from '../../../src/snapshot/folder/manifest.ts';
import { verifySnapshot } from '../../../src/snapshot/verify.ts';
import { ending, folder, gazette, start } from '../../cli/run.ts';
import { makeStore } from '../../cli/served.ts';
import { argumentsOf, change } from '../../cli/snapshots.ts';
import { letPass, until } from '../../until.ts';
import { digests } from '../published.ts';
import { downloaded } from './downloaded.ts';

/** A server with a bucket `registers`. */
export interface KillableServer {
  /** The variables of the command line. */
  readonly env: Readonly<Record<string, string>>;
  /** What is in the bucket, by name. */
  readonly objects: () => Promise<ReadonlyMap<string, Buffer>>;
  /** Called when an object has changed; the answer may wait for it. `objects` reads them as they are at that moment. */
  onChange: (name: string, objects: KillableServer['objects']) => void | Promise<void>;
  /** How far its clock is ahead, in milliseconds. */
  aheadMs: number;
}

const RECORDS = 1200;
/** One on each archive page. */
const CHANGED = Array.from({ length: RECORDS / 100 }, (_, page) => page * 100 + 1);
const LOCK = 'site/.gazette.lock';
const MANIFEST = 'site/permits/manifest.json';

/** What says how far a run is, and is of one run alone. */
const isOfRun = (name: string): boolean => name === LOCK || name.endsWith('manifest.next.json');

/** Names in a manifest of objects that are not there with their digest. */
function missing(objects: ReadonlyMap<string, Buffer>): readonly string[] {
  const { files } = JSON.parse(objects.get(MANIFEST)!.toString()) as RegisterManifest;
  return Object.entries(files)
    .filter(([name, { sha256 }]) => {
      const bytes = objects.get(`site/permits/${name}`);
      return bytes === undefined || digestOf(bytes) !== sha256;
    })
    .map(([name]) => name);
}

/** Kills so many runs, and expects of the bucket what a folder keeps too. */
export async function killRuns(server: KillableServer, kills: number): Promise<void> {
  const { path } = await makeStore(RECORDS);
  const into = (out: string): readonly string[] => [...argumentsOf(path, out), '--tier', 'pro', '--whole'];
  const args = into('s3://registers/site');
  let writes = 0;
  let onWrite = (): void => undefined;
  const early: string[] = [];
  server.onChange = async (name, read) => {
    if (name === LOCK) return;
    writes++;
    onWrite();
    if (name !== MANIFEST) return;
    const objects = await read();
    if (objects.has(name)) early.push(...missing(objects));
  };
  let old: ReadonlyMap<string, Buffer> = new Map();
  let left: ReadonlyMap<string, Buffer>[] = [];
  const complete = async (): Promise<void> => {
    expect(await gazette(args, undefined, server.env)).toMatchObject({ code: 0 });
    const now = await server.objects();
    expect(await verifySnapshot(await downloaded(now, 'site/'))).toMatchObject({ state: 'whole', findings: [] });
    const states = [old, now];
    for (const killed of left) {
      const names = new Set([killed, ...states].flatMap((objects) => [...objects.keys()]));
      const torn = [...names].filter((name) => {
        const bytes = killed.get(name);
        return !isOfRun(name) && !states.some((state) => (bytes ? state.get(name)?.equals(bytes) : !state.has(name)));
      });
      expect(torn).toEqual([]);
    }
    [old, left] = [now, []];
  };
  let interruptions = 0;
  let refusals = 0;
  let ofRun = CHANGED.length * 7;
  for (let round = 0; round < kills; round++) {
    // The lock of the run that was killed is old enough.
    server.aheadMs += 61_000;
    // Every third goes on with what a killed run has left; the first finds an empty bucket.
    if (round > 0 && round % 3 !== 2) {
      await complete();
      await change(path, CHANGED, new Date(Date.UTC(2026, 9, 10 + round, 10)).toISOString().replace('.000', ''));
    }
    writes = 0;
    const child = start(args, server.env);
    const ended = ending(child);
    const isDone = (): boolean => child.exitCode !== null;
    const isSecond = round % 5 === 0;
    const point = Math.max(1, Math.ceil((ofRun * (round + Math.random())) / kills));
    const isThere = (): boolean => writes >= point;
    onWrite = () => {
      // Stopped, so that it still has the lock when the second one asks for it.
      if (writes === point) child.kill(isSecond ? 'SIGSTOP' : 'SIGKILL');
    };
    // A run takes a second or two, and much longer beside other programs.
    await until('the moment to kill it', () => isThere() || isDone());
    if (isSecond && isThere()) {
      refusals++;
      const second = await gazette(args, undefined, server.env);
      expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('(snapshot_busy)') as string });
      child.kill('SIGCONT');
      await letPass(Math.random() * 20, 'the moment is drawn at random');
      child.kill('SIGKILL');
    }
    await ended;
    onWrite = () => undefined;
    if (!isThere()) ofRun = writes;
    const objects = await server.objects();
    const isInterrupted = [...objects.keys()].some((name) => name.endsWith('manifest.next.json'));
    if (isInterrupted) interruptions++;
    const state = isInterrupted ? 'interrupted' : 'whole';
    expect(await verifySnapshot(await downloaded(objects, 'site/'))).toMatchObject({ state, findings: [] });
    left.push(objects);
  }
  expect(early).toEqual([]);
  expect(refusals).toBeGreaterThan(0);
  expect(interruptions).toBeGreaterThanOrEqual(kills / 2);
  server.aheadMs += 61_000;
  await complete();
  // To the byte what a run gives that nobody interrupted.
  const copy = await downloaded(old, 'site/');
  expect(await verifySnapshot(copy)).toMatchObject({ state: 'whole', records: RECORDS, findings: [] });
  const fresh = await folder();
  expect((await gazette(into(fresh))).code).toBe(0);
  const [inBucket, inFolder] = [await digests(copy), await digests(fresh)];
  for (const each of [inBucket, inFolder]) each.delete('.gazette.lock');
  expect(inBucket).toEqual(inFolder);
}

/** The variables of a bucket on this server. */
export function variablesOf(
  url: string,
  { accessKeyId, secretAccessKey }: { readonly accessKeyId: string; readonly secretAccessKey: string },
): Readonly<Record<string, string>> {
  return {
    ...{ AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: '' },
    ...{ AWS_REGION: 'eu-test-1', AWS_ENDPOINT_URL_S3: url },
  };
}
