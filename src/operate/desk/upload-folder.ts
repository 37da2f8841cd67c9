// Where uploaded files lie: each in a folder of its own beside what became of it, which any process of the machine can read.
import { lstat, mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { GazetteError } from '../../errors.ts';
import type { RegisterOptions, RegisterPlan } from '../../import/from-file/register-plan.ts';

/** A process that has written nothing about a file for so long has ended. */
const SILENT_MS = 60_000;

const ID = /^[0-9a-f]{32}$/;

/** What an editor chose of how a file is read, and of the register that is made of it. */
export type Chosen = Partial<RegisterOptions>;

/** A file that was uploaded, and what became of it. */
export interface Upload {
  /** The register that it is for. Null: one is to be made of it. */
  readonly feedId: string | null;
  /** The name of the editor. */
  readonly who: string;
  /** The name of the file, as the editor has it. */
  readonly file: string;
  /** `found`: what a register of it would be is known, and waits for an editor. */
  readonly state: 'waiting' | 'reading' | 'found' | 'proposed' | 'failed';
  /** How many records were read so far. */
  readonly records: number;
  /** The number of its proposal. Null: there is none. */
  readonly number: number | null;
  /** Why it failed, or why it is not as it was chosen last, in a sentence; null: it is, or nothing can be said. */
  readonly reason: string | null;
  /** Whether it failed because it would unpack to too much. */
  readonly isTooLarge: boolean;
  readonly chosen: Chosen;
  /** What a register of it would be. Null: that is not known. */
  readonly plan: RegisterPlan | null;
  /** Whether another editor is asked to make the register. */
  readonly isAsked: boolean;
  /** The register that is being made of it: it goes again where that does not end well. */
  readonly makes: string | null;
}

/** A file that was found in the folder. */
export interface FoundUpload {
  readonly id: string;
  readonly upload: Upload;
  /** When that was last written, in milliseconds since 1970. */
  readonly at: number;
  /** Whether the process has ended that worked on it. */
  readonly isAbandoned: boolean;
  /** Whether the file is there. */
  readonly hasFile: boolean;
}

/** The folder. */
export class UploadFolder {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** The path of a file. */
  pathOf(id: string): string {
    return join(this.#path, id, 'file');
  }

  /**
   * Makes the place of a file.
   *
   * @throws GazetteError `output_failed` for a folder that is another's: others could put files into it, or read those that come
   */
  async make(id: string): Promise<void> {
    await mkdir(this.#path, { mode: 0o700, recursive: true });
    const status = await lstat(this.#path);
    const { uid } = userInfo();
    // Where users have no numbers, files have no modes either.
    const isOwn = uid === -1 || (status.uid === uid && (status.mode & 0o077) === 0);
    if (!status.isDirectory() || !isOwn) {
      throw new GazetteError('output_failed', `${this.#path} is not a folder of this user alone`);
    }
    await mkdir(join(this.#path, id), { mode: 0o700 });
  }

  /** Writes down what became of a file: it is there as a whole at any moment. */
  async note(id: string, upload: Upload): Promise<void> {
    const path = join(this.#path, id, 'state.json');
    await writeFile(`${path}.next`, JSON.stringify(upload), { mode: 0o600 });
    await rename(`${path}.next`, path);
  }

  /** A file, and what became of it; null where it is not known, or no more. */
  async find(id: string): Promise<FoundUpload | null> {
    if (!ID.test(id)) return null;
    const path = join(this.#path, id, 'state.json');
    const text = await readFile(path, 'utf8').catch(absent);
    const at = await timeOf(path);
    if (text === null || at === null) return null;
    const upload = JSON.parse(text) as Upload;
    const isAbandoned = isOpen(upload) && Date.now() - at > SILENT_MS;
    return { id, upload, at, isAbandoned, hasFile: (await timeOf(this.pathOf(id))) !== null };
  }

  /** All of them, the oldest first. */
  async all(): Promise<readonly FoundUpload[]> {
    const found = await Promise.all((await this.ids()).map((id) => this.find(id)));
    return found.filter((one) => one !== null).sort((a, b) => a.at - b.at);
  }

  /** The names of all places. */
  async ids(): Promise<readonly string[]> {
    return ((await readdir(this.#path).catch(absent)) ?? []).filter((id) => ID.test(id));
  }

  /** When something was last written to a place, in milliseconds since 1970. */
  async lastWritten(id: string): Promise<number> {
    const times = await Promise.all([timeOf(join(this.#path, id)), timeOf(this.pathOf(id))]);
    return Math.max(...times.map((time) => time ?? 0));
  }

  /** Takes the right to work on a file, which one process has at a time. @returns whether it was free */
  lock(id: string): Promise<boolean> {
    return this.take(id, 'busy');
  }

  /** Takes something of a file that one process does, and no other. @returns whether it was free */
  async take(id: string, what: string): Promise<boolean> {
    try {
      await mkdir(join(this.#path, id, what), { mode: 0o700 });
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST' || code === 'ENOENT') return false;
      throw error;
    }
  }

  async unlock(id: string): Promise<void> {
    await rmdir(join(this.#path, id, 'busy')).catch(absent);
  }

  /** The file goes; what became of it stays. */
  removeFile(id: string): Promise<void> {
    return rm(this.pathOf(id), { force: true });
  }

  /** All of it goes. */
  remove(id: string): Promise<void> {
    return rm(join(this.#path, id), { recursive: true, force: true });
  }
}

/** Whether somebody works on it, or will. */
export function isOpen({ state }: Pick<Upload, 'state'>): boolean {
  return state === 'waiting' || state === 'reading';
}

async function timeOf(path: string): Promise<number | null> {
  return (await stat(path).catch(absent))?.mtimeMs ?? null;
}

function absent(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw error;
}
