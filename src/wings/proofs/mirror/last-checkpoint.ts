// What is kept of a log in a file from one run to the next (kept.ts), and the evidence that there are two histories under its name.
import { appendFile, readFile } from 'node:fs/promises';
import { GazetteError, isGazetteError } from '../../../errors.ts';
import { replaceFile } from '../../../files/staged-file.ts';

/** The file with what was seen last. */
export class LastCheckpoint {
  readonly #path: string;

  /** @param path where it is, or will be */
  constructor(path: string) {
    this.#path = path;
  }

  /** Where the evidence is, once there is some. */
  get evidencePath(): string {
    return `${this.#path}.forked`;
  }

  /** What was kept; null: nothing was. */
  async read(): Promise<string | null> {
    try {
      return await readFile(this.#path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
      throw error;
    }
  }

  /** Keeps a text. */
  async keep(kept: string): Promise<void> {
    await replaceFile(this.#path, Buffer.from(kept));
  }

  /** Does something; if it ends because the log was forked, the evidence is kept, and the error says where. */
  async watching<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isGazetteError(error, 'log_forked')) throw error;
      const { kept, served } = error.details;
      await appendFile(this.evidencePath, `${String(kept)}\n${String(served)}\n`);
      throw new GazetteError('log_forked', `${error.message}, which is in ${this.evidencePath}`, {
        ...{ cause: error, details: error.details },
      });
    }
  }
}
