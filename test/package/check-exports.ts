// `npm run check:exports`: fails when a signature names a type that no entry exports, when two entries export one name, when an
// export or one of its public members has no doc comment, or when docs/reference is not what the doc comments and the commands say.
// `npm run docs:reference` (`--write`) writes docs/reference.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCommands } from '../../src/cli/main.ts';
import { commandsPage } from './commands-page.ts';
import { publicEntries, ROOT, Surface } from './surface.ts';

const reference = join(ROOT, 'docs/reference');

/** The files of a folder, by path. */
async function filesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(
      paths.map(async (path) => [path.slice(folder.length + 1), await readFile(path, 'utf8')] as const),
    ),
  );
}

/** The pages that are missing, superfluous or not as the doc comments say. */
function stalePages(made: ReadonlyMap<string, string>, kept: ReadonlyMap<string, string>): readonly string[] {
  return [...new Set([...made.keys(), ...kept.keys()])].filter((path) => made.get(path) !== kept.get(path));
}

/** Writes the reference. */
async function writePages(folder: string): Promise<void> {
  await surface.write(folder);
  await writeFile(join(folder, 'commands.md'), commandsPage(await loadCommands()));
}

const entries = await publicEntries();
const surface = await Surface.read(entries, join(ROOT, 'tsconfig.build.json'));
const faults = [...surface.faults()];
if (process.argv.includes('--write')) {
  await rm(reference, { recursive: true, force: true });
  await writePages(reference);
} else {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-reference-'));
  try {
    await writePages(folder);
    const stale = stalePages(await filesIn(folder), await filesIn(reference));
    faults.push(...stale.map((path) => `docs/reference/${path} is not what the sources say: npm run docs:reference`));
  } finally {
    await rm(folder, { recursive: true });
  }
}
for (const fault of faults) console.error(fault);
console.log(`${entries.length} entries, ${faults.length} faults`);
if (faults.length > 0) process.exitCode = 1;
