// The log of logs in a snapshot's folder, checked with the logs of the registers there.
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { isGazetteError } from '../../../../src/errors.ts';
import { atom } from '../../../../src/formats/feeds/atom.ts';
import { rss } from '../../../../src/formats/feeds/rss.ts';
import { proveLogsIn } from '../../../../src/wings/proofs/mirror/folder-of-logs.ts';
import { folderLogs } from '../../../../src/wings/proofs/mirror/log-source.ts';
import type { ServiceStore } from '../../../../src/stores/contract/accounts.ts';
import { sign, signedHead, signLogOfLogs } from '../signing.ts';
import { at, permits, say } from '../../../contracts/store-register.ts';
import { gazette } from '../../../cli/run.ts';
import { folder, publish, storeOf } from '../../../snapshot/published.ts';
import { logsOf } from '../logs-of.ts';

/** Two registers, one of which was signed and listed again and again. */
async function listedStore(): Promise<ServiceStore> {
  const store = await storeOf(3);
  await store.createRegister(permits('other'));
  await sign(store, 'permits');
  for (let round = 0; round < 12; round++) await grow(store, round);
  await signLogOfLogs(store);
  return store;
}

/** Adds records to a register, and has it signed and listed; the log of logs itself is not signed. */
async function grow(store: ServiceStore, round: number): Promise<void> {
  const batch = Array.from({ length: 31 }, (_, n) => say(`k${round}-${n}`, {}, 'other'));
  await store.apply('other', batch, { recordedAt: at(round) });
  await sign(store, 'other');
  while ((await logsOf(store).gather()) > 0);
}

async function written(store: ServiceStore, feeds?: readonly string[], into?: string): Promise<string> {
  const out = into ?? (await folder());
  await publish(store, out, { formats: [atom, rss], ...(feeds === undefined ? {} : { feeds }) });
  return out;
}

let store: ServiceStore;
let vkey: string;
let site: string;
beforeAll(async () => {
  store = await listedStore();
  ({ vkey } = (await logsOf(store).ofLogs()) as { vkey: string });
});

const codeOf = async (out: string, kept: string | null = null): Promise<string> => {
  const error = await proveLogsIn(folderLogs(out), { now: Date.now, vkey, kept }).catch((reason: unknown) => reason);
  return isGazetteError(error) ? error.code : 'taken';
};

it('is proved with the logs of the registers, and remembered', async () => {
  site = await written(store);
  const { checkpoint } = await logsOf(store).ofLogs();
  const proved = { size: 13, kept: checkpoint, cosigned: [], logs: 2, gone: [], unlisted: [] };
  expect(await proveLogsIn(folderLogs(site), { now: Date.now, vkey, kept: null })).toEqual(proved);
  expect(await proveLogsIn(folderLogs(site), { now: Date.now, vkey, kept: checkpoint })).toEqual(proved);
  const { origin } = await logsOf(store).ofLogs();
  const kept = signedHead(origin!, { size: 13, root: Buffer.alloc(32, 4) }).checkpoint;
  expect(await codeOf(site, kept)).toBe('log_forked');
  const said = await gazette(['verify', site, '--vkey', vkey]);
  expect(said.stdout.toString()).toContain('complete and unrewritten to checkpoint 13\n2 logs of registers');
});

it('is refused when a file of it, or the head of a register’s log, is missing or has a bit that differs', async () => {
  site = await written(store);
  const all = await readdir(site, { recursive: true, withFileTypes: true });
  const files = all
    .filter((one) => one.isFile())
    .map((one) => relative(site, join(one.parentPath, one.name)))
    .filter((name) => name.startsWith('api/v1/log/') || /^other\/log\/[^/]*\/(checkpoint|tile\/[01])/.test(name));
  // The register has 372 changes: a full tile, whose hashes are in the one above, and a partial one.
  expect(files.length).toBe(7);
  for (const name of files.filter((one) => !one.endsWith('tile/0/000'))) {
    const path = join(site, name);
    const bytes = await readFile(path);
    const flipped = Buffer.from(bytes);
    flipped[bytes.length >> 1]! ^= 1;
    for (const damage of [() => rm(path), () => writeFile(path, flipped)]) {
      await damage();
      expect([name, await codeOf(site)]).toEqual([name, 'invalid_proof']);
      await writeFile(path, bytes);
    }
  }
  expect(await codeOf(site)).toBe('taken');
});

it('takes a register that is older than the list, and names one that is newer', async () => {
  const own = await listedStore();
  const out = await written(own);
  const proof = async () =>
    proveLogsIn(folderLogs(out), { now: Date.now, vkey: (await logsOf(own).ofLogs()).vkey!, kept: null });
  // The register is signed, and the log of logs is not yet.
  const batch = [say('later', {}, 'other')];
  await own.apply('other', batch, { recordedAt: at(50) });
  await sign(own, 'other');
  await written(own, undefined, out);
  expect(await proof()).toMatchObject({ logs: 2, gone: [], unlisted: ['other'] });
  // The list grows, and the folder of the register is not written.
  await logsOf(own).gather();
  await grow(own, 51);
  await signLogOfLogs(own);
  await written(own, ['permits'], out);
  expect(await proof()).toMatchObject({ size: 15, logs: 2, gone: [], unlisted: [] });
});

it('finds a register’s log that does not begin with what was listed, or that was never listed', async () => {
  const own = await listedStore();
  const key = (await logsOf(own).ofLogs()).vkey!;
  const codeIn = async (out: string): Promise<unknown> =>
    proveLogsIn(folderLogs(out), { now: Date.now, vkey: key, kept: null }).then(
      () => 'taken',
      (error: unknown) => (isGazetteError(error) ? error.code : error),
    );
  const out = await written(own);
  const before = await folder();
  // Signed, and never listed: the next signature came first.
  await own.apply('other', [say('never', {}, 'other')], { recordedAt: at(60) });
  await sign(own, 'other');
  await written(own, ['other'], before);
  await grow(own, 61);
  await signLogOfLogs(own);
  await written(own, undefined, out);
  expect(await codeIn(out)).toBe('taken');
  await rm(join(out, 'other'), { recursive: true });
  await cp(join(before, 'other'), join(out, 'other'), { recursive: true });
  expect(await codeIn(out)).toBe('invalid_proof');

  const batch = Array.from({ length: 50 }, (_, n) => say(`more-${n}`, {}, 'other'));
  await own.apply('other', batch, { recordedAt: at(62) });
  const { uuid, origin, size, checkpoint } = await logsOf(own).of('other');
  const forged = signedHead(origin!, { size: size - 9, root: Buffer.alloc(32, 9) });
  expect(await logsOf(own).publish('other', { uuid, origin: origin!, before: checkpoint, ...forged })).toBe(true);
  await logsOf(own).gather();
  await grow(own, 63);
  await signLogOfLogs(own);
  expect(await codeIn(await written(own))).toBe('log_forked');
});

it('has tiles of earlier checkpoints, which are those that the present ones begin with', async () => {
  const own = await listedStore();
  const { name, vkey: key } = await logsOf(own).ofLogs();
  const out = await written(own);
  await grow(own, 70);
  await signLogOfLogs(own);
  await written(own, undefined, out);
  const prove = () => proveLogsIn(folderLogs(out), { now: Date.now, vkey: key!, kept: null });
  expect(await prove()).toMatchObject({ size: 14 });
  const path = join(out, `api/v1/log/${name}/tile/entries/000.p/13`);
  const bytes = await readFile(path);
  bytes[30]! ^= 1;
  await writeFile(path, bytes);
  await expect(prove()).rejects.toMatchObject({ code: 'invalid_proof' });
});

it('names the logs that are not in the folder', async () => {
  const own = await listedStore();
  const { origin } = await logsOf(own).of('other');
  const out = await written(own, ['permits']);
  expect(
    await proveLogsIn(folderLogs(out), { now: Date.now, vkey: (await logsOf(own).ofLogs()).vkey!, kept: null }),
  ).toMatchObject({
    ...{ logs: 1, gone: [origin], unlisted: [] },
  });
});
