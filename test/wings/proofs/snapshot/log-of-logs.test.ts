// The log of logs at the root of a snapshot (C2SP tlog-tiles).
import { existsSync } from 'node:fs';
import { copyFile, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { atom } from '../../../../src/formats/feeds/atom.ts';
import { rss } from '../../../../src/formats/feeds/rss.ts';
import type { SnapshotResult } from '../../../../src/snapshot/run.ts';
import { verifySnapshot } from '../../../../src/snapshot/verify.ts';
import type { ServiceStore } from '../../../../src/stores/contract/accounts.ts';
import { SqliteStore } from '../../../../src/stores/sqlite/store.ts';
import { sign, signedHead, signLogOfLogs } from '../signing.ts';
import { permits } from '../../../contracts/store-register.ts';
import { addSamples, SAMPLES, world } from '../../../world.ts';
import { add, changedFiles, digests, folder, publish, SITE, storeOf } from '../../../snapshot/published.ts';
import { prove } from './read-log.ts';
import { logsOf } from '../logs-of.ts';

const FORMATS = [atom, rss];
const WELL_KNOWN = '.well-known/gazette-log.json';

/** The files of the log of logs, sorted. */
const ofLogs = (names: Iterable<string>): string[] =>
  [...names].filter((name) => name.startsWith('api/v1/log/')).sort();

/** Adds a record, and has it signed and listed. */
async function grow(store: ServiceStore, number: number): Promise<void> {
  await add(store, number, number);
  await sign(store, 'permits');
  while ((await logsOf(store).gather()) > 0);
}

async function listedStore(count: number): Promise<ServiceStore> {
  const store = await storeOf(0);
  for (let number = 1; number <= count; number++) await grow(store, number);
  await sign(store, null);
  return store;
}

const write = (store: ServiceStore, out: string): Promise<SnapshotResult> => publish(store, out, { formats: FORMATS });

it('has the files that the service answers, under the same paths and to the byte', async () => {
  const { store, get } = await world({ samples: SAMPLES });
  await addSamples(store, 121, 130);
  await signLogOfLogs(store);
  await sign(store, 'permits');
  await signLogOfLogs(store);
  const out = await folder();
  await write(store, out);
  const { name, checkpoint, origin, vkey } = await logsOf(store).ofLogs();
  const prefix = `api/v1/log/${name}`;
  const names = ofLogs((await digests(out)).keys());
  expect(names).toEqual(['checkpoint', 'tile/0/000.p/1', 'tile/entries/000.p/1'].map((name) => `${prefix}/${name}`));
  for (const name of names) {
    const answer = await get(name.slice('api/v1'.length));
    expect([name, answer.status]).toEqual([name, 200]);
    expect(await readFile(join(out, name))).toEqual(Buffer.from(await answer.arrayBuffer()));
  }
  expect(await readFile(join(out, prefix, 'checkpoint'), 'utf8')).toBe(checkpoint);
  const known: unknown = JSON.parse(await readFile(join(out, WELL_KNOWN), 'utf8'));
  expect(known).toEqual({ origin, url: `${SITE}/${prefix}`, size: 1, vkeys: [vkey] });
  const headers = await readFile(join(out, '_headers'), 'utf8');
  expect(headers).toContain('/api/v1/log/:log/checkpoint\n  Content-Type: text/plain; charset=utf-8\n');
  expect(headers).toContain('/api/v1/log/:log/tile/*\n  Content-Type: application/octet-stream\n');
});

it('is not there without a signature, and neither is a trace of it', async () => {
  const [store, out] = [await storeOf(3), await folder()];
  await sign(store, 'permits');
  await write(store, out);
  expect(ofLogs((await digests(out)).keys())).toEqual([]);
  expect(existsSync(join(out, WELL_KNOWN))).toBe(false);
  expect(await readFile(join(out, 'manifest.json'), 'utf8')).not.toContain('checkpoint');
});

it('keeps the partial tiles of every checkpoint until the full one is there, and writes nothing again', async () => {
  const [store, out] = [await listedStore(10), await folder()];
  const { name } = await logsOf(store).ofLogs();
  const place = join(out, `api/v1/log/${name}`);
  const notes: string[] = [];
  const run = async (): Promise<string[]> => {
    await sign(store, null);
    const before = await digests(out);
    await write(store, out);
    const after = await digests(out);
    notes.push((await logsOf(store).ofLogs()).checkpoint!);
    for (const note of notes) await prove(place, note);
    expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', findings: [] });
    expect((await write(store, out)).written).toBe(0);
    expect(await digests(out)).toEqual(after);
    return ofLogs(changedFiles(before, after)).map((name) => name.split('/').slice(4).join('/'));
  };
  expect(await run()).toEqual(['checkpoint', 'tile/0/000.p/10', 'tile/entries/000.p/10']);
  for (let number = 11; number <= 20; number++) await grow(store, number);
  expect(await run()).toEqual(['checkpoint', 'tile/0/000.p/20', 'tile/entries/000.p/20']);
  expect(existsSync(join(place, 'tile/0/000.p/10'))).toBe(true);
  for (let number = 21; number <= 260; number++) await grow(store, number);
  const full = ['tile/0/000', 'tile/0/001.p/4', 'tile/1/000.p/1', 'tile/entries/000', 'tile/entries/001.p/4'];
  expect(await run()).toEqual(['checkpoint', ...full]);
  expect(existsSync(join(place, 'tile/0/000.p'))).toBe(false);
});

it('writes what somebody removed again, and finds it missing before', async () => {
  const [store, out] = [await listedStore(3), await folder()];
  await write(store, out);
  const before = await digests(out);
  for (const path of [...ofLogs(before.keys()), WELL_KNOWN]) {
    await rm(join(out, path));
    expect(await verifySnapshot(out)).toMatchObject({ state: 'damaged', findings: [{ path, problem: 'missing' }] });
    expect((await write(store, out)).written).toBe(1);
    expect(await digests(out)).toEqual(before);
  }
});

it('gives way to the log that was begun in its place, and keeps no tile of one that grew otherwise', async () => {
  const [store, out] = [await listedStore(3), await folder()];
  await write(store, out);
  const { name: old } = await logsOf(store).ofLogs();
  await logsOf(store).beginOfLogs();
  await write(store, out);
  expect(ofLogs((await digests(out)).keys())).toEqual([]);
  await signLogOfLogs(store);
  await write(store, out);
  expect(existsSync(join(out, 'api/v1/log', old!))).toBe(false);
  expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', findings: [] });

  const [place, site, fresh] = [await folder(), await folder(), await folder()];
  const first = SqliteStore.open(join(place, 'a.db'));
  await first.createRegister(permits());
  for (let number = 1; number <= 4; number++) await grow(first, number);
  await first.close();
  await copyFile(join(place, 'a.db'), join(place, 'b.db'));
  for (const [name, last] of [
    ['a', 6],
    ['b', 9],
  ] as const) {
    const one = SqliteStore.open(join(place, `${name}.db`));
    for (let number = 5; number <= last; number++) await grow(one, number);
    await sign(one, null);
    await write(one, site);
    if (name === 'b') await write(one, fresh);
    await one.close();
  }
  expect(await digests(site)).toEqual(await digests(fresh));
});

it('stays as it was where the store has another tree than the one that is signed, and all else is written', async () => {
  const [store, out] = [await listedStore(3), await folder()];
  await write(store, out);
  const before = await digests(out);
  const { uuid, origin, checkpoint } = await logsOf(store).ofLogs();
  await grow(store, 4);
  const forged = signedHead(origin!, { size: 4, root: Buffer.alloc(32, 9) });
  expect(await logsOf(store).publish(null, { uuid, origin: origin!, before: checkpoint, ...forged })).toBe(true);
  await expect(write(store, out)).rejects.toMatchObject({
    code: 'log_contradicted',
    message: expect.stringContaining('the log of logs was not written') as string,
  });
  const after = await digests(out);
  for (const name of [...ofLogs(before.keys()), WELL_KNOWN]) expect(after.get(name)).toBe(before.get(name));
  expect(changedFiles(before, after)).toContain('permits/index.atom');
  expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', findings: [] });
});

it('is not in the way of a register with the name of its folder, also when that is removed', async () => {
  const [store, out] = [await listedStore(3), await folder()];
  await store.createRegister(permits('api'));
  await store.createRegister(permits('log'));
  await sign(store, 'api');
  await signLogOfLogs(store);
  await write(store, out);
  expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', registers: 3, findings: [] });
  const of = ofLogs((await digests(out)).keys());
  await store.removeRegister('api');
  await write(store, out);
  expect(ofLogs((await digests(out)).keys())).toEqual(of);
  expect(existsSync(join(out, 'api/index.html'))).toBe(false);
  expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', registers: 2, findings: [] });
});
