// What a reader keeps of a register's log from one time to the next, in a file or otherwise: the signed checkpoint that was seen last,
// and behind it that of the log of logs, up to which it was read; and the evidence that there are two histories under its name.
import { appendFile, readFile } from 'node:fs/promises';
import { GazetteError, isGazetteError } from '../../../errors.ts';
import { replaceFile } from '../../../files/staged-file.ts';

/** What was kept. */
export interface Kept {
  /** The register's checkpoint; null: none was seen. */
  readonly checkpoint: string | null;
  /** That of the log of logs; null: none was seen. */
  readonly ofLogs: string | null;
}

/** What was kept as one text, the notes one after the other; null: nothing was. @param name of the register's log */
export function readKept(text: string | null, name: string): Kept {
  // The empty line in a note is that before its signatures.
  const notes = text === null ? [] : text.split(/(?<=\n)\n(?!\u2014 )/);
  const checkpoint = notes.find((note) => note.startsWith(`${name}\n`)) ?? notes[0] ?? null;
  return { checkpoint, ofLogs: notes.find((note) => note !== checkpoint) ?? null };
}

/** The text to keep. */
export function keptText({ checkpoint, ofLogs }: Kept & { readonly checkpoint: string }): string {
  return ofLogs === null ? checkpoint : `${checkpoint}\n${ofLogs}`;
}

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
      const text = `${String(kept)}\n${String(served)}\n`;
      const where = await appendFile(this.evidencePath, text).then(
        () => 'is in',
        (cause: unknown) => `cannot be written (${cause instanceof Error ? cause.message : String(cause)}) to`,
      );
      throw new GazetteError('log_forked', `${error.message}, which ${where} ${this.evidencePath}`, {
        ...{ cause: error, details: error.details },
      });
    }
  }
}
