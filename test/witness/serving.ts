// `gazette witness serve` in a process of its own.
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { formatVerifierKey, generateSignerKey, type VerifierKey } from '../../src/proofs/index.ts';
import { type Ending, ending, start } from '../cli/run.ts';

/** A key of a witness, as text. */
export const WITNESS_KEY: string = generateSignerKey('witness.example/w1', 'witness');

/** A witness that has said where it is. */
export interface ServedWitness {
  readonly child: ChildProcessWithoutNullStreams;
  readonly url: string;
  /** What it wrote to standard error until then. */
  readonly said: string;
  readonly ended: Promise<Ending>;
}

/** Starts it, and waits until it serves. */
export async function serveWitness(state: string, logs: readonly VerifierKey[]): Promise<ServedWitness> {
  const keys = logs.flatMap((key) => ['--log', formatVerifierKey(key)]);
  const child = start(['witness', 'serve', '--state', state, '--port', '0', ...keys], {
    GAZETTE_WITNESS_KEY: WITNESS_KEY,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = ending(child);
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const found = /signing .* on (http:\S+)\n.*the key of the witness: .*\n/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => {
      reject(new Error(`it ended: ${said}`));
    });
  });
  return { child, url, said, ended };
}
