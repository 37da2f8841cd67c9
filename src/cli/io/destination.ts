// Where a command's data goes: standard output, or a file that appears whole or not at all.
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from '../../files/sync-folder.ts';
import { outputFailed, targetOf } from '../../files/target.ts';

/** Takes a command's data, one chunk after the other. */
export interface Destination {
  /**
   * Takes a chunk; false when nobody reads any more and there is no use in going on.
   *
   * @throws GazetteError `output_failed`
   */
  write(chunk: Uint8Array): Promise<boolean>;
  /** Keeps what was written. @throws GazetteError `output_failed` */
  commit(): Promise<void>;
  /** Leaves nothing of what was written, where that can be. */
  discard(): Promise<void>;
}

/** @param path of a file; undefined or `-` for standard output */
export async function openDestination(path: string | undefined): Promise<Destination> {
  return isStandardOutput(path) ? standardOutput() : openFile(path);
}

/** Whether a command's `--output` is standard output. */
export function isStandardOutput(path: string | undefined): path is undefined | '-' {
  return path === undefined || path === '-';
}

function standardOutput(): Destination {
  // Without a listener a reader who leaves early (`| head`) would end the process with a stack trace. The callback of
  // each write says the same.
  process.stdout.on('error', () => undefined);
  return {
    write: (chunk) =>
      new Promise((resolve, reject) => {
        process.stdout.write(chunk, (error) => {
          if (error === null || error === undefined) resolve(true);
          else if ('code' in error && error.code === 'EPIPE') resolve(false);
          else reject(outputFailed('standard output', error));
        });
      }),
    commit: async () => undefined,
    discard: async () => undefined,
  };
}

async function openFile(path: string): Promise<Destination> {
  try {
    const { target, existing } = await targetOf(path);
    // A device or a pipe cannot be replaced by a file of its name; it is written as it stands.
    if (existing?.isFile() === false) return new FileDestination(path, await open(path, 'w'), null);
    const temporary = join(dirname(target), `.${basename(target)}.${randomUUID()}.tmp`);
    const file = await open(
      temporary,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
      existing === null ? 0o666 : existing.mode & 0o777,
    );
    return new FileDestination(path, file, { temporary, target });
  } catch (error) {
    throw outputFailed(path, error);
  }
}

/** A file written under another name beside its place, and moved there when it is whole and on the disk. */
class FileDestination implements Destination {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #move: { readonly temporary: string; readonly target: string } | null;
  #open = true;
  #moved = false;

  constructor(path: string, file: FileHandle, move: { readonly temporary: string; readonly target: string } | null) {
    this.#path = path;
    this.#file = file;
    this.#move = move;
  }

  async write(chunk: Uint8Array): Promise<boolean> {
    try {
      for (let done = 0; done < chunk.length;) {
        done += (await this.#file.write(chunk, done)).bytesWritten;
      }
      return true;
    } catch (error) {
      throw outputFailed(this.#path, error);
    }
  }

  async commit(): Promise<void> {
    try {
      if (this.#move === null) {
        await this.#close();
        return;
      }
      // Without the first sync a crash may leave an empty file under the final name, without the second the old one.
      await this.#file.sync();
      await this.#close();
      await rename(this.#move.temporary, this.#move.target);
      this.#moved = true;
      await syncFolder(dirname(this.#move.target));
    } catch (error) {
      throw outputFailed(this.#path, error);
    }
  }

  async discard(): Promise<void> {
    await this.#close();
    if (this.#move !== null && !this.#moved) await unlink(this.#move.temporary);
  }

  async #close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    await this.#file.close();
  }
}
