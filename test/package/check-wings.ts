// `npm run check:wings`: takes each wing (src/wings/) out of a copy of the tree, with what its wing.json says goes with it, and then asks
// whether the rest is whole: types, lint, `npm test`, and a service that answers. `-- NAME` asks it of one wing, `-- NAME --keep`
// leaves the copy and tests nothing.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from './surface.ts';

/** What goes with a wing, besides its own folders in src/wings/ and test/wings/. */
interface WingFile {
  /** Files and folders: tests, pages of docs/, examples, schemas. */
  readonly files: readonly string[];
  /** Entries of `exports` in package.json. */
  readonly exports: readonly string[];
}

const WINGS = 'src/wings';

/** Copies what is under version control, as it is now. */
function copyOfTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gazette-wings-'));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    ...{ cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 28 },
  });
  for (const path of listed.split('\0')) {
    if (path === '' || !existsSync(join(ROOT, path))) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(ROOT, path), join(folder, path));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** All modules below a folder. */
function modulesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** A statement that imports or exports, over all its lines, and from where. */
const STATEMENT = /^(?:import|export) (?:type )?(?:\{([^}]*)\} )from '([^']+)';\n/gm;

/** Cuts a wing out of the lists of wings and out of the entries that give it to others. */
function cut(folder: string, name: string): void {
  const lists = modulesIn(join(folder, 'test/wings')).filter((path) => dirname(path) === join(folder, 'test/wings'));
  for (const path of [...modulesIn(join(folder, 'src')), ...lists]) {
    const before = readFileSync(path, 'utf8');
    const gone: string[] = [];
    let after = before.replace(STATEMENT, (statement, names: string, from: string) => {
      if (!`/${relative(folder, join(dirname(path), from))}`.includes(`/wings/${name}/`)) return statement;
      if (statement.startsWith('import')) gone.push(...names.split(',').map((one) => one.trim()));
      return '';
    });
    if (after === before) continue;
    for (const one of gone) after = after.replaceAll(new RegExp(`\\b${one}\\b(?:, )?`, 'g'), '');
    writeFileSync(path, after);
  }
}

/** What a module imports. */
const IMPORTED = /(?:from|import\(?) ?'(\.{1,2}\/[^']+\.[jt]s)'/g;

/** Removes the tests, and what they share, that import what is there no more. @returns how many */
function removeOrphans(folder: string): number {
  let removed = 0;
  for (let found = true; found;) {
    found = false;
    for (const path of ['test', 'bench', 'fixtures', 'examples'].flatMap((part) => modulesIn(join(folder, part)))) {
      const text = readFileSync(path, 'utf8');
      const imported = Array.from(text.matchAll(IMPORTED), ([, from]) => relative(folder, join(dirname(path), from!)));
      const missing = imported.find((one) => !existsSync(join(folder, one)) && existsSync(join(ROOT, one)));
      if (missing === undefined) continue;
      console.log(`  ${relative(folder, path)} needs ${missing}`);
      rmSync(path);
      removed++;
      found = true;
    }
  }
  return removed;
}

/** Takes a wing out. @returns how many tests went with it without being named */
function remove(folder: string, name: string): number {
  const own = JSON.parse(readFileSync(join(folder, WINGS, name, 'wing.json'), 'utf8')) as WingFile;
  for (const path of [`${WINGS}/${name}`, `test/wings/${name}`, ...own.files]) {
    if (!existsSync(join(folder, path))) throw new Error(`${name}/wing.json names ${path}, which is not there`);
    rmSync(join(folder, path), { recursive: true });
  }
  const manifest = join(folder, 'package.json');
  const described = JSON.parse(readFileSync(manifest, 'utf8')) as { exports: Record<string, unknown> };
  const exports = Object.fromEntries(
    Object.entries(described.exports).filter(([entry]) => !own.exports.includes(entry)),
  );
  writeFileSync(manifest, `${JSON.stringify({ ...described, exports }, null, 2)}\n`);
  cut(folder, name);
  return removeOrphans(folder);
}

/** Whether a program ends well in the copy. */
function passes(folder: string, ...args: readonly string[]): boolean {
  console.log(`  ${args.join(' ')}`);
  return spawnSync(process.execPath, args, { cwd: folder, stdio: 'inherit' }).status === 0;
}

/** Whether a script of package.json ends well in the copy. */
function npm(folder: string, script: string): boolean {
  console.log(`  npm run ${script}`);
  return spawnSync('npm', ['run', '--silent', script], { cwd: folder, stdio: 'inherit' }).status === 0;
}

/** Whether `gazette serve` runs in the copy, and answers what its registers are. */
async function serves(folder: string): Promise<boolean> {
  const store = join(folder, 'wings.db');
  const cli = (...args: readonly string[]): readonly string[] => ['src/cli/gazette.ts', ...args, '--store', store];
  if (!passes(folder, ...cli('register', 'add', 'permits', '--title', 'Permits'))) return false;
  const serving = spawn(process.execPath, cli('serve', '--port', '0'), {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    for await (const line of createInterface({ input: serving.stderr })) {
      const url = /https?:\/\/\S+\/api\/v1/.exec(line)?.[0];
      if (url !== undefined) return (await fetch(`${url}/feeds/permits`)).ok;
    }
    return false;
  } finally {
    serving.kill();
    await once(serving, 'close');
  }
}

const [only, keep] = process.argv.slice(2);
const names = readdirSync(join(ROOT, WINGS), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && (only === undefined || entry.name === only))
  .map((entry) => entry.name);
let isWhole = names.length > 0;
for (const name of names) {
  const folder = copyOfTree();
  console.log(`without ${name}: ${remove(folder, name)} modules of tests import it`);
  if (keep === '--keep') {
    console.log(folder);
    continue;
  }
  isWhole &&=
    npm(folder, 'check:types') &&
    npm(folder, 'check:lint') &&
    // What is made of the sources: the package, and the schemas of its files and answers.
    npm(folder, 'build') &&
    npm(folder, 'schemas') &&
    npm(folder, 'test') &&
    (await serves(folder));
  rmSync(folder, { recursive: true });
  console.log(`without ${name}: ${isWhole ? 'whole' : 'not whole'}`);
}
if (!isWhole) process.exitCode = 1;
