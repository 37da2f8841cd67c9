// What the index of a snapshot's search says, in every file of it: Pagefind compresses them.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** What Pagefind's compressed files begin with (RFC 1952 2.3.1). */
const GZIP = Buffer.from([0x1f, 0x8b]);

/** The bytes of every file of an index, unpacked, as text; its programs are not among them. */
export async function indexTexts(out: string, feedId = 'permits'): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const root = join(out, feedId, 'search');
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || /\.(?:js|pagefind)$/.test(entry.name)) continue;
    const bytes = await readFile(path);
    const plain = bytes.subarray(0, 2).equals(GZIP) ? gunzipSync(bytes) : bytes;
    found.set(path.slice(root.length + 1), plain.toString('utf8'));
  }
  return found;
}

/** The files of an index in which something stands. */
export async function indexFilesWith(out: string, pattern: RegExp, feedId?: string): Promise<readonly string[]> {
  const texts = await indexTexts(out, feedId);
  return [...texts].filter(([, text]) => pattern.test(text)).map(([name]) => name);
}
