// What was signed last of each log, kept outside the store: a store that was restored from an older state shows by it.
import { constants, existsSync } from 'node:fs';
import { appendFile, open, readFile } from 'node:fs/promises';
import { isObject, isWhole } from '../../../checks.ts';
import { GazetteError, quote } from '../../../errors.ts';
import { type FileLock, lockFile } from '../../../files/lock.ts';
import { outputFailed } from '../../../files/output-failed.ts';
import { replaceFile } from '../../../files/staged-file.ts';
import { syncFolder } from '../../../files/sync-folder.ts';
import { dirname } from 'node:path';
import type { SignedTree } from '../stores/contract/recovery.ts';
import type { TreeHead } from '../tlog/verification.ts';

/** A log as it was signed last. */
export interface SignedHead extends TreeHead {
  /** Its name. */
  readonly origin: string;
}

/** What was signed last, by the UUIDs of the logs. */
export interface LogState {
  /** Null: nothing was signed. */
  last(uuid: string): SignedHead | null;
  /** Remembers what is about to be signed, durably. */
  remember(uuid: string, head: SignedHead): Promise<void>;
}

/** The first line of the file. Each other one has a log; the last one of a log holds. */
const HEAD = '{"v":3}\n';

/** The file is written whole again when it got as many lines as it has logs, and not before it got these. */
const MIN_ADDED = 100;

/** A state in a file, which one process has at a time. Signing costs one line, however many logs there are. */
export class FileLogState implements LogState {
  readonly #path: string;
  readonly #lock: FileLock;
  readonly #heads: Map<string, SignedHead>;
  /** How long the file is, in bytes, if a line may be added to it; null: it has to be written whole. */
  #length: number | null = null;
  /** How many lines were added since it was written whole. */
  #added = 0;

  private constructor(path: string, lock: FileLock, heads: Map<string, SignedHead>) {
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

  last(uuid: string): SignedHead | null {
    return this.#heads.get(uuid) ?? null;
  }

  /** What was signed last of every log, by their UUIDs. */
  get heads(): ReadonlyMap<string, SignedHead> {
    return this.#heads;
  }

  async remember(uuid: string, head: SignedHead): Promise<void> {
    this.#heads.set(uuid, head);
    const line = Buffer.from(lineOf(uuid, head));
    const length = this.#length;
    // Until the line is durable: an error may leave half of it.
    this.#length = null;
    if (length !== null && this.#added < Math.max(MIN_ADDED, this.#heads.size) && (await this.#add(line, length))) {
      this.#length = length + line.length;
      this.#added++;
      return;
    }
    const text = Buffer.from([HEAD, ...[...this.#heads].map(([one, last]) => lineOf(one, last))].join(''));
    await replaceFile(this.#path, text);
    await syncFolder(dirname(this.#path));
    this.#length = text.length;
    this.#added = 0;
  }

  /** Adds a line to the file, durably; false for a file that is not as this process left it. */
  async #add(line: Uint8Array, length: number): Promise<boolean> {
    // Without O_CREAT: a new file would lack the other logs.
    const file = await open(this.#path, constants.O_WRONLY | constants.O_APPEND).catch(() => null);
    if (file === null) return false;
    try {
      if ((await file.stat()).size !== length) return false;
      await file.writeFile(line);
      await file.sync();
      return true;
    } finally {
      await file.close();
    }
  }

  /** Keeps two checkpoints that contradict each other, in a file beside it. @returns its path */
  async keepEvidence(ours: string, theirs: string): Promise<string> {
    const path = `${this.#path}.forked`;
    await appendFile(path, `${ours}\n${theirs}\n`);
    return path;
  }

  /** Lets another process have it. */
  close(): void {
    this.#lock.release();
  }
}

/** Works with the file of what was signed last while nobody signs. @throws GazetteError `store_busy`, `invalid_option`, `output_failed` */
export async function withLogState<T>(path: string, work: (state: FileLogState) => Promise<T>): Promise<T> {
  if (!existsSync(path))
    throw new GazetteError(
      'invalid_option',
      `--log-state must be the file of what was signed last: there is no ${path}`,
      {
        details: { option: 'log-state' },
      },
    );
  const state = await FileLogState.open(path).catch((error: unknown) => {
    throw error instanceof GazetteError ? error : outputFailed(path, error);
  });
  if (state === null) throw new GazetteError('store_busy', `${path} is in use: stop gazette serve first`);
  try {
    return await work(state);
  } finally {
    state.close();
  }
}

/**
 * The log of a register, among those that were signed.
 *
 * @param heads what was signed last, by the UUIDs of the logs
 * @param uuid that of the log that the store has now
 * @param name the name of the log, if there are several
 * @throws GazetteError `not_found`, `usage` when there are several
 */
export function signedLast(
  heads: ReadonlyMap<string, SignedHead>,
  { feedId, uuid, name }: { readonly feedId: string; readonly uuid: string; readonly name?: string },
): SignedTree {
  const own = [...heads].filter(([, { origin }]) => origin.includes(`/feeds/${feedId}/log/`));
  const named = own.filter(([log, { origin }]) => (name === undefined ? log === uuid : origin === name));
  const found = named[0] ?? (name === undefined && own.length === 1 ? own[0] : undefined);
  if (found === undefined && name === undefined && own.length > 1)
    throw new GazetteError(
      'usage',
      `name the log with --log, one of ${own.map(([, { origin }]) => origin).join(', ')}`,
    );
  if (found === undefined)
    throw new GazetteError(
      'not_found',
      `${quote(name ?? feedId)} was not signed with this file of what was signed last`,
    );
  const [log, { size, root }] = found;
  return { uuid: log, size, root };
}

function lineOf(log: string, { origin, size, root }: SignedHead): string {
  return `${JSON.stringify({ log, origin, size, root: Buffer.from(root).toString('base64') })}\n`;
}

async function textIn(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return HEAD;
    throw error;
  }
}

function headsIn(path: string, text: string): Map<string, SignedHead> {
  try {
    if (text.startsWith(HEAD)) {
      // What follows the last end of a line was being written when the process ended: nothing was signed after it.
      return new Map(text.slice(HEAD.length).split('\n').slice(0, -1).map(headIn));
    }
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
  }
  throw new GazetteError('invalid_option', `${path} must be a file that gazette keeps the state of its logs in`, {
    details: { option: 'log-state' },
  });
}

function headIn(line: string): [uuid: string, head: SignedHead] {
  const head: unknown = JSON.parse(line);
  if (isObject(head) && isWhole(head.size, 0) && typeof head.root === 'string') {
    const { log, origin, size } = head;
    const root = Buffer.from(head.root, 'base64');
    if (root.length === 32 && typeof log === 'string' && typeof origin === 'string')
      return [log, { origin, size, root }];
  }
  throw new TypeError('no head of a tree');
}
