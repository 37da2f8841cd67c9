// The store of a world, and `gazette serve` over it in a process of its own.
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { onTestFinished } from 'vitest';
import type { RegisterRecord } from '../../src/register/record.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { at } from '../contracts/store-register.ts';
import { addSamples, world } from '../world.ts';
import { type Ending, ending, folder, start, type User } from './run.ts';

/**
 * A store with so many records of the sample, each changed in the same way, and a key.
 *
 * @param place the folder it is made in. Default: one that goes when the test does
 */
export async function makeStore(
  count: number,
  changes: Partial<RegisterRecord> = {},
  place?: string,
): Promise<{ readonly path: string; readonly key: string }> {
  const path = `${place ?? (await folder())}/gazette.db`;
  const store = SqliteStore.open(path);
  const service = await world({ store, samples: 0, product: 'gazette' });
  await addSamples(store, 1, count, at(0), changes);
  await service.close();
  await store.close();
  return { path, key: service.key };
}

/** A service that has said where it is. */
export interface Served {
  readonly child: ChildProcessWithoutNullStreams;
  /** The address of `/api/v1`. */
  readonly api: string;
  /** What it wrote to standard error until then. */
  readonly said: string;
  readonly ended: Promise<Ending>;
}

/** Starts it, and waits until it serves. */
export async function serve(path: string, ...options: readonly string[]): Promise<Served> {
  return serveAs({}, path, ...options);
}

/** The same as another user, or with more variables. */
export async function serveAs(
  { env = {}, ...user }: User & { readonly env?: Readonly<Record<string, string>> },
  path: string,
  ...options: readonly string[]
): Promise<Served> {
  const child = start(['serve', '--store', path, '--port', '0', ...options], env, user);
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = ending(child);
  let said = '';
  // The last of the addresses that it says at the start.
  const last = options.includes('--no-pages') ? 'reference' : 'guide';
  const started = new RegExp(`serving .* on (http:[^\\s,]+)[^]*the ${last}: .*\n`);
  const ready = new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const api = started.exec(said)?.[1];
      if (api !== undefined) resolve(api);
    });
    child.once('exit', () => {
      reject(new Error(`it ended: ${said}`));
    });
  });
  const api = await ready;
  return { child, api, said, ended };
}
