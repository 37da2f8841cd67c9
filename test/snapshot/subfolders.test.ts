// A folder of a snapshot whose files have no extension and are in folders within folders, as those of a log are.
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ManifestBytes, manifestHead, type ManifestHead, stemOf } from '../../src/snapshot/folder/manifest.ts';
import { SnapshotFolder } from '../../src/snapshot/folder/writer.ts';
import { FolderPlace } from '../../src/snapshot/places/folder-place.ts';
import { folder } from './published.ts';

const HEAD: ManifestHead = manifestHead('public', 'https://example.org');
const FULL = 'log/tile/0/000';
const PARTIAL = ['log/tile/0/000.p/12', 'log/tile/0/000.p/200'];
const CHECKPOINT = 'log/checkpoint';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const open = (out: string): Promise<SnapshotFolder<ManifestHead>> => SnapshotFolder.open(new FolderPlace(out), ['log']);

/** Writes these files, each with its name as its text, as the next state. */
async function write(out: string, names: readonly string[]): Promise<number> {
  const files = await open(out);
  await files.begin('public');
  for (const name of names) await files.put(name, bytesOf(name));
  await files.finish(files.manifest(HEAD));
  return files.written;
}

describe('names without an extension, in folders of a folder', () => {
  it.each([
    ['pages/000012.atom', 'pages/000012'],
    ['index.json', 'index'],
    [FULL, FULL],
    [PARTIAL[0]!, PARTIAL[0]!],
    [CHECKPOINT, CHECKPOINT],
    ['_headers', '_headers'],
  ])('%s has the stem %s, in a name and in a manifest', async (name, stem) => {
    expect(stemOf(name)).toBe(stem);
    const out = await folder();
    await write(out, [name]);
    const manifest = new ManifestBytes(await readFile(join(out, 'manifest.json')), 'manifest.json');
    expect([...manifest.ranges.keys()]).toEqual([stem]);
    expect(Object.keys(manifest.entries(stem))).toEqual([name]);
  });

  it('are all kept beside each other, and written once', async () => {
    const out = await folder();
    const names = [...PARTIAL, FULL, CHECKPOINT, 'index.json'];
    expect(await write(out, names)).toBe(names.length);
    expect(await write(out, names)).toBe(0);
    const kept = await open(out);
    await kept.begin('public');
    for (const name of names) kept.keep(stemOf(name));
    const before = await readFile(join(out, 'manifest.json'));
    await kept.finish(kept.manifest(HEAD));
    expect(await readFile(join(out, 'manifest.json'))).toEqual(before);
    for (const name of names) expect(await readFile(join(out, name), 'utf8')).toBe(name);
  });

  it('go one by one, and their folders with the last of them', async () => {
    const out = await folder();
    await write(out, [...PARTIAL, FULL, CHECKPOINT]);
    await write(out, [PARTIAL[1]!, FULL, CHECKPOINT]);
    expect(await readdir(join(out, 'log/tile/0/000.p'))).toEqual(['200']);
    await write(out, [FULL, CHECKPOINT]);
    expect(await readdir(join(out, 'log/tile/0'))).toEqual(['000']);
    await write(out, ['index.json']);
    expect(existsSync(join(out, 'log'))).toBe(false);
  });

  it('of an interrupted run are found at any depth, and what waits under a temporary name goes', async () => {
    const out = await folder();
    await write(out, [FULL, CHECKPOINT]);
    const broken = await open(out);
    await broken.begin('public');
    await broken.put(FULL, bytesOf('another'));
    await broken.close();
    await mkdir(join(out, 'log/tile/entries/x001'), { recursive: true });
    await writeFile(join(out, 'log/tile/entries/x001/000.tmp'), 'half');
    const next = await open(out);
    await next.begin('public');
    expect(existsSync(join(out, 'log/tile/entries/x001/000.tmp'))).toBe(false);
    expect(existsSync(join(out, `${FULL}.tmp`))).toBe(false);
    expect([next.isKnown(FULL), next.isKnown(CHECKPOINT)]).toEqual([true, true]);
    await next.close();
  });
});
