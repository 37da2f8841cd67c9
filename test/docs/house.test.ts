// The house against its rules: every file and folder that src/README.md names exists, and its layers are those of the layer
// check in the same order. How large it may be: test/package/house.ts.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = new URL('../../', import.meta.url).pathname;
const TEXT = readFileSync(join(ROOT, 'src/README.md'), 'utf8');

/** What looks like a file or a folder: `page.ts`, `register/fields.ts`, `stores/`, `receive/*-idempotency.ts`. */
const PATH = /^[\w.*/-]+(?:\/|\.(?:ts|md|js|json))$/;

/** No part of the tree: what the service answers, and the files that the steps for a new concern would add. */
const NOT_OF_THE_TREE = new Set(['openapi.json', 'contract/bookmarks.ts', 'logic/bookmarks.ts']);

/** The paths the text names, each with the folders it may be in: the room, and those named in its row or paragraph. */
function* named(): Generator<{ readonly path: string; readonly folders: readonly string[] }> {
  let room = '';
  for (const block of TEXT.split(/\n\n|\n(?=\||#|\d\. )/)) {
    if (block.startsWith('#')) room = '';
    room = /^\*\*`([\w-]+\/)`\*\*/.exec(block)?.[1] ?? room;
    const paths = Array.from(block.matchAll(/`([^`]+)`/g), ([, path]) => path!).filter((path) => PATH.test(path));
    const folders = new Set(paths.map((path) => path.slice(0, path.lastIndexOf('/') + 1)));
    for (const path of paths) {
      if (!NOT_OF_THE_TREE.has(path))
        yield { path, folders: ['', room, ...folders, ...[...folders].map((one) => room + one)] };
    }
  }
}

/** Whether a path, or for a `*` any file of its pattern, exists. */
function isThere(path: string): boolean {
  if (!path.includes('*')) return existsSync(path);
  const slash = path.lastIndexOf('/');
  const end = path.slice(path.indexOf('*') + 1);
  return existsSync(path.slice(0, slash)) && readdirSync(path.slice(0, slash)).some((name) => name.endsWith(end));
}

test('every file and folder that src/README.md names exists', () => {
  const paths = [...named()];
  expect(paths.length).toBeGreaterThan(100);
  const missing = paths.filter(
    ({ path, folders }) =>
      ![...folders.map((folder) => `src/${folder}`), ...folders].some((folder) => isThere(join(ROOT, folder, path))),
  );
  expect(missing.map(({ path }) => path)).toEqual([]);
});

test('the layers of src/README.md are those of the layer check', () => {
  const check = readFileSync(join(ROOT, '.dependency-cruiser.js'), 'utf8');
  const listed = /const LAYERS = \[\n(.*?)\n\];/s.exec(check)![1]!;
  const layers = Array.from(listed.matchAll(/\[[^\]]*\]/g), ([layer]) =>
    Array.from(layer.matchAll(/'([\w-]+)'/g), ([, name]) => name!),
  );
  const sections = TEXT.split(/^## /m).filter((section) => section.startsWith('Layer '));
  expect(sections.map((section) => /^Layer (\d+):/.exec(section)?.[1])).toEqual(layers.map((_, depth) => `${depth}`));
  const rooms = sections.map((section) =>
    Array.from(section.matchAll(/\*\*`([\w-]+)(?:\/|\.ts)`\*\*/g), ([, name]) => name!),
  );
  expect(rooms.map((names) => names.toSorted())).toEqual(layers.map((names) => names.toSorted()));
  const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).filter((name) => !layers.flat().includes(name))).toEqual(['wings']);
});
