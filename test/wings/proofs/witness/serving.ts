// A witness that serves: in a process of its own, or in the test's.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { startServer } from '../../../../src/adapters/server.ts';
import type { VerifierKey } from '../../../../src/wings/proofs/tlog/index.ts';
import {
  formatVerifierKey,
  generateSignerKey,
  parseSignerKey,
  type SignerKey,
} from '../../../../src/wings/proofs/tlog/keys.ts';
import { witnessHandler } from './handler.ts';
import { WitnessState } from './state.ts';
import { trustedLogs, Witness } from './witness.ts';

const KEY_TEXT = generateSignerKey('witness.example/w1', 'witness');

/** The key of the witness. */
export const WITNESS: SignerKey = parseSignerKey(KEY_TEXT);

/** Starts a process, and waits until it serves. */
export async function startWitness(
  state: string,
  logs: readonly VerifierKey[],
): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const program = join(import.meta.dirname, 'process.ts');
  const child = spawn(process.execPath, [program, state, ...logs.map(formatVerifierKey)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, WITNESS_KEY: KEY_TEXT },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, url: line.toString().trim() };
}

/** Serves in this process until the test ends. @returns what the publisher of the logs names it with */
export async function serveWitness(
  state: string,
  logs: readonly VerifierKey[],
): Promise<{ readonly named: string; readonly stop: () => Promise<void> }> {
  const opened = WitnessState.open(state);
  const handler = witnessHandler(new Witness({ key: WITNESS, logs: trustedLogs(logs), state: opened }), (error) => {
    throw error;
  });
  const server = await startServer(handler, { port: 0, host: '127.0.0.1' });
  const stop = async (): Promise<void> => {
    await server.stop(0);
    opened.close();
  };
  onTestFinished(stop);
  return { named: `${server.url} ${formatVerifierKey(WITNESS)}`, stop };
}
