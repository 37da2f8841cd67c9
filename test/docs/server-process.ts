// A server of the pages in a process of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from '../until.ts';

/**
 * Starts a program and waits until it listens.
 *
 * @param url what it is asked for to find out
 * @param folder where it runs. Default: here
 */
export async function startServer(file: string, url: string, folder?: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'ignore', 'pipe'], cwd: folder });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  try {
    await until(`${file} to listen`, () => {
      if (child.exitCode !== null) throw new Error(`${file} ended with ${child.exitCode}: ${errors}`);
      return fetch(url, { method: 'HEAD' }).then(
        () => true,
        () => false,
      );
    });
    return child;
  } catch (error) {
    await stopServer(child);
    throw error;
  }
}

/** Ends it, if it has not ended. */
export async function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || !child.kill()) return;
  await once(child, 'exit');
}
