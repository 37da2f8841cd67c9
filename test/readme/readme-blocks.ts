// The README's code blocks as files that run, and its commands. A block whose first line is a comment with a file name
// is that file.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The named blocks of README.md, by file name. */
export function readmeBlocks(): ReadonlyMap<string, string> {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const blocks = new Map<string, string>();
  for (const [, name, code] of readme.matchAll(/^```ts\n\/\/ (\S+\.ts)[^\n]*\n([\s\S]*?)^```$/gm)) {
    if (blocks.has(name!)) throw new Error(`README.md names ${name!} twice`);
    blocks.set(name!, code!);
  }
  return blocks;
}

/** The README's blocks for a shell, in their order. */
export function readmeCommands(): readonly string[] {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  return Array.from(readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm), ([, commands]) => commands!);
}

/** A folder that holds the blocks, changed by `edit`; `gazette` in them means this checkout's sources. */
export function writeBlocks(
  blocks: ReadonlyMap<string, string>,
  edit: (name: string, code: string) => string = (_, code) => code,
): { readonly folder: string; readonly remove: () => void } {
  // Inside the checkout, where Node finds the frameworks; git ignores it.
  const folder = mkdtempSync(join(ROOT, 'test/readme/.blocks-'));
  const source = (file: string): string => relative(folder, join(ROOT, 'src', file)).replaceAll('\\', '/');
  for (const [name, code] of blocks) {
    const runnable = edit(name, code)
      .replaceAll(`from 'gazette'`, `from '${source('index.ts')}'`)
      .replaceAll(`from 'gazette/import'`, `from '${source('import/index.ts')}'`)
      .replaceAll(`from 'gazette/stores'`, `from '${source('stores/index.ts')}'`)
      .replaceAll(`from 'gazette/client'`, `from '${source('client/index.ts')}'`)
      .replaceAll(`from 'gazette/service'`, `from '${source('service/index.ts')}'`)
      .replaceAll(`from 'gazette/snapshot'`, `from '${source('snapshot/index.ts')}'`)
      .replaceAll(`from 'gazette/webhooks'`, `from '${source('webhooks/index.ts')}'`)
      .replaceAll(`from 'gazette/reference'`, `from '${source('formats/reference/index.ts')}'`);
    writeFileSync(join(folder, name), runnable);
  }
  return {
    folder,
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
