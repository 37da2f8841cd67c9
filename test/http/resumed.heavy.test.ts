// A large download that breaks again and again, by curl over a connection that is cut: `curl -C -` makes it whole, or is refused.
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { folder, gazette } from '../cli/run.ts';
import { makeStore, serve } from '../cli/served.ts';
import { at, say } from '../contracts/store-register.ts';
import { tries } from '../effort.ts';

const RECORDS = tries(20_000, 1_000_000);
const BREAKS = 10;

const run = promisify(execFile);

/** A way to a service on which each connection ends after so many bytes of its answer, while there are such. */
async function cutting(target: URL, after: number[]): Promise<string> {
  const server = createServer((client) => {
    const service = connect(Number(target.port), target.hostname);
    let left = after.shift() ?? Infinity;
    service.on('data', (piece) => {
      client.write(piece.subarray(0, Math.min(left, piece.length)));
      left -= piece.length;
      if (left > 0) return;
      service.destroy();
      client.end();
    });
    service.on('end', () => client.end());
    client.on('data', (piece) => service.write(piece));
    client.on('close', () => service.destroy());
    for (const socket of [client, service]) socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it.skipIf(spawnSync('curl', ['--version']).error !== undefined).each(['csv', 'xlsx'])(
  `register.%s of ${RECORDS} records, broken at ${BREAKS} places, is whole, and is refused after an import`,
  async (format) => {
    const { path, key } = await makeStore(RECORDS);
    const { api, child } = await serve(path);
    onTestFinished(() => void child.kill());
    const after: number[] = [];
    const proxy = await cutting(new URL(api), after);
    const authorization = `Bearer ${key}`;
    const file = `${proxy}/api/v1/feeds/permits/register.${format}`;
    const { headers } = await fetch(file, { method: 'HEAD', headers: { authorization, connection: 'close' } });
    const address = headers.get('content-location')!;
    const self = format === 'xlsx' ? ['--self', file] : [];
    const whole = await gazette(['export', 'permits', '--store', path, '--format', format, ...self]);
    const step = Math.floor(whole.stdout.length / (BREAKS + 1));
    after.push(...Array.from({ length: BREAKS }, () => step));
    const to = join(await folder(), `register.${format}`);
    const curl = async (): Promise<number> => {
      const args = ['-sS', '--fail', '-H', `Authorization: ${authorization}`, '-C', '-', '-o', to, address];
      return run('curl', args).then(
        () => 0,
        (error: unknown) => (error as { readonly code: number }).code,
      );
    };
    const codes: number[] = [];
    do codes.push(await curl());
    while (codes.at(-1) !== 0 && codes.length < 20);
    expect([codes.filter((code) => code !== 0).length, after]).toEqual([BREAKS, []]);
    expect((await readFile(to)).equals(whole.stdout)).toBe(true);

    await writeFile(to, whole.stdout.subarray(0, step));
    const store = SqliteStore.open(path);
    await store.apply('permits', [say('new')], { recordedAt: at(1) });
    await store.close();
    expect(await curl()).not.toBe(0);
    expect((await stat(to)).size).toBe(step);
  },
);
