// The log of a register in a snapshot's folder: whole at every size, and nothing of it can be missing, damaged or another's.
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isGazetteError } from '../../../../src/errors.ts';
import { proveLog, type ProvedLog } from '../../../../src/wings/proofs/mirror/log.ts';
import { folderLogs } from '../../../../src/wings/proofs/mirror/log-source.ts';
import { leafHash, tilePath } from '../../../../src/wings/proofs/tlog/index.ts';
import { formatCheckpoint } from '../../../../src/wings/proofs/tlog/checkpoint.ts';
import { formatVerifierKey, signerOf } from '../../../../src/wings/proofs/tlog/keys.ts';
import { formatNote, signText } from '../../../../src/wings/proofs/tlog/note.ts';
import { joinEntries } from '../../../../src/wings/proofs/tlog/tiles.ts';
import { canonicalJson, type JsonValue } from '../../../../src/register/canonical-json.ts';
import { naiveRoot } from '../tlog/naive-tree.ts';

const UUID = '6f1cbd1c-5f0c-4d0e-9a53-9e8a4c3a5f11';
const ORIGIN = `example.org/api/v1/feeds/permits/log/${UUID}`;
const KEY = signerOf(ORIGIN, 'log', Buffer.alloc(32, 7));
const VKEY = formatVerifierKey(KEY);

/** An entry of every tenth record that is withdrawn, and of others that are new. */
function entryOf(change: number, text = 'a'): Buffer {
  const isEnd = change % 10 === 0;
  const position = isEnd ? change - 1 : change;
  const hash = Buffer.alloc(32, text).toString('base64');
  const entry = { v: 1, change, position, version: isEnd ? 2 : 1, cause: isEnd ? 'withdrawn' : 'source_change' };
  return Buffer.from(canonicalJson({ ...entry, recorded_at: '2026-01-01T00:00:00Z', record: hash, commitment: hash }));
}

const recordsAfter = (size: number): number => size - 2 * Math.floor(size / 10);

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'gazette-log-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

function signed(size: number, root: Uint8Array): string {
  const text = formatCheckpoint({ origin: ORIGIN, size, root });
  return formatNote({ text, signatures: [signText(text, KEY, 0)] });
}

/** Writes a log as a snapshot has it, made without the code that reads it. @returns the signed checkpoint */
async function writeLog(out: string, entries: readonly Uint8Array[]): Promise<string> {
  const log = join(out, 'permits/log', UUID);
  const put = async (path: string, bytes: Uint8Array | string): Promise<void> => {
    await mkdir(dirname(join(log, path)), { recursive: true });
    await writeFile(join(log, path), bytes);
  };
  let hashes: Uint8Array[] = entries.map((entry) => leafHash(entry));
  for (let index = 0; index * 256 < entries.length; index++) {
    const some = entries.slice(index * 256, index * 256 + 256);
    await put(tilePath({ level: 'entries', index, width: some.length }), joinEntries(some));
  }
  const checkpoint = signed(entries.length, naiveRoot(hashes));
  for (let level = 0; hashes.length > 0; level++) {
    const above: Uint8Array[] = [];
    for (let index = 0; index * 256 < hashes.length; index++) {
      const some = hashes.slice(index * 256, index * 256 + 256);
      await put(tilePath({ level, index, width: some.length }), Buffer.concat(some));
      if (some.length === 256) above.push(naiveRoot(some));
    }
    hashes = above;
  }
  await put('checkpoint', checkpoint);
  return checkpoint;
}

const entriesTo = (size: number, text?: string): Buffer[] =>
  Array.from({ length: size }, (_, at) => entryOf(at + 1, text));

async function logOf(entries: readonly Uint8Array[]): Promise<string> {
  const out = await folder();
  await writeLog(out, entries);
  return out;
}

const prove = (out: string, kept: string | null = null): Promise<ProvedLog> =>
  proveLog(folderLogs(out), { vkey: VKEY, kept, now: Date.now });

async function refusal(work: Promise<unknown>): Promise<{ readonly code: string; readonly message: string }> {
  const error = await work.then(
    (taken) => new Error(`it was taken: ${JSON.stringify(taken)}`),
    (reason: unknown) => reason,
  );
  if (isGazetteError(error)) return { code: error.code, message: error.message };
  throw error;
}

async function filesOf(out: string): Promise<string[]> {
  const all = await readdir(out, { recursive: true, withFileTypes: true });
  return all.filter((one) => one.isFile()).map((one) => relative(out, join(one.parentPath, one.name)));
}

describe('the log in a folder', () => {
  it.each([0, 1, 255, 256, 257, 700, 65_536, 65_537])('of %i changes is proved', async (size) => {
    const out = await logOf(entriesTo(size));
    const { positions, ...found } = await prove(out);
    expect([positions?.size, found]).toMatchObject([recordsAfter(size), { feedId: 'permits', size, listing: null }]);
  });

  it.each<[number, RegExp]>([
    [700, /./],
    [65_793, /\/tile\/[12]\/000/],
  ])(
    'of %i changes is refused when a file of it is missing, damaged, too short, too long or another',
    async (size, which) => {
      const whole = await logOf(entriesTo(size));
      const files = await filesOf(whole);
      const tried = files.filter((name) => which.test(name));
      expect(tried.length).toBeGreaterThan(1);
      for (const name of tried) {
        const path = join(whole, name);
        const bytes = await readFile(path);
        const flipped = Buffer.from(bytes);
        flipped[bytes.length >> 1]! ^= 4;
        const other =
          files.find((one) => one !== name && dirname(one) === dirname(name)) ?? files.find((one) => one !== name)!;
        const damages = [
          flipped,
          bytes.subarray(0, -1),
          bytes.subarray(0, -32),
          Buffer.concat([bytes, bytes]),
          Buffer.alloc(0),
        ];
        const all = [...damages, await readFile(join(whole, other)), null];
        // Each takes a second where there are so many: all files take turns.
        for (const damaged of size < 1000 ? all : all.filter((_, kind) => kind % 2 === tried.indexOf(name) % 2)) {
          await (damaged === null ? rm(path) : writeFile(path, damaged));
          const { code, message } = await refusal(prove(whole));
          expect([name, code]).toEqual([name, 'invalid_proof']);
          if (damaged === null) expect(message).toContain(`${path} must be there`);
          await writeFile(path, bytes);
        }
      }
      expect(await prove(whole)).toMatchObject({ size });
    },
  );

  it.each<[string, (entries: Buffer[]) => unknown]>([
    ['a change is left out', (entries) => entries.splice(5, 1)],
    ['two are in another order', (entries) => ([entries[3], entries[4]] = [entries[4]!, entries[3]!])],
    ['one is there twice', (entries) => entries.splice(5, 0, entries[5]!)],
    ['one is no JSON', (entries) => (entries[7] = Buffer.from('{'))],
    ['one is no object', (entries) => (entries[7] = Buffer.from('[null]'))],
    ['one is not canonical', (entries) => (entries[7] = Buffer.from(` ${entries[7]!.toString()}`))],
    ...(
      [
        ...[{ v: 2 }, { change: 9 }, { position: 0 }, { version: 1.5 }, { cause: 'made' }, { cause: undefined }],
        ...[{ recorded_at: 'now' }, { recorded_at: 1 }, { record: 'AA==' }, { commitment: null }, { commitment: '?' }],
      ] satisfies object[]
    ).map((other): [string, (entries: Buffer[]) => unknown] => [
      `one has ${JSON.stringify(other)}`,
      (entries) => {
        const members = JSON.parse(entries[7]!.toString()) as object;
        entries[7] = Buffer.from(canonicalJson({ ...members, ...other } as JsonValue));
      },
    ]),
  ])('is refused, though all of it is signed, when %s', async (_, change) => {
    const entries = entriesTo(300);
    change(entries);
    expect(await refusal(prove(await logOf(entries)))).toMatchObject({ code: 'invalid_proof' });
  });

  it('has tiles of earlier checkpoints too, which begin the present ones, and nothing else', async () => {
    const out = await logOf(entriesTo(300));
    const log = join(out, 'permits/log', UUID);
    const put = async (path: string, bytes: Uint8Array | null): Promise<void> => {
      await mkdir(dirname(join(log, path)), { recursive: true });
      await (bytes === null ? rm(join(log, path)) : writeFile(join(log, path), bytes));
    };
    const entries = entriesTo(300).slice(256);
    const earlier: readonly (readonly [string, Uint8Array])[] = [
      ['tile/entries/001.p/10', joinEntries(entries.slice(0, 10))],
      ['tile/0/001.p/10', Buffer.concat(entries.slice(0, 10).map(leafHash))],
    ];
    for (const [path, bytes] of earlier) await put(path, bytes);
    expect(await prove(out)).toMatchObject({ size: 300 });
    for (const [path, bytes] of earlier) {
      const flipped = Buffer.from(bytes);
      flipped[20]! ^= 1;
      for (const damaged of [
        flipped,
        bytes.subarray(0, -32),
        Buffer.concat([bytes, Buffer.alloc(32)]),
        Buffer.alloc(0),
      ]) {
        await put(path, damaged);
        const { code, message } = await refusal(prove(out));
        expect([code, message]).toEqual(['invalid_proof', expect.stringContaining(path)]);
      }
      await put(path, bytes);
    }
    for (const path of ['tile/0/001.p/45', 'tile/0/002.p/1', 'tile/0/1', 'tile/entries/001.p/x']) {
      await put(path, Buffer.alloc(32));
      expect((await refusal(prove(out))).message).toContain(path);
      await put(path, null);
    }
    expect(await prove(out)).toMatchObject({ size: 300 });
  });

  it('is proved by its tiles where the entries are for payers alone', async () => {
    const out = await logOf(entriesTo(700));
    const log = join(out, 'permits/log', UUID);
    const kept = await writeLog(await folder(), entriesTo(300));
    await rm(join(log, 'tile/entries'), { recursive: true });
    expect(await prove(out, kept)).toMatchObject({ size: 700, positions: null });
    for (const name of ['tile/0/000', 'tile/0/001', 'tile/0/002.p/188', 'tile/1/000.p/2']) {
      const bytes = await readFile(join(log, name));
      const flipped = Buffer.from(bytes);
      flipped[40]! ^= 1;
      await writeFile(join(log, name), flipped);
      expect([name, (await refusal(prove(out))).code]).toEqual([name, 'invalid_proof']);
      await writeFile(join(log, name), bytes);
    }
  });

  it('goes on from what was seen, is stale when it is older, and forked when it is another', async () => {
    const notes = new Map<string, string>();
    const logs = new Map<string, string>();
    for (const size of [1, 256, 300, 513]) {
      for (const text of ['a', 'b']) {
        const out = await folder();
        notes.set(`${text}${size}`, await writeLog(out, entriesTo(size, text)));
        logs.set(`${text}${size}`, out);
      }
    }
    for (const [now, out] of logs) {
      for (const [before, kept] of notes) {
        const isGrown = now.startsWith(before.slice(0, 1)) && Number(now.slice(1)) >= Number(before.slice(1));
        if (isGrown) expect(await prove(out, kept)).toMatchObject({ kept: notes.get(now) });
        else {
          const isOlder = Number(now.slice(1)) < Number(before.slice(1));
          const { code } = await refusal(prove(out, kept));
          expect([now, before, code]).toEqual([now, before, isOlder ? 'log_stale' : 'log_forked']);
        }
      }
    }
  });

  it('is of the register and the log that the key names, and signed by that key', async () => {
    const out = await logOf(entriesTo(3));
    const other = (name: string, seed: number): string =>
      formatVerifierKey(signerOf(name, 'log', Buffer.alloc(32, seed)));
    const asked = (vkey: string): Promise<ProvedLog> => proveLog(folderLogs(out), { vkey, kept: null, now: Date.now });
    expect(await refusal(asked(other(ORIGIN, 8)))).toMatchObject({ code: 'invalid_proof' });
    expect(await refusal(asked(other(ORIGIN.replace('permits', 'notices'), 7)))).toMatchObject({
      code: 'invalid_proof',
    });
    expect(await refusal(asked(other('example.org/log', 7)))).toMatchObject({ code: 'invalid_option' });
    expect(await refusal(asked('nothing'))).toMatchObject({ code: 'invalid_log_key' });
    await cp(join(out, 'permits'), join(out, 'notices'), { recursive: true });
    expect(await refusal(asked(other(ORIGIN.replace('permits', 'notices'), 7)))).toMatchObject({
      code: 'invalid_proof',
    });
  });
});
