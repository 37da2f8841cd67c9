// A copy in the making: FILE.part, and beside it what it holds and where it goes on. Both are of one moment: what was
// added to the part after its state was written is cut off before it is gone on with.
import { existsSync } from 'node:fs';
import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { GazetteError } from '../errors.ts';
import { syncFolder } from '../snapshot/sync-folder.ts';
import { outputFailed } from './destination.ts';
import type { GapRange } from './gaps.ts';
import type { JoinedFormat } from './joiners.ts';

/** How far a copy is: what lies in the file, and where it goes on. */
export interface PullState {
  readonly url: string;
  readonly format: JoinedFormat;
  /** The view the copy is of: the register's highest position when it was begun. */
  readonly asOf: number;
  /** Where the next page is; null when all pages are there. */
  readonly next: string | null;
  readonly records: number;
  /** The position of the last record; one above the first before there is one. */
  readonly lastPosition: number;
  /** Positions above it that no page had. */
  readonly gaps: readonly GapRange[];
}

/** What stands in the state's file. */
interface Kept {
  readonly gazette_pull: number;
  readonly bytes: number;
  readonly state: PullState;
}

/** Of what stands in the state's file. */
const VERSION = 1;

/** The state is written no more often than this, in milliseconds: what a kill costs is fetched again. */
const KEEP_EVERY_MS = 500;

/** A file that is being pulled. */
export class PulledFile {
  /** How far an earlier run came; null where there was none. */
  readonly state: PullState | null;
  readonly #path: string;
  readonly #part: FileHandle;
  #bytes: number;
  #latest: PullState | null = null;
  #keptAtMs = 0;

  private constructor(path: string, part: FileHandle, kept: Kept | null) {
    this.#path = path;
    this.#part = part;
    this.#bytes = kept?.bytes ?? 0;
    this.state = kept?.state ?? null;
  }

  /** @param resumes whether to go on with what is there @throws GazetteError `output_failed`, `invalid_input` */
  static async open(path: string, resumes: boolean): Promise<PulledFile> {
    const kept = resumes ? await readKept(path) : null;
    let part: FileHandle | undefined;
    try {
      if (kept === null) await rm(stateOf(path), { force: true });
      part = await open(partOf(path), kept === null ? 'w' : 'r+');
      const { size } = await part.stat();
      const bytes = kept?.bytes ?? 0;
      if (size < bytes) throw new Error(`it holds ${size} bytes of ${bytes}; leave --resume out to begin anew`);
      await part.truncate(bytes);
      return new PulledFile(path, part, kept);
    } catch (error) {
      await part?.close();
      throw outputFailed(partOf(path), error);
    }
  }

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  /** Adds a page, and notes how far the copy then is. @throws GazetteError `output_failed` */
  async append(text: string, state: PullState): Promise<void> {
    try {
      const bytes = Buffer.from(text, 'utf8');
      for (let done = 0; done < bytes.length;) {
        done += (await this.#part.write(bytes, done, bytes.length - done, this.#bytes + done)).bytesWritten;
      }
      this.#bytes += bytes.length;
      this.#latest = state;
      if (Date.now() - this.#keptAtMs >= KEEP_EVERY_MS) await this.#keep();
    } catch (error) {
      throw outputFailed(partOf(this.#path), error);
    }
  }

  /** Ends the file and gives it its name. @throws GazetteError `output_failed` */
  async finish(end: string): Promise<void> {
    try {
      await this.#part.write(Buffer.from(end, 'utf8'), 0, undefined, this.#bytes);
      await this.#part.sync();
      await rename(partOf(this.#path), this.#path);
      this.#latest = null;
      await rm(stateOf(this.#path), { force: true });
      await syncFolder(dirname(this.#path));
    } catch (error) {
      throw outputFailed(this.#path, error);
    }
  }

  /** Keeps how far the copy is, where it is not finished, and lets go of it. */
  async close(): Promise<void> {
    try {
      await this.#keep();
    } finally {
      await this.#part.close();
    }
  }

  async #keep(): Promise<void> {
    if (this.#latest === null) return;
    // The part first: a state must never tell of bytes that a crash may still lose.
    await this.#part.datasync();
    const kept: Kept = { gazette_pull: VERSION, bytes: this.#bytes, state: this.#latest };
    const temporary = `${stateOf(this.#path)}.tmp`;
    const file = await open(temporary, 'w');
    try {
      await file.writeFile(`${JSON.stringify(kept)}\n`);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(temporary, stateOf(this.#path));
    this.#keptAtMs = Date.now();
  }
}

function partOf(path: string): string {
  return `${path}.part`;
}

function stateOf(path: string): string {
  return `${path}.pull.json`;
}

/** What an earlier run left; null where it left nothing. */
async function readKept(path: string): Promise<Kept | null> {
  if (!existsSync(stateOf(path)) || !existsSync(partOf(path))) return null;
  try {
    const kept = JSON.parse(await readFile(stateOf(path), 'utf8')) as Partial<Kept> | null;
    if (kept?.gazette_pull === VERSION && Number.isSafeInteger(kept.bytes)) return kept as Kept;
  } catch {
    // Said below: whatever is wrong with it, it is not what a run of ours left.
  }
  throw new GazetteError('invalid_input', `${stateOf(path)} is no state of a pull; leave --resume out to begin anew`);
}
