// `gazette serve --log-signer`: a program signs the logs.
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { programKey } from '../../../../src/wings/proofs/cli/signing/log-program.ts';
import { keepSigning } from '../../../../src/wings/proofs/cli/signing/signing.ts';
import { signedNote } from '../../../../src/wings/proofs/operate/log-key.ts';
import { openCheckpoint, parseVerifierKey } from '../../../../src/wings/proofs/tlog/index.ts';
import { formatVerifierKey, signerOf } from '../../../../src/wings/proofs/tlog/keys.ts';
import { SqliteStore } from '../../../../src/stores/sqlite/store.ts';
import { until } from '../../../until.ts';
import { surroundings } from '../../../cli/surroundings.ts';
import { folder } from '../../../cli/run.ts';
import { makeStore } from '../../../cli/served.ts';
import { logsOf } from '../logs-of.ts';

const SEED = Buffer.alloc(32, 9);
const KEY = '07'.repeat(32);

/** A program whose answers `answer` gives, for a word and what it is to sign. */
async function program(answer: string): Promise<string> {
  const path = join(await folder(), 'signer');
  const text = `#!${process.execPath}
const { createPrivateKey, createPublicKey, sign } = require('node:crypto');
const seed = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 9)]);
const key = createPrivateKey({ key: seed, format: 'der', type: 'pkcs8' });
const publicKey = () => createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(12);
const word = process.argv[2];
const input = () => require('node:fs').readFileSync(0);
const right = () => (word === 'public-key' ? publicKey() : sign(null, input(), key)).toString('base64');
const print = (text) => console.log(text);
${answer}`;
  await writeFile(path, text);
  await chmod(path, 0o755);
  return path;
}

const RIGHT = 'print(right());';

it('signs in the name of each log, alone or beside the key of before', async () => {
  const { path } = await makeStore(3);
  const store = SqliteStore.open(path);
  const logState = join(await folder(), 'state');
  const options = { logState, logSigner: await program(RIGHT), baseUrl: 'https://registers.example' };
  for (const [env, seeds] of [
    [{}, [SEED]],
    [{ GAZETTE_LOG_KEY: KEY }, [SEED, Buffer.from(KEY, 'hex')]],
  ] as const) {
    const { io, said } = surroundings(env);
    const signing = keepSigning(io, store, options)!;
    const signers = (origin: string): string[] => seeds.map((seed) => formatVerifierKey(signerOf(origin, 'log', seed)));
    const log = await until('a checkpoint of these keys', async () => {
      const { origin, checkpoint, vkey } = await logsOf(store).of('permits');
      return checkpoint !== null && vkey === signers(origin!).join('\n') && { origin: origin!, checkpoint };
    });
    await signing.stop();
    for (const vkey of signers(log.origin))
      expect(openCheckpoint(log.checkpoint, log.origin, [parseVerifierKey(vkey)]).size).toBe(3);
    expect(said()).toBe('');
  }
  await store.close();
});

it.each([
  ['fails', 'process.exit(3);', 'public-key ended with exit code 3'],
  ['is killed', 'process.kill(process.pid, "SIGKILL");', 'public-key ended with SIGKILL'],
  ['prints nothing', '', 'public-key must print 32 bytes in base 64'],
  ['prints something else', 'print("no key!");', 'public-key must print 32 bytes in base 64'],
  ['prints another length', 'print(Buffer.alloc(31).toString("base64"));', 'public-key must print 32 bytes'],
  [
    'prints without end',
    'for (;;) require("node:fs").writeSync(1, "A".repeat(65536));',
    'public-key ended with SIGKILL',
  ],
  ['hangs', 'setInterval(() => {}, 1000);', 'public-key took longer than 0.5 seconds'],
  [
    'has a child that hangs',
    // Nothing of ours but the answer: this process could not end before it.
    'require("node:child_process").spawn("sleep", ["20"], { stdio: ["ignore", "inherit", "ignore"] });',
    'took longer',
  ],
])('is refused when it %s', async (_, answer, why) => {
  const path = await program(answer);
  await expect(programKey(path, process.env, why.includes('longer') ? 500 : 60_000)).rejects.toMatchObject({
    code: 'not_ready',
    message: expect.stringContaining(why) as string,
  });
});

it('gets no settings of gazette, and what is to be signed alone', async () => {
  const seen = join(await folder(), 'seen');
  const note = `require('node:fs').appendFileSync(${JSON.stringify(seen)}, Object.keys(process.env).sort() + ' ' + word + '\\n');`;
  const env = { PATH: process.env.PATH, HSM_PIN: '1', GAZETTE_LOG_KEY: KEY, GAZETTE_SECRETS_KEY: KEY };
  const key = await programKey(await program(`${note} ${RIGHT}`), env);
  const text = 'a.example/log\n1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n';
  expect(await signedNote(text, [key], 'a.example/log')).toMatch(/^a\.example\/log\n1\n.*\n\n— a\.example\/log .*\n$/);
  expect(await readFile(seen, 'utf8')).toBe('HSM_PIN,PATH public-key\nHSM_PIN,PATH sign\n');
});

it('publishes nothing that its key did not sign', async () => {
  const key = await programKey(
    await program(`print(word === 'sign' ? Buffer.alloc(64, 5).toString('base64') : right());`),
    {},
  );
  await expect(signedNote('a.example\n0\nx\n', [key], 'a.example')).rejects.toMatchObject({ code: 'invalid_log_key' });
});

it('is asked again when it did not answer, and that is said once', async () => {
  const { path } = await makeStore(3);
  const store = SqliteStore.open(path);
  const place = await folder();
  const flag = join(place, 'ready');
  const logSigner = await program(
    `if (!require('node:fs').existsSync(${JSON.stringify(flag)})) process.exit(4); ${RIGHT}`,
  );
  const { io, said } = surroundings({});
  const options = { logState: join(place, 'state'), logSigner, baseUrl: 'https://registers.example', tryEveryMs: 5 };
  const signing = keepSigning(io, store, options)!;
  await until('a message', () => said().includes('public-key ended with exit code 4'));
  await writeFile(flag, '');
  await until('a checkpoint', async () => (await logsOf(store).of('permits')).checkpoint !== null);
  expect(said().match(/exit code/g)).toHaveLength(1);
  await signing.stop();
  await store.close();
});

it('is refused at the start where it is no program, with two keys, and without --log-state', async () => {
  const { path } = await makeStore(1);
  const store = SqliteStore.open(path);
  const place = await folder();
  await writeFile(join(place, 'text'), 'no program', { mode: 0o600 });
  const signer = await program(RIGHT);
  const options = { logState: join(place, 'state'), logSigner: signer, baseUrl: 'https://registers.example' };
  const two = { GAZETTE_LOG_KEY: `${KEY} ${'08'.repeat(32)}` };
  for (const [env, given, code, why] of [
    [{}, { ...options, logSigner: join(place, 'none') }, 'usage', 'must be the path of a program'],
    [{}, { ...options, logSigner: join(place, 'text') }, 'usage', 'must be the path of a program'],
    [two, options, 'invalid_log_key', 'one key beside --log-signer'],
    [{}, { logSigner: signer, baseUrl: 'https://registers.example' }, 'usage', '--log-signer needs --log-state'],
  ] as const) {
    expect(() => keepSigning(surroundings(env).io, store, given)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(why) as string }) as Error,
    );
  }
  await store.close();
});
