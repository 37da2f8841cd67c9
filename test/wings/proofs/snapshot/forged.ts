// A signed folder in memory: written, changed as somebody does who makes its manifests fit, and verified.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { countRecords } from '../../../../src/snapshot/folder/count-records.ts';
import {
  digestOf,
  type FileEntry,
  manifestText,
  type RegisterManifest,
  type RootManifest,
} from '../../../../src/snapshot/folder/manifest.ts';
import { gazette } from '../../../cli/run.ts';

/** The files of a folder by their names. */
export type FolderFiles = Map<string, Buffer>;

/** Where a register's manifest is, and the root's. */
const [OWN, ROOT] = ['permits/manifest.json', 'manifest.json'];

/** All files of a folder. */
export async function filesOf(out: string): Promise<FolderFiles> {
  const files: FolderFiles = new Map();
  for (const entry of await readdir(out, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && entry.name !== '.gazette.lock') files.set(path.slice(out.length + 1), await readFile(path));
  }
  return files;
}

/** The register's manifest. */
export function manifestIn(files: FolderFiles): RegisterManifest {
  return JSON.parse(files.get(OWN)!.toString()) as RegisterManifest;
}

/** Makes the manifests fit the files: digests, lengths, counts, and what is changed of the register's head. */
export function fit(files: FolderFiles, head: Partial<RegisterManifest> = {}): void {
  const { files: before, ...others } = manifestIn(files);
  const entries: Record<string, FileEntry> = {};
  for (const [name, { records, ...entry }] of Object.entries(before)) {
    const bytes = files.get(`permits/${name}`);
    if (bytes === undefined) continue;
    const counted = records === undefined || name.endsWith('.xlsx') ? records : countRecords(name, bytes);
    const facts = counted === undefined ? {} : { records: counted };
    entries[name] = { ...entry, sha256: digestOf(bytes), bytes: bytes.length, ...facts };
  }
  const total = others.walk.reduce((sum, name) => sum + (entries[`${name}.json`]?.records ?? 0), 0);
  const own = Buffer.from(
    manifestText({ ...others, total, ...head, sha256: undefined, files: entries } as RegisterManifest),
  );
  const { files: named, ...root } = JSON.parse(files.get(ROOT)!.toString()) as RootManifest;
  const entry = { sha256: digestOf(own), bytes: own.length };
  files.set(OWN, own);
  const all = { ...root, sha256: undefined, files: { ...named, [OWN]: entry } } as RootManifest;
  files.set(ROOT, Buffer.from(manifestText(all)));
}

/** Brings a folder from what it has to these files. */
export async function write(out: string, files: FolderFiles, present: FolderFiles = new Map()): Promise<void> {
  for (const name of present.keys()) if (!files.has(name)) await rm(join(out, name));
  for (const [name, bytes] of files) {
    if (present.get(name)?.equals(bytes) === true) continue;
    await mkdir(dirname(join(out, name)), { recursive: true });
    await writeFile(join(out, name), bytes);
  }
}

/** What `gazette verify` says of a folder: its lines behind the first, or its error. */
export async function verified(out: string, vkey: string): Promise<readonly string[] | string> {
  const { code, stdout, stderr } = await gazette(['verify', out, '--vkey', vkey]);
  return code === 0 ? stdout.toString().trimEnd().split('\n').slice(1) : stderr;
}

/** The records of a page's list, or the lines beside a page, changed. */
export function edit(files: FolderFiles, name: string, change: (all: Editable[]) => void): void {
  const text = files.get(name)!.toString();
  if (name.endsWith('.ndjson')) {
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Editable);
    change(lines);
    files.set(name, Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
    return;
  }
  const page = JSON.parse(text) as { records: Editable[] };
  change(page.records);
  files.set(name, Buffer.from(`${JSON.stringify(page)}\n`));
}

/** A record or a line. */
export type Editable = Record<string, unknown>;
