// What is in a bucket, as a folder that can be verified.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { folder } from '../published.ts';

/** Copies the objects below a prefix into a folder that goes when the test does. */
export async function downloaded(
  objects: ReadonlyMap<string, Uint8Array | { readonly bytes: Uint8Array }>,
  prefix = 'open/data/',
): Promise<string> {
  const out = await folder();
  for (const [key, object] of objects) {
    const path = join(out, key.slice(prefix.length));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, object instanceof Uint8Array ? object : object.bytes);
  }
  return out;
}
