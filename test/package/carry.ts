// A step of `npm run build`: puts into `dist` what the package carries inside it instead of depending on it, and the JSON
// schemas. docs/dependencies.md lists what is carried and why.
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

/** What prom-client's bundle is made of; each has a licence that is carried too. */
const PROM_CLIENT_PACKAGES = ['prom-client', '@opentelemetry/api', 'tdigest', 'bintrees'];

const REFERENCE_FILES = ['swagger-ui-bundle.js', 'swagger-ui.css'];

const root = join(import.meta.dirname, '../..');
const dist = join(root, 'dist');
const installed = join(root, 'node_modules');

/** Replaces the module that names prom-client by one that holds what it uses of it. */
async function carryPromClient(): Promise<void> {
  const file = join(dist, 'http/prom-client.js');
  const bundle = await rolldown({ input: file, platform: 'node', logLevel: 'warn' });
  const { output } = await bundle.generate({
    format: 'esm',
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  await bundle.close();
  if (output.length !== 1) throw new Error(`one bundle of prom-client was expected, got ${output.length} files`);
  await writeFile(file, output[0].code);
  // Its types are those of packages that are not installed; no public entry leads to it.
  await rm(join(dist, 'http/prom-client.d.ts'));
  await writeLicences(join(dist, 'http/prom-client.licences.txt'), PROM_CLIENT_PACKAGES);
}

/** Swagger UI, compressed: it is a third of its size so. */
async function carryReference(): Promise<void> {
  const target = join(dist, 'http/description/reference');
  await mkdir(target, { recursive: true });
  const from = join(installed, '@fastify/swagger-ui');
  for (const name of REFERENCE_FILES) {
    await writeFile(join(target, `${name}.gz`), gzipSync(await readFile(join(from, 'static', name)), { level: 9 }));
  }
  await writeLicences(join(target, 'licences.txt'), ['@fastify/swagger-ui']);
}

async function writeLicences(file: string, packages: readonly string[]): Promise<void> {
  const texts = packages.map(async (name) => `${name}\n\n${await readFile(join(installed, name, 'LICENSE'), 'utf8')}`);
  await writeFile(file, (await Promise.all(texts)).join('\n\n'));
}

await carryPromClient();
await carryReference();
for (const name of await readdir(join(root, 'src/cli/schemas'))) {
  if (name.endsWith('.json')) await cp(join(root, 'src/cli/schemas', name), join(dist, 'cli/schemas', name));
}
