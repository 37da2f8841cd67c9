// `gazette witness`: keys, and a witness that serves.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  formatVerifierKey,
  openCheckpoint,
  parseNote,
  parseSignerKey,
  parseVerifierKey,
  verifyNote,
} from '../../src/proofs/index.ts';
import { originHash } from '../../src/proofs/index.ts';
import { KnownLog } from '../witness/known-log.ts';
import { serveWitness, WITNESS_KEY } from '../witness/serving.ts';
import { folder, gazette } from './run.ts';

const KEY = parseSignerKey(WITNESS_KEY);

it('makes keys, and says which key checks what they sign', async () => {
  const { code, stdout, stderr } = await gazette(['witness', 'key', 'example.org/witness']);
  expect(code).toBe(0);
  const key = parseSignerKey(stdout.toString().trim());
  expect(key).toMatchObject({ name: 'example.org/witness', role: 'witness' });
  expect(stderr).toContain(formatVerifierKey(key));
  expect((await gazette(['witness', 'key', 'two words'])).code).toBe(1);
});

it('signs over HTTP, keeps what it signed when it stops, and says its key', async () => {
  const log = new KnownLog().grow(9);
  const state = join(await folder(), 'state.db');
  const first = await serveWitness(state, [log.key]);
  expect(first.said).toContain('signing 1 log on');
  expect(first.said).toContain(formatVerifierKey(KEY));
  const body = log.request(0, 5);
  const line = await (await fetch(`${first.url}/add-checkpoint`, { method: 'POST', body })).text();
  expect(verifyNote(parseNote(log.checkpoint(5) + line), [parseVerifierKey(formatVerifierKey(KEY))])).toHaveLength(1);
  first.child.kill('SIGTERM');
  expect(await first.ended).toMatchObject({ code: 0 });

  const second = await serveWitness(state, [log.key]);
  const path = `${second.url}/${originHash(log.key.name)}/checkpoint`;
  expect(openCheckpoint(await (await fetch(path)).text(), log.key.name, [log.key, KEY]).size).toBe(5);
  second.child.kill('SIGTERM');
  await second.ended;
});

it('reads the keys of logs from a file', async () => {
  const file = join(await folder(), 'logs.txt');
  await writeFile(file, '# the town\n\nnot a key\n');
  const args = ['witness', 'serve', '--state', join(await folder(), 'state.db'), '--port', '0', '--logs', file];
  const env = { GAZETTE_WITNESS_KEY: WITNESS_KEY };
  const wrong = await gazette(args, '', env);
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('invalid_log_key')]);
  // It is read: the key in it is that of a witness.
  await writeFile(file, `# the town\r\n${formatVerifierKey(KEY)}\r\n`);
  expect((await gazette(args, '', env)).stderr).toContain('must have the key of a log');
  await writeFile(file, '# none\n');
  expect((await gazette(args, '', env)).stderr).toContain('needs --log or --logs');
  expect((await gazette([...args, '--logs', join(file, 'none')], '', env)).code).toBe(2);
});

it.each([
  ['no key', {}, 2],
  ['the key of a log', { GAZETTE_WITNESS_KEY: '07'.repeat(32) }, 1],
])('does not start with %s', async (_what, env, code) => {
  const log = formatVerifierKey(new KnownLog().key);
  const args = ['witness', 'serve', '--state', join(await folder(), 'state.db'), '--port', '0', '--log', log];
  expect((await gazette(args, '', env)).code).toBe(code);
});
