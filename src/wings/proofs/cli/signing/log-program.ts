// A key of logs that lies with a program, such as one that asks a hardware module: it is started for each signature, with what is to be
// signed as its standard input.
import { spawn } from 'node:child_process';
import { GazetteError, quote } from '../../../../errors.ts';
import type { LogKey } from '../../operate/log-key.ts';
import type { Io } from '../../../../cli/io/io.ts';

/** How long a program may take, in milliseconds. */
const PATIENCE_MS = 10_000;

/** More than any answer has, in bytes. */
const MOST_BYTES = 1000;

/** The lengths of a public key and of a signature, in bytes (RFC 8032 5.1). */
const [KEY_LENGTH, SIGNATURE_LENGTH] = [32, 64];

/**
 * The key of a program. `PROGRAM public-key` prints the 32 bytes of its public key, `PROGRAM sign` the 64 bytes of its signature over
 * standard input (Ed25519), each in base 64. What it writes to standard error goes to that of this process.
 *
 * @param env what it gets besides its argument; without the settings of gazette, which have secrets
 * @throws GazetteError `not_ready` when it cannot be run, fails, takes longer than ten seconds or answers something else
 */
export async function programKey(program: string, env: Io['env'], patienceMs: number = PATIENCE_MS): Promise<LogKey> {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GAZETTE_')));
  const ask = async (word: string, input: Uint8Array, length: number): Promise<Uint8Array> => {
    const bytes = await answerOf(program, word, input, own, patienceMs);
    if (bytes?.length === length) return bytes;
    throw failed(program, `${word} must print ${length} bytes in base 64`);
  };
  return {
    publicKey: await ask('public-key', Buffer.alloc(0), KEY_LENGTH),
    sign: (message) => ask('sign', message, SIGNATURE_LENGTH),
  };
}

/** @returns null when it printed something else than base 64 */
async function answerOf(
  program: string,
  word: string,
  input: Uint8Array,
  env: Io['env'],
  patienceMs: number,
): Promise<Uint8Array | null> {
  const child = spawn(program, [word], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const chunks: Buffer[] = [];
  let length = 0;
  const ended = new Promise<string | null>((resolve) => {
    child.on('error', ({ message }) => {
      resolve(`cannot be run: ${message}`);
    });
    child.on('close', (code, signal) => {
      resolve(code === 0 ? null : `${word} ended with ${code === null ? String(signal) : `exit code ${code}`}`);
    });
    child.stdout.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= MOST_BYTES) chunks.push(chunk);
      else child.kill('SIGKILL');
    });
  });
  // A program that reads nothing, as for its key, may be gone before.
  child.stdin.on('error', () => undefined).end(input);
  const late = AbortSignal.timeout(patienceMs);
  late.addEventListener('abort', () => {
    child.kill('SIGKILL');
    // What it started may still hold its output.
    child.stdout.destroy();
  });
  const failure = await ended;
  if (failure !== null)
    throw failed(program, late.aborted ? `${word} took longer than ${patienceMs / 1000} seconds` : failure);
  const text = Buffer.concat(chunks).toString('latin1').trim();
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null;
}

function failed(program: string, why: string): GazetteError {
  return new GazetteError('not_ready', `the program that signs logs, ${quote(program)}: ${why}`);
}
