// Starts working-process.ts, and tells how far it is.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { until } from '../until.ts';

const PROGRAM = join(import.meta.dirname, 'working-process.ts');

/** Some versions of Node.js that the project works with say of SQLite that it is experimental. */
const QUIETLY = ['--disable-warning=ExperimentalWarning'];

/** A process that works. */
export interface Working {
  /** How many rounds have ended. */
  rounds(): number;
  /** Waits for some more rounds. */
  more(rounds: number): Promise<void>;
  /** The same without letting anything else run in this process. */
  moreAtOnce(rounds: number): void;
  /** Ends its input, unless it has ended by itself, and waits for it. @returns what it wrote to standard error */
  end(): Promise<string>;
}

/** Starts it. What it prints goes to a file, which can be read while nothing else runs. */
export function startWorking(...store: readonly string[]): Working {
  const folder = mkdtempSync(join(tmpdir(), 'gazette-'));
  const [out, error] = [join(folder, 'out'), join(folder, 'error')];
  const stdio = ['pipe' as const, openSync(out, 'w'), openSync(error, 'w')];
  const child = spawn(process.execPath, [...QUIETLY, PROGRAM, ...store], { stdio });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
    rmSync(folder, { recursive: true });
  });
  const rounds = (): number => readFileSync(out, 'utf8').split('\n').length - 1;
  const said = (): string => readFileSync(error, 'utf8');
  const hasMore = (target: number): boolean => {
    if (said() !== '' || child.exitCode !== null) throw new Error(`it ended after ${rounds()} rounds: ${said()}`);
    return rounds() >= target;
  };
  return {
    rounds,
    more: async (more) => {
      const target = rounds() + more;
      await until(`${more} more rounds`, () => hasMore(target));
    },
    moreAtOnce: (more) => {
      const target = rounds() + more;
      while (!hasMore(target)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    },
    end: async () => {
      child.stdin!.on('error', () => undefined).end();
      await exited;
      return said();
    },
  };
}
