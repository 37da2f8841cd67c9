// The programs of docs/prove.md, over a service that signs its log.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../src/adapters/server.ts';
import { sign } from '../wings/proofs/signing.ts';
import { SAMPLES, world } from '../world.ts';
import { writePrograms } from './blocks.ts';
import { logsOf } from '../wings/proofs/logs-of.ts';

const run = promisify(execFile);

/** A service whose log is signed, and the programs of the page beside it. */
async function served() {
  const { fetch, store, key } = await world({ samples: SAMPLES });
  await sign(store, 'permits');
  const server = await startServer(fetch, { port: 0, host: '127.0.0.1' });
  const { folder, remove } = writePrograms();
  onTestFinished(async () => {
    remove();
    await server.stop(0);
  });
  const { vkey } = await logsOf(store).of('permits');
  return { url: server.url, store, key, folder, vkey: vkey! };
}

it('check-proof.ts proves a record with the key of the log, and refuses another one', async () => {
  const { url, store, key, folder, vkey } = await served();
  const id = 'permits:2026-0007';
  const check = (
    vkeyText: string,
    asked: string,
    env: Readonly<Record<string, string>>,
  ): Promise<{ readonly stdout: string }> => {
    const address = `${url}/api/v1/records/${id}/proof${asked}`;
    return run(process.execPath, [join(folder, 'check-proof.ts'), address, vkeyText], {
      env: { ...process.env, ...env },
    });
  };
  const withKey = { GAZETTE_API_KEY: key };
  const said = (change: number, what: string) => ({
    stdout: expect.stringMatching(
      new RegExp(`^change ${change} of \\d+ in .*, recorded at 2026-(?:05|10)-0.*, is ${what}\n$`),
    ) as string,
  });
  const first = said(7, `version 1 of ${id} \\(first_observed\\)`);
  expect(await check(vkey, '', withKey)).toMatchObject(first);
  expect(await check(vkey, '', {})).toMatchObject(first);
  const times = { recordedAt: '2026-10-02T10:00:00Z' };
  await store.withdraw('permits', [id], times);
  await sign(store, 'permits');
  expect(await check(vkey, '', {})).toMatchObject(said(121, `version 2 of ${id} \\(withdrawn\\)`));
  expect(await check(vkey, '?version=1', {})).toMatchObject(first);
  await store.redact(id, times);
  await sign(store, 'permits');
  expect(await check(vkey, '?version=1', withKey)).toMatchObject(said(7, 'a version that was erased'));
  const other = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
  await expect(check(other, '', withKey)).rejects.toThrow('invalid_proof');
});

it('proved-copy.ts keeps a copy, and goes on with it', async () => {
  const { url, store, key, folder, vkey } = await served();
  const file = join(folder, 'permits.json');
  const copy = async (): Promise<{ readonly kept: string; readonly records: object }> => {
    const env = { ...process.env, GAZETTE_API_KEY: key };
    await run(process.execPath, [join(folder, 'proved-copy.ts'), `${url}/api/v1/feeds/permits`, vkey, file], {
      env,
    });
    return JSON.parse(readFileSync(file, 'utf8')) as { readonly kept: string; readonly records: object };
  };
  expect(Object.keys((await copy()).records)).toHaveLength(120);
  await store.withdraw('permits', ['permits:2026-0007'], { recordedAt: '2026-10-02T10:00:00Z' });
  await sign(store, 'permits');
  const { kept, records } = await copy();
  expect(kept).toContain('\n121\n');
  expect(Object.keys(records)).toHaveLength(119);
});
