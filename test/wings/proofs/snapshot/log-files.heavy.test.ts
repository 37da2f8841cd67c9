// The signed log of a register among the files of its snapshot (C2SP tlog-tiles).
import { existsSync } from 'node:fs';
import { copyFile, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openCheckpoint, parseVerifierKey } from '../../../../src/wings/proofs/tlog/index.ts';
import { formatCheckpoint } from '../../../../src/wings/proofs/tlog/checkpoint.ts';
import { signerOf } from '../../../../src/wings/proofs/tlog/keys.ts';
import { formatNote, signText } from '../../../../src/wings/proofs/tlog/note.ts';
import { GazetteError } from '../../../../src/errors.ts';
import { atom } from '../../../../src/formats/feeds/atom.ts';
import { rss } from '../../../../src/formats/feeds/rss.ts';
import type { SnapshotLogs } from '../../../../src/wings/proofs/snapshot/log-files.ts';
import { JOURNAL_FILE, journalText } from '../../../../src/snapshot/folder/state.ts';
import { verifySnapshot } from '../../../../src/snapshot/verify.ts';
import type { ServiceStore } from '../../../../src/stores/contract/accounts.ts';
import { SqliteStore } from '../../../../src/stores/sqlite/store.ts';
import { LOG_SEED, sign } from '../signing.ts';
import { permits } from '../../../contracts/store-register.ts';
import { stride } from '../../../effort.ts';
import { addSamples, SAMPLES, world } from '../../../world.ts';
import {
  add,
  changedFiles,
  correct,
  digests,
  folder,
  manifestOf,
  publish,
  storeOf,
} from '../../../snapshot/published.ts';
import { logsIn, prove, provedSizes } from './read-log.ts';
import { logsOf, withLogs } from '../logs-of.ts';

/** The formats that every snapshot has: the files of the log are the same beside any. */
const FEW = [atom, rss];

/** What of a snapshot is of logs, by the path below the log's folder. */
function ofLog(files: ReadonlyMap<string, string>): string[] {
  return [...files.keys()]
    .filter((name) => name.startsWith('permits/log/'))
    .map((name) => name.split('/').slice(3).join('/'));
}

/** The changed files of the log, without the folders that it is in. */
const newOfLog = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] =>
  ofLog(new Map(changedFiles(before, after).map((name) => [name, ''])));

async function signedStore(count: number): Promise<ServiceStore> {
  const store = await storeOf(count);
  await sign(store, 'permits');
  return store;
}

describe('the log in a snapshot', () => {
  it('has the files that the service answers, under the same paths and to the byte', async () => {
    const { store, get } = await world({ samples: SAMPLES });
    await addSamples(store, 121, 700);
    await sign(store, 'permits');
    const out = await folder();
    await publish(store, out);
    const names = ofLog(await digests(out));
    expect(names.sort()).toEqual([
      'checkpoint',
      ...['tile/0/000', 'tile/0/001', 'tile/0/002.p/188', 'tile/1/000.p/2'],
      ...['tile/entries/000', 'tile/entries/001', 'tile/entries/002.p/188'],
    ]);
    const { name: log, origin, vkey } = await logsOf(store).of('permits');
    for (const name of names) {
      const answer = await get(`/feeds/permits/log/${log}/${name}`);
      expect([name, answer.status]).toEqual([name, 200]);
      expect(await readFile(join(out, `permits/log/${log}/${name}`))).toEqual(Buffer.from(await answer.arrayBuffer()));
    }
    const note = await readFile(join(out, `permits/log/${log}/checkpoint`), 'utf8');
    expect(openCheckpoint(note, origin!, [parseVerifierKey(vkey!)]).size).toBe(700);
    expect((await manifestOf(out)).checkpoint).toBe(note);
    expect(await provedSizes(join(out, 'permits'))).toEqual([700]);
  });

  it.each([0, 1, 255, 256, 257, 513])('proves all entries of %i', async (count) => {
    const out = await folder();
    await publish(await signedStore(count), out);
    expect(await provedSizes(join(out, 'permits'))).toEqual([count]);
    expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', findings: [] });
  });

  it('is refused where the store has another tree than the one that is signed, before a file is written', async () => {
    const out = await folder();
    const store = await signedStore(300);
    const { origin } = await logsOf(store).of('permits');
    const text = formatCheckpoint({ origin: origin!, size: 300, root: Buffer.alloc(32) });
    const checkpoint = formatNote({ text, signatures: [signText(text, signerOf(origin!, 'log', LOG_SEED), 0)] });
    const logs = logsOf(store);
    const contradicted: SnapshotLogs = {
      ...{
        of: (id) => logs.of(id),
        ofLogs: () => logs.ofLogs(),
        tiles: (...asked) => logs.tiles(...asked),
        entries: (...asked) => logs.entries(...asked),
        provedRecords: (...asked) => logs.provedRecords(...asked),
      },
      all: async () => (await logs.all()).map((log) => ({ ...log, checkpoint })),
    };
    await expect(publish(withLogs(store, contradicted), out)).rejects.toMatchObject({ code: 'log_contradicted' });
    expect(await logsIn(join(out, 'permits'))).toEqual([]);
  });

  it('is not there without a signature, and neither is a trace of it', async () => {
    const out = await folder();
    const store = await storeOf(300);
    await publish(store, out);
    expect(await logsIn(join(out, 'permits'))).toEqual([]);
    const manifest = await readFile(join(out, 'permits/manifest.json'), 'utf8');
    expect(manifest).not.toContain('checkpoint');
    expect(manifest).not.toContain('log/');
    // As before, where a store has none.
    const bare = await folder();
    await sign(store, 'permits');
    await publish(withLogs(store, undefined), bare);
    expect(await readFile(join(bare, 'permits/manifest.json'), 'utf8')).toBe(manifest);
  });

  it('comes with the signature though nothing else changed, and a further run writes nothing', async () => {
    const out = await folder();
    const store = await storeOf(300);
    await publish(store, out);
    await sign(store, 'permits');
    const before = await digests(out);
    const { written } = await publish(store, out);
    const after = await digests(out);
    const files = changedFiles(before, after).filter((name) => !name.endsWith('manifest.json'));
    expect(files.length).toBe(written);
    expect(files.filter((name) => !name.includes('/log/')).toSorted()).toEqual([
      ...['_headers', 'index.html', 'permits/index.proof.ndjson', 'verify.html', 'verify.js'],
    ]);
    expect((await publish(store, out)).written).toBe(0);
    expect(await digests(out)).toEqual(after);
  });

  it('gets what is new alone, and keeps the partial tiles of every checkpoint until the full one is there', async () => {
    const out = await folder();
    const store = await storeOf(0);
    const notes: string[] = [];
    const run = async (from: number, to: number): Promise<string[]> => {
      await add(store, from, to);
      await sign(store, 'permits');
      const before = await digests(out);
      await publish(store, out);
      const after = await digests(out);
      const { checkpoint, name: log } = await logsOf(store).of('permits');
      notes.push(checkpoint!);
      for (const note of notes) await prove(join(out, `permits/log/${log}`), note);
      expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', findings: [] });
      return newOfLog(before, after);
    };
    expect(await run(1, 10)).toEqual(['checkpoint', 'tile/0/000.p/10', 'tile/entries/000.p/10']);
    expect(await run(11, 200)).toEqual(['checkpoint', 'tile/0/000.p/200', 'tile/entries/000.p/200']);
    expect(
      ofLog(await digests(out))
        .filter((name) => name.startsWith('tile/0/'))
        .sort(),
    ).toEqual(['tile/0/000.p/10', 'tile/0/000.p/200']);
    const full = ['tile/0/000', 'tile/0/001.p/4', 'tile/1/000.p/1', 'tile/entries/000', 'tile/entries/001.p/4'];
    expect(await run(201, 260)).toEqual(['checkpoint', ...full]);
    expect(ofLog(await digests(out)).sort()).toEqual(['checkpoint', ...full]);
    const { name: log } = await logsOf(store).of('permits');
    expect(existsSync(join(out, `permits/log/${log}/tile/0/000.p`))).toBe(false);
    expect(await run(261, 600)).toEqual([
      ...['checkpoint', 'tile/0/001', 'tile/0/002.p/88', 'tile/1/000.p/2'],
      ...['tile/entries/001', 'tile/entries/002.p/88'],
    ]);
  });

  it('reads no entry of a full tile again', async () => {
    const out = await folder();
    const store = await signedStore(600);
    await publish(store, out);
    await correct(store, 1);
    await sign(store, 'permits');
    const read: number[] = [];
    const logs: SnapshotLogs = {
      ...logsOf(store),
      entries: (feedId, from, count) => {
        read.push(from);
        return logsOf(store).entries(feedId, from, count);
      },
    };
    await publish(withLogs(store, logs), out);
    expect(read).toEqual([512]);
    expect(await provedSizes(join(out, 'permits'))).toEqual([601]);
  });

  it('writes what somebody removed again, and finds it missing before', async () => {
    const out = await folder();
    const store = await signedStore(300);
    await publish(store, out);
    const before = await digests(out);
    const { name: log } = await logsOf(store).of('permits');
    for (const name of ['tile/entries/000', 'tile/1/000.p/1', 'checkpoint']) {
      const path = `permits/log/${log}/${name}`;
      await rm(join(out, path));
      expect(await verifySnapshot(out)).toMatchObject({ state: 'damaged', findings: [{ path, problem: 'missing' }] });
      expect((await publish(store, out)).written).toBe(1);
      expect(await digests(out)).toEqual(before);
    }
  });

  it('gives way, with its folder, to the log of a register made again under the same id', async () => {
    const out = await folder();
    const store = await signedStore(300);
    await publish(store, out);
    const [old] = await logsIn(join(out, 'permits'));
    await store.removeRegister('permits');
    await store.createRegister(permits());
    await add(store, 1, 20);
    await publish(store, out);
    expect(await logsIn(join(out, 'permits'))).toEqual([]);
    await sign(store, 'permits');
    await publish(store, out);
    const { name: log } = await logsOf(store).of('permits');
    expect(log).not.toBe(old);
    expect(await logsIn(join(out, 'permits'))).toEqual([log]);
    expect(await provedSizes(join(out, 'permits'))).toEqual([20]);
    expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', findings: [] });
  });

  it('keeps no tile of a log that went back and grew otherwise under the same name', async () => {
    const [place, out, fresh] = [await folder(), await folder(), await folder()];
    const old = SqliteStore.open(join(place, 'a.db'));
    await old.createRegister(permits());
    await add(old, 1, 250);
    await old.close();
    await copyFile(join(place, 'a.db'), join(place, 'b.db'));
    for (const [name, last] of [
      ['a', 300],
      ['b', 600],
    ] as const) {
      const store = SqliteStore.open(join(place, `${name}.db`));
      await add(store, 251, last);
      await sign(store, 'permits');
      await publish(store, out);
      if (name === 'b') await publish(store, fresh);
      await store.close();
    }
    expect(await provedSizes(join(out, 'permits'))).toEqual([600]);
    expect(await digests(out)).toEqual(await digests(fresh));
  });

  it('is complete for every checkpoint that is there, wherever a run was broken off', async () => {
    const [store, out] = [await storeOf(200), await folder()];
    await sign(store, 'permits');
    await publish(store, out);
    const sizes = new Set<number>();
    /** A run in which the store fails after so many calls. @returns whether it did */
    const broken = async (calls: number): Promise<boolean> => {
      let isBroken = false;
      const breaking =
        <Given extends unknown[], Answer>(call: (...given: Given) => Promise<Answer>) =>
        (...given: Given): Promise<Answer> => {
          if (calls-- > 0) return call(...given);
          isBroken = true;
          return Promise.reject(new GazetteError('store_busy', 'the disk is gone'));
        };
      const logs: SnapshotLogs = {
        ...logsOf(store),
        tiles: breaking((...given) => logsOf(store).tiles(...given)),
        entries: breaking((...given) => logsOf(store).entries(...given)),
        of: breaking((feedId) => logsOf(store).of(feedId)),
      };
      await sign(store, 'permits');
      await publish(withLogs(store, logs), out).catch(() => undefined);
      expect((await verifySnapshot(out)).findings).toEqual([]);
      for (const size of await provedSizes(join(out, 'permits'))) sizes.add(size);
      return isBroken;
    };
    let top = 200;
    for (let calls = 0, isBroken = true; isBroken; calls += stride(2)) {
      await add(store, top + 1, (top += 37));
      isBroken = await broken(calls);
    }
    // More files than are moved at once: the first ones are in their places when the last one fails.
    await add(store, top + 1, 9_600);
    expect(await broken(72)).toBe(true);
    const [uuid] = await logsIn(join(out, 'permits'));
    expect(existsSync(join(out, `permits/log/${uuid}/tile/entries/009`))).toBe(true);
    expect(await broken(Infinity)).toBe(false);
    // That of before until the run that nothing broke off.
    expect([...sizes]).toEqual([200, top, 9_600]);
    expect((await publish(store, out)).written).toBe(0);
  });

  it('keeps the partial tiles of a checkpoint whose run was killed before its manifest', async () => {
    const out = await folder();
    const store = await signedStore(10);
    await publish(store, out);
    const place = join(out, 'permits/manifest.json');
    const before = await readFile(place);
    await add(store, 11, 20);
    await sign(store, 'permits');
    await publish(store, out);
    const { checkpoint, name: log } = await logsOf(store).of('permits');
    // As the kill left it: what was written is in the journal.
    const { files } = await manifestOf(out);
    const lines = Object.entries(files).map(([path, file]) => journalText([{ path, file }]));
    await writeFile(join(out, 'permits', JOURNAL_FILE), lines.join(''));
    await writeFile(place, before);
    await add(store, 21, 30);
    await sign(store, 'permits');
    await publish(store, out);
    expect(await prove(join(out, `permits/log/${log}`), checkpoint!)).toBe(20);
    expect(await provedSizes(join(out, 'permits'))).toEqual([30]);
    expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', findings: [] });
  });

  it('takes 320 bytes an entry at most, its lines in the manifest included', async () => {
    const COUNT = 10_000;
    const out = await folder();
    const store = await storeOf(COUNT);
    const without = await folder();
    await publish(store, without, { formats: FEW });
    await sign(store, 'permits');
    await publish(store, out, { formats: FEW });
    let bytes = 0;
    for (const name of (await digests(out)).keys()) bytes += (await stat(join(out, name))).size;
    for (const name of (await digests(without)).keys()) bytes -= (await stat(join(without, name))).size;
    expect(bytes / COUNT).toBeLessThanOrEqual(320);
  });
});
