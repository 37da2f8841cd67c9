// Runs the real command line: in this process, or in one of its own where a test is about the process: its signals, pipes
// and exit code, what it holds and another process waits for, who it runs as. test/cli/process.heavy.test.ts compares both.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { run } from '../../src/cli/main.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** As much as a pipe gives at a time. */
const PIECE_LENGTH = 65_536;

/**
 * The program of a process: what GAZETTE_TEST_PROGRAM names, such as src/cli/gazette.ts; else the built one, which starts in two
 * thirds of the time and is what people start, or the sources where anything in them was written after it.
 */
export const GAZETTE: string = resolve(ROOT, process.env.GAZETTE_TEST_PROGRAM ?? program());

function program(): string {
  const [built, sources] = ['dist/cli/gazette.js', 'src/cli/gazette.ts'];
  const builtAt = statSync(join(ROOT, built), { throwIfNoEntry: false })?.mtimeMs ?? -Infinity;
  const entries = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  return entries.every((entry) => statSync(join(ROOT, 'src', entry)).mtimeMs <= builtAt) ? built : sources;
}

/** How a run ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** A user of the operating system. */
export interface User {
  readonly uid?: number;
  readonly gid?: number;
}

/** The variables of the tests' own process, but for those that say how the tests run. */
export const SURROUNDINGS: Readonly<NodeJS.ProcessEnv> = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('GAZETTE_')),
);

/** Starts `gazette` with standard input left open, these variables besides those that are set, and as this user. */
export function start(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  user: User = {},
): ChildProcessWithoutNullStreams {
  const options = { stdio: 'pipe', env: { ...SURROUNDINGS, ...env }, ...user } as const;
  const child = spawn(process.execPath, [GAZETTE, ...args], options);
  // A program that has enough closes its input; what is still on its way there is nobody's loss.
  child.stdin.on('error', () => undefined);
  return child;
}

/** Waits for the end of a run and collects what it said. */
export function ending(child: ChildProcessWithoutNullStreams): Promise<Ending> {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      resolve({ code, signal, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() });
    });
  });
}

/** Runs `gazette` on this input to its end, in a process of its own. */
export function gazetteProcess(
  args: readonly string[],
  input: string | Uint8Array = '',
  env: Readonly<Record<string, string>> = {},
): Promise<Ending> {
  const child = start(args, env);
  child.stdin.end(input);
  return ending(child);
}

/** The same in this process, which takes a tenth of the time. */
export async function gazette(
  args: readonly string[],
  input: string | Uint8Array = '',
  env: Readonly<Record<string, string>> = {},
): Promise<Ending> {
  const stdout = new Collector();
  const stderr = new Collector();
  const stdin = Readable.from(piecesOf(Buffer.from(input)), { objectMode: false });
  const code = await run(
    args,
    { stdin, stdout, stderr, env: { ...SURROUNDINGS, ...env } },
    new AbortController().signal,
  );
  stdin.destroy();
  return { code, signal: null, stdout: stdout.bytes(), stderr: stderr.bytes().toString() };
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_LENGTH) yield bytes.subarray(at, at + PIECE_LENGTH);
}

/** A stream that keeps what is written to it. */
class Collector extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    // The writer may use the memory again.
    this.#chunks.push(Buffer.from(chunk));
    done();
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

/** A folder that goes when the test does. */
export async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'gazette-cli-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}
