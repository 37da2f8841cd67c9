// What was signed last of each log, kept outside the store: a store that was restored from an older state shows by it.
import { readFile } from 'node:fs/promises';
import { isObject, isWhole } from '../../checks.ts';
import { GazetteError } from '../../errors.ts';
import { type FileLock, lockFile } from '../../files/lock.ts';
import { replaceFile } from '../../files/staged-file.ts';
import { syncFolder } from '../../files/sync-folder.ts';
import { dirname } from 'node:path';
import type { TreeHead } from '../../proofs/verification.ts';

/** What was signed last, by the log's origin. */
export interface LogState {
  /** Null: nothing was signed. */
  last(origin: string): TreeHead | null;
  /** Remembers what is about to be signed, durably. */
  remember(origin: string, head: TreeHead): Promise<void>;
}

/** A state in a file, which one process has at a time. */
export class FileLogState implements LogState {
  readonly #path: string;
  readonly #lock: FileLock;
  readonly #heads: Map<string, TreeHead>;

  private constructor(path: string, lock: FileLock, heads: Map<string, TreeHead>) {
    this.#path = path;
    this.#lock = lock;
    this.#heads = heads;
  }

  /**
   * Opens the file, which need not exist yet. Beside it, a file with the suffix `.lock` is locked.
   *
   * @returns null when another process has it
   * @throws GazetteError `invalid_option` for a file of something else; the errors of the file system
   */
  static async open(path: string): Promise<FileLogState | null> {
    const lock = lockFile(`${path}.lock`);
    if (lock === null) return null;
    try {
      return new FileLogState(path, lock, headsIn(path, await textIn(path)));
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  last(origin: string): TreeHead | null {
    return this.#heads.get(origin) ?? null;
  }

  async remember(origin: string, head: TreeHead): Promise<void> {
    this.#heads.set(origin, head);
    const logs = [...this.#heads].map(([name, { size, root }]) => [name, { size, root: base64(root) }]);
    const text = JSON.stringify({ v: 1, logs: Object.fromEntries(logs) as unknown }, null, 2);
    await replaceFile(this.#path, Buffer.from(`${text}\n`));
    await syncFolder(dirname(this.#path));
  }

  /** Lets another process have it. */
  close(): void {
    this.#lock.release();
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

async function textIn(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '{"v":1,"logs":{}}';
    throw error;
  }
}

function headsIn(path: string, text: string): Map<string, TreeHead> {
  try {
    const state: unknown = JSON.parse(text);
    if (isObject(state) && state.v === 1 && isObject(state.logs)) {
      return new Map(Object.entries(state.logs).map(([origin, head]) => [origin, headOf(head)]));
    }
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
  }
  throw new GazetteError('invalid_option', `${path} must be a file that gazette keeps the state of its logs in`, {
    details: { option: 'log-state' },
  });
}

function headOf(head: unknown): TreeHead {
  if (isObject(head) && isWhole(head.size, 0) && typeof head.root === 'string') {
    const root = Buffer.from(head.root, 'base64');
    if (root.length === 32) return { size: head.size, root };
  }
  throw new TypeError('no head of a tree');
}
