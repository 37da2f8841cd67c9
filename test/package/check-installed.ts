// `npm run check:installed`: packs and installs what was built, weighs it, and uses it as its users do: a register is
// imported, exported in every format, served, read and measured, by the installed `gazette` and nothing more. Each entry is
// imported and the command started on this Node, and on those that GAZETTE_NODES names: folders of programs, with `:` between.
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { FORMAT_NAMES } from '../../src/formats/index.ts';
import { packAndInstall, weightFaults } from './installed.ts';

const run = promisify(execFile);
const permits = join(import.meta.dirname, '../../fixtures/permits');
const RECORDS = (await readFile(join(permits, 'records.ndjson'), 'utf8')).trim().split('\n').length;

/** The formats that need no package of the user's, and nothing of a register. */
const WITHOUT_PEERS = FORMAT_NAMES.filter((name) => name !== 'parquet' && name !== 'geojson');

const installed = await packAndInstall();
try {
  const { packages, bytes, folder } = installed;
  console.log(`installed: ${packages.length} packages, ${(bytes / 1e6).toFixed(1)} MB`);
  const faults = weightFaults(installed);
  for (const fault of faults) console.error(`the package: ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
  const nodes = process.env.GAZETTE_NODES?.split(delimiter).filter((path) => path !== '') ?? [];
  for (const node of [dirname(process.execPath), ...nodes]) console.log(`on Node ${await startIt(folder, node)}`);
  await useIt(folder);
  console.log(`used: imported, exported as ${WITHOUT_PEERS.join(', ')}, geojson, served`);
} finally {
  await rm(installed.folder, { recursive: true, force: true });
}

/**
 * Imports every entry of the package, and starts its command as `npx` does.
 *
 * @param bin the folder of the Node that does it
 * @returns its version, and how many entries there are
 */
async function startIt(folder: string, bin: string): Promise<string> {
  const { exports, version } = JSON.parse(
    await readFile(join(folder, 'node_modules/gazette/package.json'), 'utf8'),
  ) as { readonly exports: Readonly<Record<string, string | object>>; readonly version: string };
  const entries = Object.keys(exports).filter((entry) => typeof exports[entry] === 'object');
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
  const code = entries.map((entry) => `await import('gazette${entry.slice(1)}');`).join('');
  const args = ['--input-type=module', '--eval', `${code}console.log(process.version)`];
  const { stdout: node } = await run('node', args, { cwd: folder, env });
  const { stdout: said } = await run('npx', ['--no', '--', 'gazette', '--version'], { cwd: folder, env });
  assert.equal(said.trim(), version);
  return `${node.trim()}: ${entries.length} entries imported, npx gazette started`;
}

/** Imports, exports and serves with the command line that is installed in a folder. */
async function useIt(folder: string): Promise<void> {
  const program = join(folder, 'node_modules/gazette/dist/cli/gazette.js');
  const gazette = (...args: readonly string[]): ReturnType<typeof run> =>
    run(process.execPath, [program, ...args], { cwd: folder, encoding: 'buffer', maxBuffer: 1 << 26 });
  const definition = join(permits, 'definition.json');
  const { id } = JSON.parse(await readFile(definition, 'utf8')) as { readonly id: string };
  await gazette('register', 'add', id, '--definition', definition);
  await gazette('import', id, join(permits, 'records.ndjson'));
  for (const format of WITHOUT_PEERS) {
    const { stdout } = await gazette('export', id, '--format', format);
    assert.ok(stdout.length > RECORDS * 100, `an export as ${format} of ${stdout.length} bytes`);
  }
  const sites = join(folder, 'sites.csv');
  const site = '1,One,https://example.org/1,2026-01-01T00:00:00Z,46.9,7.4';
  await writeFile(sites, `id,title,source_url,observed_at,latitude,longitude\n${site}\n`);
  const { stdout: map } = await gazette('export', '-', '--input', sites, '--format', 'geojson');
  assert.ok(map.includes('"coordinates":[7.4,46.9]'), `an export as geojson: ${String(map)}`);
  for (const name of ['pg', 'exceljs', 'hyparquet-writer', 'pagefind']) {
    await assert.rejects(import(join(folder, 'node_modules', name, 'package.json')), `${name} is installed`);
  }
  await assert.rejects(
    gazette('register', 'list', '--store', 'postgres://127.0.0.1/none'),
    /missing_peer|npm install pg/,
  );
  await assert.rejects(gazette('export', id, '--format', 'parquet'), /npm install hyparquet-writer \(missing_peer\)/);
  const snapshot = ['snapshot', '--out', 'site', '--base-url', 'https://example.org'];
  await assert.rejects(gazette(...snapshot, '--search'), /npm install pagefind \(missing_peer\)/);

  const service = spawn(process.execPath, [program, 'serve', '--port', '0', '--metrics-port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    await readIt(service, id);
  } finally {
    service.kill('SIGKILL');
  }
}

/** Reads what a service serves, then stops it. */
async function readIt(service: ChildProcess, id: string): Promise<void> {
  const ended = once(service, 'exit');
  const log: string[] = [];
  createInterface({ input: service.stdout! }).on('line', (line) => log.push(line));
  let metrics: string | undefined;
  let api: string | undefined;
  for await (const line of createInterface({ input: service.stderr! })) {
    metrics ??= /metrics on (\S+)/.exec(line)?.[1];
    api ??= /on (http\S+)/.exec(/serving .*/.exec(line)?.[0] ?? '')?.[1];
    if (api !== undefined && metrics !== undefined) break;
  }
  const text = async (address: string): Promise<string> => {
    const response = await fetch(address);
    assert.equal(response.status, 200, `${address}: ${response.status}`);
    return response.text();
  };
  const list = JSON.parse(await text(`${api}/feeds/${id}/records`)) as { readonly records: readonly object[] };
  assert.ok(list.records.length > 0, 'a list without records');
  assert.match(await text(`${api}/reference`), /swagger-ui-bundle/);
  assert.match(await text(`${api}/reference/swagger-ui-bundle.js`), /SwaggerUIBundle/);
  assert.match(await text(`${api}/reference/swagger-ui.css`), /\.swagger-ui/);
  assert.match(await text(`${api}/openapi.json`), /"openapi":"3.1/);
  assert.match(await text(metrics!), /gazette_http_requests_total\{[^]*process_cpu_seconds_total/);
  service.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
  assert.ok(
    log.some((line) => (JSON.parse(line) as { readonly msg: string }).msg === 'answered'),
    'a log without a line of an answer',
  );
}
