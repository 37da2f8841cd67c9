// An incomplete copy: FILE.part, and FILE.pull.json, the state that says what the part contains and which page is next.
// Both are of one moment: bytes added to the part after its state was written are cut off before a further run
// continues. Until the first page has arrived, files of an earlier run are not changed.
import { existsSync } from 'node:fs';
import { type FileHandle, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { GazetteError } from '../errors.ts';
import { counted } from '../register/counted.ts';
import { outputFailed } from '../files/output-failed.ts';
import { replaceFile } from '../files/staged-file.ts';
import { syncFolder } from '../files/sync-folder.ts';
import { targetOf } from '../files/target.ts';
import { placeFile } from '../files/whole-file.ts';
import { lockPull, type PullLock } from './lock.ts';
import { type KeptState, type PullState, stateFrom, stateText } from './state.ts';

/**
 * The minimum time between two writes of the state, in milliseconds: after a kill, pages of this time are requested
 * again.
 */
const KEEP_EVERY_MS = 500;

/** At most one part in so many of the time is for the state, which is long where much was withdrawn. */
const KEEP_SHARE = 10;

const LINE_END = Buffer.from('\n');

/** How much is read at once. */
const READ_BYTES = 1 << 18;

/** A file that is being pulled. */
export class PulledFile {
  /** The progress of an earlier run; null if there was none. */
  readonly state: PullState | null;
  readonly #path: string;
  readonly #mode: number;
  readonly #lock: PullLock;
  #part: FileHandle | null;
  #bytes: number;
  #latest: PullState | null = null;
  /** When the state is written next. */
  #keepAtMs = 0;

  private constructor(path: string, mode: number, lock: PullLock, part: FileHandle | null, kept: KeptState | null) {
    this.#path = path;
    this.#mode = mode;
    this.#lock = lock;
    this.#part = part;
    this.#bytes = kept?.bytes ?? 0;
    this.state = kept?.state ?? null;
  }

  /**
   * @param output the file that the copy will be; for a symbolic link, its target
   * @param resumes whether to continue an earlier run's copy
   * @throws GazetteError `usage` for a path that is not a file, and for an earlier run's copy unless `resumes` is true;
   *   `output_failed`, also while another run is at it; `invalid_input` for a state that no run of ours left.
   */
  static async open(output: string, resumes: boolean): Promise<PulledFile> {
    if (output === '-') throw new GazetteError('usage', '--output must be a file, so that the copy can be resumed');
    let lock: PullLock | null = null;
    let part: FileHandle | null = null;
    try {
      const { target: path, existing } = await targetOf(output);
      if (existing?.isFile() === false) {
        throw new GazetteError(
          'usage',
          `--output must be a file, and ${output} is ${existing.isDirectory() ? 'a folder' : 'none'}`,
        );
      }
      lock = await lockPull(path);
      if (lock === null) throw new Error('another run of gazette pull is at it');
      const kept = await readKept(path);
      if (kept !== null && !resumes) {
        throw new GazetteError(
          'usage',
          `${partOf(path)} is an unfinished copy, with ${counted(kept.state.records, 'record')}: give --resume to go on with it, or ${beginAnew(path)}`,
        );
      }
      if (kept !== null) part = await openKept(path, kept);
      // A further run must be able to write to it.
      const mode = existing === null ? 0o666 : (existing.mode & 0o777) | 0o600;
      return new PulledFile(path, mode, lock, part, kept);
    } catch (error) {
      await part?.close();
      await lock?.release();
      throw error instanceof GazetteError ? error : outputFailed(output, error);
    }
  }

  /** The file that the copy will be. */
  get path(): string {
    return this.#path;
  }

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  /** Tells the user how to discard an earlier run's files. */
  get beginAnew(): string {
    return beginAnew(this.#path);
  }

  /** The path of the copy until it is complete. */
  get partPath(): string {
    return partOf(this.#path);
  }

  /** Adds what came, and updates the state; null: it cannot be gone on with. @throws GazetteError `output_failed` */
  async append(bytes: Uint8Array, state: PullState | null): Promise<void> {
    try {
      this.#part ??= await this.#begin();
      await write(this.#part, bytes, this.#bytes);
      this.#bytes += bytes.length;
      this.#latest = state;
      if (Date.now() >= this.#keepAtMs) await this.#keep();
    } catch (error) {
      throw outputFailed(partOf(this.#path), error);
    }
  }

  /** Begins anew: what came is replaced as soon as there is something else. @throws GazetteError `output_failed` */
  async restart(): Promise<void> {
    const part = this.#part;
    this.#part = null;
    this.#bytes = 0;
    this.#latest = null;
    await part?.close().catch((error: unknown) => {
      throw outputFailed(partOf(this.#path), error);
    });
  }

  /** The lines of what came, without their ends. @throws GazetteError `output_failed` */
  async *lines(): AsyncGenerator<Buffer, void, undefined> {
    let rest: Buffer = Buffer.alloc(0);
    for (let at = 0; at < this.#bytes;) {
      const { bytesRead, buffer } = await this.#read(Buffer.alloc(Math.min(READ_BYTES, this.#bytes - at)), at);
      if (bytesRead === 0) break;
      at += bytesRead;
      rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      let from = 0;
      for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n', from)) {
        yield rest.subarray(from, end);
        from = end + 1;
      }
      rest = rest.subarray(from);
    }
  }

  /** Removes lines of what came. A run that ends meanwhile cannot be continued. @throws GazetteError `output_failed` */
  async keepLines(isKept: (index: number) => boolean): Promise<void> {
    try {
      // The state describes bytes that will not be there.
      await rm(stateOf(this.#path), { force: true });
      this.#latest = null;
      let [index, end] = [0, 0];
      for await (const line of this.lines()) {
        if (!isKept(index++)) continue;
        // Lines only move up: what is not read yet lies behind.
        await write(this.#part!, Buffer.concat([line, LINE_END]), end);
        end += line.length + LINE_END.length;
      }
      await this.#part?.truncate(end);
      this.#bytes = end;
    } catch (error) {
      throw error instanceof GazetteError ? error : outputFailed(partOf(this.#path), error);
    }
  }

  async #read(buffer: Buffer, at: number): Promise<{ bytesRead: number; buffer: Buffer }> {
    try {
      return await this.#part!.read(buffer, 0, buffer.length, at);
    } catch (error) {
      throw outputFailed(partOf(this.#path), error);
    }
  }

  /** Completes the file and gives it its name. @throws GazetteError `output_failed` */
  async finish(end: string): Promise<void> {
    try {
      this.#part ??= await this.#begin();
      await write(this.#part, Buffer.from(end, 'utf8'), this.#bytes);
      await this.#part.sync();
      await placeFile(partOf(this.#path), this.#path);
      this.#latest = null;
      await rm(stateOf(this.#path), { force: true });
      await syncFolder(dirname(this.#path));
    } catch (error) {
      throw outputFailed(this.#path, error);
    }
  }

  /** Closes a copy that an error ended. If `canGoOn`, a further run continues it; otherwise that run starts over. */
  async leave(canGoOn: boolean): Promise<void> {
    try {
      if (canGoOn) await this.#keep();
      else await rm(stateOf(this.#path), { force: true });
    } catch {
      // The error that ended the run is the one to report, and the previous state is still valid.
    }
  }

  /** Closes the files and releases the lock. */
  async close(): Promise<void> {
    try {
      await this.#part?.close();
    } finally {
      await this.#lock.release();
    }
  }

  async #begin(): Promise<FileHandle> {
    // First: it may describe a part that no longer exists.
    await rm(stateOf(this.#path), { force: true });
    return open(partOf(this.#path), 'w+', this.#mode);
  }

  async #keep(): Promise<void> {
    if (this.#latest === null) return;
    const begunAtMs = Date.now();
    // The part first: a state must never describe bytes that a crash may still lose.
    await this.#part!.datasync();
    await replaceFile(stateOf(this.#path), Buffer.from(stateText({ bytes: this.#bytes, state: this.#latest })));
    const nowMs = Date.now();
    this.#keepAtMs = nowMs + Math.max(KEEP_EVERY_MS, (nowMs - begunAtMs) * KEEP_SHARE);
  }
}

function partOf(path: string): string {
  return `${path}.part`;
}

function stateOf(path: string): string {
  return `${path}.pull.json`;
}

function beginAnew(path: string): string {
  return `remove ${stateOf(path)} to begin anew`;
}

async function write(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
  }
}

/** The state of an earlier run; null if there is none. */
async function readKept(path: string): Promise<KeptState | null> {
  if (!existsSync(stateOf(path)) || !existsSync(partOf(path))) return null;
  const kept = stateFrom(await readFile(stateOf(path), 'utf8'));
  if (kept !== null) return kept;
  throw new GazetteError('invalid_input', `${stateOf(path)} is not the state of a pull; ${beginAnew(path)}`);
}

/** The part of an earlier run as its state describes it. */
async function openKept(path: string, { bytes }: KeptState): Promise<FileHandle> {
  const part = await open(partOf(path), 'r+');
  try {
    const { size } = await part.stat();
    if (size < bytes) {
      throw new GazetteError(
        'invalid_input',
        `${partOf(path)} has ${size} of the ${bytes} bytes that ${stateOf(path)} names; ${beginAnew(path)}`,
      );
    }
    await part.truncate(bytes);
    return part;
  } catch (error) {
    await part.close();
    throw error;
  }
}
