// A step of `npm run build`: puts into `dist` what the package carries inside it instead of depending on it, and the JSON
// schemas, and removes type declarations that nobody can import. docs/dependencies.md lists what is carried and why.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';

/** What prom-client's bundle is made of; each has a licence that is carried too. */
const PROM_CLIENT_PACKAGES = ['prom-client', '@opentelemetry/api', 'tdigest', 'bintrees'];

const REFERENCE_FILES = ['swagger-ui-bundle.js', 'swagger-ui.css'];

const root = join(import.meta.dirname, '../..');
const dist = join(root, 'dist');
const installed = join(root, 'node_modules');

/** Replaces a module that names a package by one that holds what it uses of it, with the licences of `packages` beside it. */
async function carryPackage(module: string, packages: readonly string[]): Promise<void> {
  const file = join(dist, `${module}.js`);
  const bundle = await rolldown({ input: file, platform: 'node', logLevel: 'warn' });
  const { output } = await bundle.generate({
    format: 'esm',
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  await bundle.close();
  if (output.length !== 1) throw new Error(`one bundle of ${module} was expected, got ${output.length} files`);
  await writeFile(file, output[0].code);
  await writeLicences(join(dist, `${module}.licences.txt`), packages);
}

/** Swagger UI, compressed: it is a fifth of its size so. */
async function carryReference(): Promise<void> {
  const target = join(dist, 'http/description/reference');
  await mkdir(target, { recursive: true });
  const from = join(installed, '@fastify/swagger-ui');
  for (const name of REFERENCE_FILES) {
    const params = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS };
    await writeFile(
      join(target, `${name}.br`),
      brotliCompressSync(await readFile(join(from, 'static', name)), { params }),
    );
  }
  await writeLicences(join(target, 'licences.txt'), ['@fastify/swagger-ui']);
}

/**
 * Removes the type declarations that no public entry leads to. A small file takes a whole block of the disk, and there are
 * hundreds.
 */
async function removePrivateTypes(): Promise<void> {
  const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { readonly exports: object };
  const waiting = Object.values(exports)
    .filter((entry: unknown): entry is { readonly types: string } => typeof entry === 'object' && entry !== null)
    .map(({ types }) => join(root, types));
  const reached = new Set(waiting);
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const text = await readFile(file, 'utf8');
    for (const [, name] of text.matchAll(/(?:from|import\()\s*['"](\.[^'"]+)\.[jt]s['"]/g)) {
      const next = join(file, '..', `${name}.d.ts`);
      if (reached.has(next)) continue;
      reached.add(next);
      waiting.push(next);
    }
  }
  for (const name of await readdir(dist, { recursive: true })) {
    if (name.endsWith('.d.ts') && !reached.has(join(dist, name))) await rm(join(dist, name));
  }
}

async function writeLicences(file: string, packages: readonly string[]): Promise<void> {
  const texts = packages.map(async (name) => `${name}\n\n${await readFile(join(installed, name, 'LICENSE'), 'utf8')}`);
  await writeFile(file, (await Promise.all(texts)).join('\n\n'));
}

/** Removes the comments of modules: declarations have those that editors show, and the rest is for readers of the sources. */
async function removeComments(): Promise<void> {
  const compilerOptions = { removeComments: true, target: ScriptTarget.ESNext, module: ModuleKind.ESNext };
  for (const name of await readdir(dist, { recursive: true })) {
    if (!name.endsWith('.js')) continue;
    const file = join(dist, name);
    await writeFile(file, transpileModule(await readFile(file, 'utf8'), { compilerOptions }).outputText);
  }
}

/** Where the modules are that several entries share. */
const SHARED = 'shared';

/** Where the types are that several entries share. */
const TYPES = 'types';

/** The modules that other threads run, which are started by their place. */
const THREADS = ['snapshot/pages/render-worker'];

/**
 * Puts modules together that the same entries need. A small file takes a whole block of the disk, and there were hundreds.
 * Names and lines stay as they are, for those who read a stack.
 */
async function joinModules(): Promise<void> {
  const { exports, bin } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
    readonly bin: Readonly<Record<string, string>>;
  };
  const files = Object.values(exports).flatMap((entry) => (typeof entry === 'string' ? [] : [entry.default]));
  const modules = [...files, ...Object.values(bin)].map((file) =>
    relative(dist, join(root, file)).slice(0, -'.js'.length),
  );
  const entries = [...modules, ...THREADS];
  const before = (await readdir(dist, { recursive: true })).filter((name) => name.endsWith('.js'));
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry, join(dist, `${entry}.js`)])),
    platform: 'node',
    // Helpers of the bundler's own are carried.
    external: (id) => !/^(?:\.|@oxc-project\/)/.test(id) && !isAbsolute(id),
    preserveEntrySignatures: 'strict',
    logLevel: 'warn',
    plugins: [{ name: 'place', transform: (code, id) => placed(code, id) }],
  });
  const { output } = await bundle.generate({
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: `${SHARED}/[name].js`,
    minify: false,
  });
  await bundle.close();
  for (const name of before) await rm(join(dist, name));
  await mkdir(join(dist, SHARED));
  for (const file of output) {
    if (file.type !== 'chunk') throw new Error(`a module was expected, got ${file.fileName}`);
    if (file.code.includes('import.meta') && !file.fileName.startsWith(`${SHARED}/`)) {
      throw new Error(`${file.fileName} looks for files beside it, and is not where it was written`);
    }
    await writeFile(join(dist, file.fileName), file.code);
  }
}

/** Puts the type declarations together that the same entries need, for the same reason. */
async function joinTypes(): Promise<void> {
  const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { readonly exports: object };
  const entries = Object.values(exports)
    .filter((entry: unknown): entry is { readonly types: string } => typeof entry === 'object' && entry !== null)
    .map(({ types }) => relative(dist, join(root, types)));
  const before = (await readdir(dist, { recursive: true })).filter((name) => name.endsWith('.d.ts'));
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry.slice(0, -'.d.ts'.length), join(dist, entry)])),
    plugins: [dts({ dtsInput: true, tsconfig: false })],
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    logLevel: 'warn',
  });
  const { output } = await bundle.generate({
    format: 'esm',
    entryFileNames: '[name].d.ts',
    chunkFileNames: `${TYPES}/[name].d.ts`,
  });
  await bundle.close();
  for (const name of before) await rm(join(dist, name));
  await mkdir(join(dist, TYPES));
  for (const file of output) {
    if (file.type !== 'chunk') throw new Error(`declarations were expected, got ${file.fileName}`);
    await writeFile(join(dist, file.fileName), file.code);
  }
}

/** A module that looks for files beside it, as one in {@link SHARED}. */
function placed(code: string, id: string): string {
  if (!isAbsolute(id)) return code;
  const place = JSON.stringify(`../${relative(dist, id)}`);
  return code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`);
}

/** The modules of wings that name a package, by their wing.json. */
async function carriedByWings(): Promise<readonly (readonly [module: string, packages: readonly string[]])[]> {
  const folder = join(root, 'src/wings');
  const wings = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const all = wings.map(async ({ name }) => {
    const { carried = {} } = JSON.parse(await readFile(join(folder, name, 'wing.json'), 'utf8')) as {
      readonly carried?: Readonly<Record<string, readonly string[]>>;
    };
    return Object.entries(carried).map(([module, packages]) => [`wings/${name}/${module}`, packages] as const);
  });
  return (await Promise.all(all)).flat();
}

await removeComments();
await carryPackage('http/prom-client', PROM_CLIENT_PACKAGES);
await carryPackage('formats/feeds/parse5', ['parse5', 'entities']);
for (const [module, packages] of await carriedByWings()) await carryPackage(module, packages);
await carryPackage('import/readers/text/jschardet', ['jschardet']);
await carryPackage('cli/process/node/undici', ['undici']);
await carryReference();
await removePrivateTypes();
await joinModules();
await joinTypes();
for (const name of await readdir(join(root, 'src/cli/schemas'))) {
  if (!name.endsWith('.json')) continue;
  // Programs read them: without the spaces they take half of the blocks.
  const schema: unknown = JSON.parse(await readFile(join(root, 'src/cli/schemas', name), 'utf8'));
  await writeFile(join(dist, 'cli/schemas', name), JSON.stringify(schema));
}
