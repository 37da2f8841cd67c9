// Which tests a change can break: those that need a changed file, directly or not. A file needs what it imports (the graph
// of the layer check) and what its strings name: a program that it starts, a file or folder that it reads. NEEDS has what
// neither shows, and EVERYTHING what all tests need. What nobody names, all tests need.
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config';

/** What all tests need: the foundations, what decides which tests run, configuration, what tests share. */
const EVERYTHING: readonly RegExp[] = [
  /^src\/(?:errors\.ts|(?:register|web|files|stores)\/)/,
  /^\.ci\/(?!whole-run$)/,
  /^(?:[^/]+\.(?:json|js|ts|yaml)|\.[^/]+)$/,
  /^test\/(?:[^/]+\.ts|contracts\/.*|stores\/postgres\/(?:global|server)\.ts)$/,
];

/** What files need besides what they import and name. */
const NEEDS: readonly (readonly [of: RegExp, needs: string])[] = [
  // The runner calls install.ts before this suite; it installs what the other two say.
  [/^test\/conformance\/.*\.test\.ts$/, 'test/conformance/install.ts'],
  [/^test\/conformance\/install\.ts$/, 'test/conformance/package.json'],
  [/^test\/conformance\/install\.ts$/, 'test/conformance/package-lock.json'],
  // Its copy of the tree is changed, compiled and run.
  [/^test\/tour\/copy\.ts$/, 'src'],
  // npm starts it.
  [/^test\/cli\/through-npm\.test\.ts$/, 'src/cli/from-npm.ts'],
  // They import the package by its name, or have programs that do.
  [/^test\/(?:docs\/blocks|examples\/sources|package\/(?:installed|surface))\.ts$/, 'src'],
];

/** Needed by no more tests than those that import or name it: modules, of which all importers are known, and prose. */
const KNOWN = /^(?:src|test|fixtures|examples|bench)\/.*\.[jt]s$|\.md$|^\.ci\/whole-run$/;

/** Folders whose name alone says nothing: a test that lists them reads names, and is part of `npm test`. */
const ROOTS: ReadonlySet<string> = new Set(['src', 'test', 'bench']);

/** The tests of `npm test` that touch Node, by the beginning of their path. The others compute, which cannot differ. */
export const TOUCHES_NODE: readonly string[] = [
  // sockets, requests, names of hosts, connections that break
  ...['adapters/', 'webhooks/entry', 'webhooks/verify-entry', 'webhooks/receive/handlers', 'webhooks/receive/verify'],
  ...['attempt', 'misbehaving', 'name-resolver', 'sender'].map((name) => `webhooks/send/${name}`),
  // files put in place whole, pipes, standard input and output
  ...['files/', 'cli/export-own', 'cli/export-streams', 'cli/export-writing', 'cli/backup', 'cli/mcp'],
  // processes: cluster, signals, what is replaced and how it ends; npm's own start
  ...['cli/serve.', 'cli/serve-stop', 'cli/process/', 'cli/node-', 'cli/through-npm'],
  // fetch and what it says of a connection that ends; files half read
  ...['cli/pull-trouble', 'cli/import-interrupted'],
  // zlib in both directions, TextDecoder, streams of bytes
  ...['formats/xlsx/deflate', 'formats/xlsx/zip'],
  ...['import/readers/encodings', 'import/readers/file-kinds', 'import/readers/xlsx.'],
  // worker threads, the bytes of gzip, locks and moves of files
  ...['bytes', 'folder-lock', 'threads', 'verify'].map((name) => `snapshot/${name}`),
  // node:sqlite with a SQLite of its own; that a connection to PostgreSQL works, and what is said when it does not
  ...['damaged', 'engine', 'file', 'permissions', 'store', 'upgrade'].map((name) => `stores/sqlite/${name}`),
  ...['stores/postgres/accounts', 'stores/postgres/engine', 'cli/postgres-store'],
];

/** The suites of which a change runs a part, and which tests each has. What is in none of them, `npm test` runs always. */
export const SUITES: Readonly<Record<'conformance' | 'heavy' | 'node', (test: string) => boolean>> = {
  conformance: (test) => test.startsWith('test/conformance/'),
  heavy: (test) => test.endsWith('.heavy.test.ts') && !SUITES.conformance(test),
  node: (test) =>
    !test.endsWith('.heavy.test.ts') && TOUCHES_NODE.some((beginning) => test.startsWith(`test/${beginning}`)),
};

/** Which files and folders each module needs itself. */
export type Needs = ReadonlyMap<string, ReadonlySet<string>>;

/** The files that a change can break, of everything that needs something; or why that is everything. */
export type Selection = { readonly files: ReadonlySet<string> } | { readonly everything: string };

/** Finds what needs a changed path, directly or not. Who names a folder needs all that is in it; nobody needs a test. */
export function select(changed: readonly string[], needs: Needs): Selection {
  const pairs = [...needs].flatMap(([file, paths]) => [...paths].map((path) => ({ file, path })));
  const needed = Map.groupBy(pairs, ({ path }) => path);
  const places = (path: string): readonly string[] => [path, ...(path.endsWith('.test.ts') ? [] : foldersOf(path))];
  for (const path of changed) {
    if (EVERYTHING.some((pattern) => pattern.test(path))) return { everything: `all tests need ${path}` };
    if (!KNOWN.test(path) && !places(path).some((place) => needed.has(place)))
      return { everything: `nothing says what needs ${path}` };
  }
  const files = new Set(changed);
  for (const path of files)
    for (const place of places(path)) for (const { file } of needed.get(place) ?? []) files.add(file);
  return { files };
}

/** The folders that a file is in. */
function foldersOf(path: string): string[] {
  const folder = posix.dirname(path);
  return folder === '.' ? [] : [folder, ...foldersOf(folder)];
}

/** What a string of a module can name: a path from its own folder, or from the root. */
export function* namedBy(file: string, text: string): Generator<string> {
  const own = new Set(foldersOf(file));
  for (const [, string] of text.matchAll(/'([\w@.[\]/-]+)'/g)) {
    for (const from of [posix.dirname(file), '.']) {
      const path = posix.join(from, string!).replace(/\/$/, '');
      if (!own.has(path) && !ROOTS.has(path) && !path.startsWith('.')) yield path;
    }
  }
}

/** What a file needs by the table. */
export function needsBesides(file: string): string[] {
  return NEEDS.filter(([of]) => of.test(file)).map(([, path]) => path);
}

/** Reads what each module needs. A type is no need: the types are checked whatever has changed. */
export async function readNeeds(): Promise<Needs> {
  const { output } = await cruise(
    ['src', 'test', 'fixtures', 'examples', 'bench'],
    {
      ...(await extractOptions('./.dependency-cruiser.js')),
      // Blocks of the documentation are written there by tests that may run meanwhile.
      exclude: { path: '(?:^|/)(?:node_modules/|[.]blocks-)' },
      validate: false,
    },
    {},
    { tsConfig: extractTsConfig('tsconfig.json') },
  );
  const needs = new Map<string, ReadonlySet<string>>();
  for (const { source, dependencies } of (output as ICruiseResult).modules) {
    if (!KNOWN.test(source)) continue;
    const imported = dependencies.filter(({ dependencyTypes }) => !dependencyTypes.includes('type-only'));
    needs.set(
      source,
      new Set([
        ...imported.map(({ resolved }) => resolved),
        ...namedBy(source, readFileSync(source, 'utf8')),
        ...needsBesides(source),
      ]),
    );
  }
  return needs;
}

/** All files of tests. */
export function readTests(): readonly string[] {
  const tests = globSync('test/**/*.test.ts', { exclude: (name) => name.endsWith('node_modules') });
  return tests.map((path) => path.replaceAll('\\', '/')).toSorted();
}
