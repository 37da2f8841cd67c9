// The examples for Bun, Deno and Cloudflare Workers (workerd), run on these runtimes: their exports are those of Node, byte by
// byte, and lead from page to page. The packages are a folder's own; users of gazette never install them.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { installPackages } from '../../bench/peers.ts';
import { readWorkbook } from '../contracts/xlsx-reader.ts';
import { freePort } from '../docs/free-port.ts';
import { until } from '../until.ts';

const ROOT = join(import.meta.dirname, '../..');
const RUNTIMES = join(import.meta.dirname, 'runtimes');
const PATH = '/feeds/permits/records/export';

/** The programs: their packages for other systems are not installed. */
const PROGRAMS = {
  bun: '@oven/bun-linux-x64/bin/bun',
  deno: '@deno/linux-x64-glibc/deno',
  worker: '@cloudflare/workerd-linux-64/bin/workerd',
} as const;

const isThere = process.platform === 'linux' && process.arch === 'x64';

let folder: string;

beforeAll(async () => {
  if (isThere) installPackages(RUNTIMES);
  folder = await mkdtemp(join(tmpdir(), 'gazette-runtimes-'));
});

afterAll(() => rm(folder, { recursive: true }));

/** An example with all it imports in one file, as deployments make it. */
async function bundled(name: string): Promise<string> {
  const bundle = await rolldown({
    input: join(ROOT, 'examples', `${name}.ts`),
    platform: 'node',
    external: [/^node:/],
    resolve: { alias: { gazette: join(ROOT, 'src/index.ts') } },
    logLevel: 'warn',
  });
  const file = join(folder, `${name}.js`);
  await bundle.write({ format: 'esm', file, codeSplitting: false });
  await bundle.close();
  return file;
}

/** Starts a runtime, and waits until it answers. */
async function started(name: keyof typeof PROGRAMS, args: readonly string[], port: number): Promise<string> {
  const command = join(RUNTIMES, 'node_modules', PROGRAMS[name]);
  const child = spawn(command, args, {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const origin = `http://127.0.0.1:${port}`;
  await until(`${name} to answer`, async () => {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${said}`);
    return fetch(`${origin}/none`).then(
      () => true,
      () => false,
    );
  });
  return origin;
}

/** For workerd: which module it serves, and where. */
async function workerConfiguration(file: string, port: number): Promise<string> {
  const path = join(folder, 'worker.capnp');
  await writeFile(
    path,
    `using Workerd = import "/workerd/workerd.capnp";
     const config :Workerd.Config = (
       services = [(name = "main", worker = .worker)],
       sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
     );
     const worker :Workerd.Worker = (
       modules = [(name = "worker", esModule = embed "${file.slice(folder.length + 1)}")],
       compatibilityDate = "2026-01-01", compatibilityFlags = ["nodejs_compat"],
     );`,
  );
  return path;
}

/** What each is started with. */
const ARGUMENTS = {
  bun: (file: string) => Promise.resolve(['run', file]),
  deno: (file: string) => Promise.resolve(['run', '--allow-net', '--allow-env', '--allow-read', file]),
  worker: async (file: string, port: number) => ['serve', await workerConfiguration(file, port)],
} as const;

const why = isThere ? '' : ' (its package is installed for Linux on x64 alone)';
it.skipIf(!isThere).each(['bun', 'deno', 'worker'] as const)(`%s.ts serves what Node serves${why}`, async (name) => {
  const port = await freePort();
  const origin = await started(name, await ARGUMENTS[name](await bundled(name), port), port);
  const { default: onNode } = (await import(await bundled('worker'))) as {
    readonly default: { readonly fetch: (request: Request) => Promise<Response> };
  };
  for (const format of ['csv', 'xml', 'rss', 'atom']) {
    const url = `${origin}${PATH}.${format}?limit=100`;
    const [theirs, ours] = [await fetch(url), await onNode.fetch(new Request(url))];
    expect([format, theirs.status, await theirs.text()]).toEqual([format, 200, await ours.text()]);
    expect(theirs.headers.get('etag')).toBe(ours.headers.get('etag'));
  }
  const workbook = await fetch(`${origin}${PATH}.xlsx`);
  expect(readWorkbook(Buffer.from(await workbook.arrayBuffer())).sheets[0]!.rows).toHaveLength(101);
  const next = /<([^>]+)>; rel="next"/.exec(workbook.headers.get('link') ?? '')![1]!;
  expect((await fetch(next)).status).toBe(200);
  expect((await fetch(`${origin}${PATH}.csv?limit=0`)).status).toBe(400);
});
