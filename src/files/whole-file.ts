// A file that appears under its name only when it is complete: it is written under another name in the same folder,
// synced to disk, and then renamed. For a symbolic link the target is replaced, with the same permissions. A device or
// a pipe cannot be replaced by a rename, and is written to directly.
import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { outputFailed, writing } from './output-failed.ts';
import { syncFolder } from './sync-folder.ts';
import { targetOf } from './target.ts';

/** A file being written. End it with {@link WholeFile.commit} or {@link WholeFile.discard}. */
export class WholeFile {
  readonly #path: string;
  readonly #file: FileHandle;
  /** Null for a device or a pipe. */
  readonly #move: Move | null;
  #open = true;

  private constructor(path: string, file: FileHandle, move: Move | null) {
    this.#path = path;
    this.#file = file;
    this.#move = move;
  }

  /**
   * Begins the file at this path. An existing file remains until {@link commit}. @throws GazetteError `output_failed`
   */
  static async open(path: string): Promise<WholeFile> {
    return writing(path, async () => {
      const { target, existing } = await targetOf(path);
      if (existing?.isFile() === false) return new WholeFile(path, await open(path, 'w'), null);
      const temporary = temporaryBeside(target);
      return new WholeFile(path, await openNew(temporary, existing), { temporary, target });
    });
  }

  /** Adds these bytes. @throws GazetteError `output_failed` */
  async write(chunk: Uint8Array): Promise<void> {
    try {
      for (let done = 0; done < chunk.length;) {
        done += (await this.#file.write(chunk, done)).bytesWritten;
      }
    } catch (error) {
      throw outputFailed(this.#path, error);
    }
  }

  /** Gives the file its name, once its bytes are on disk. @throws GazetteError `output_failed` */
  async commit(): Promise<void> {
    const move = this.#move;
    await writing(this.#path, async () => {
      // Without it a crash may leave an empty file under the final name.
      if (move !== null) await this.#file.sync();
      await this.#close();
      if (move === null) return;
      await placeFile(move.temporary, move.target);
    });
  }

  /** Removes the temporary file, unless the file was committed. Bytes written to a device or a pipe remain. */
  async discard(): Promise<void> {
    await this.#close();
    if (this.#move !== null) await rm(this.#move.temporary, { force: true });
  }

  async #close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    await this.#file.close();
  }
}

/** The temporary and the final path of a file. */
interface Move {
  readonly temporary: string;
  readonly target: string;
}

/**
 * The same for a file that other code writes: `make` receives the path to write to.
 *
 * @throws GazetteError `output_failed` for errors of the file system and of `make`; a GazetteError of `make` unchanged.
 */
export async function makeWhole(path: string, make: (temporary: string) => Promise<void>): Promise<void> {
  await writing(path, async () => {
    const { target } = await targetOf(path);
    const temporary = temporaryBeside(target);
    try {
      await make(temporary);
      await syncFile(temporary);
      await placeFile(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  });
}

/** Gives its name to a file that is already on disk. Resolves once the name is on disk too. */
export async function placeFile(path: string, target: string): Promise<void> {
  await rename(path, target);
  // Without it a crash may bring back the old file.
  await syncFolder(dirname(target));
}

/** The temporary path of a file: in the same folder, so that it can be renamed, and with a unique name. */
function temporaryBeside(target: string): string {
  return join(dirname(target), `.${basename(target)}.${randomUUID()}.tmp`);
}

async function openNew(path: string, replaced: Stats | null): Promise<FileHandle> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  return open(path, flags, replaced === null ? 0o666 : replaced.mode & 0o777);
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
