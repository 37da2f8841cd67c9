// The command line, as the recording runs it: in this process where it ends by itself, and `serve` in one of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { run } from '../../src/cli/main.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** How a command ended, and what it wrote. */
export interface Ending {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Runs a command in the current folder. */
export async function command(
  args: readonly string[],
  input: string | Uint8Array = '',
  env: Readonly<Record<string, string>> = {},
): Promise<Ending> {
  const [stdout, stderr] = [new Collector(), new Collector()];
  const stdin = Readable.from([Buffer.from(input)], { objectMode: false });
  const code = await run(args, { stdin, stdout, stderr, env }, new AbortController().signal);
  stdin.destroy();
  return { code, stdout: stdout.bytes(), stderr: stderr.bytes().toString() };
}

/** Runs a command that must end well. @returns what it wrote to standard output */
export async function must(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await command(args);
  if (code !== 0) throw new Error(`gazette ${args.join(' ')}: ${stderr}`);
  return stdout.toString().trimEnd();
}

/** A service that runs. */
export interface Serving {
  readonly port: number;
  /** Sets its clock. */
  readonly setClock: (time: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts `gazette serve` in the current folder on a free port, its clock at this time. */
export async function serve(
  now: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Serving> {
  const still = join(import.meta.dirname, 'still.ts');
  const program = join(ROOT, 'src/cli/gazette.ts');
  const child = spawn(process.execPath, ['--import', still, program, 'serve', '--port', '0', ...args], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { PATH: process.env.PATH!, RECORDED_NOW: now, ...env },
  });
  return {
    port: await portOf(child),
    async setClock(time) {
      const isSet = once(child, 'message');
      child.send(time);
      await isSet;
    },
    stop: () => stop(child),
  };
}

function portOf(child: ChildProcess): Promise<number> {
  let said = '';
  return new Promise((resolve, reject) => {
    child.stderr!.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const port = / on http:\/\/127\.0\.0\.1:(\d+)\b/.exec(said)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    child.once('exit', () => {
      reject(new Error(`gazette serve ended: ${said}`));
    });
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** A stream that keeps what is written to it. */
class Collector extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#chunks.push(Buffer.from(chunk));
    done();
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}
