// The signed checkpoint that was seen last, in a file beside a copy, and the evidence that a log shows another history.
import { appendFile, readFile } from 'node:fs/promises';
import { GazetteError, isGazetteError } from '../../errors.ts';
import { replaceFile } from '../../files/staged-file.ts';

/** The file with the checkpoint that was seen last. */
export class SeenCheckpoint {
  readonly #path: string;

  /** @param path where it is, or will be */
  constructor(path: string) {
    this.#path = path;
  }

  /** Where both checkpoints are once they contradict each other. */
  get evidencePath(): string {
    return `${this.#path}.forked`;
  }

  /** The checkpoint; null before there is one. */
  async read(): Promise<string | null> {
    try {
      return await readFile(this.#path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
      throw error;
    }
  }

  /** Keeps one. */
  async keep(checkpoint: string): Promise<void> {
    await replaceFile(this.#path, Buffer.from(checkpoint));
  }

  /** Does something; if it ends because the log was forked, both checkpoints are kept, and the error says where. */
  async watching<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isGazetteError(error, 'log_forked')) throw error;
      const { kept, served } = error.details;
      await appendFile(this.evidencePath, `${String(kept)}\n${String(served)}\n`);
      throw new GazetteError('log_forked', `${error.message}; they are in ${this.evidencePath}`, {
        ...{ cause: error, details: error.details },
      });
    }
  }
}
