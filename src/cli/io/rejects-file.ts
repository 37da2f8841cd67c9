// The file for records that an import refuses: NDJSON, one line for each with its place, the reason and the original
// record.
import { GazetteError } from '../../errors.ts';
import type { RefusedRecord } from '../../import/import-options.ts';
import { type Destination, openDestination } from './destination.ts';
import type { Io } from './io.ts';

/** The number of characters written at once. */
const CHUNK_LENGTH = 262_144;

/**
 * The file for the rejects of an import: the requested one, otherwise one next to the input file.
 *
 * @throws GazetteError `usage` if the input is not a file.
 */
export function rejectsPath(file: string, asked: string | undefined): string {
  if (asked !== undefined) return asked;
  if (file === '-') {
    throw new GazetteError('usage', '--skip-invalid with standard input needs --rejects FILE for the skipped records');
  }
  return `${file}.rejects.ndjson`;
}

/** A file of rejects; it is created with the first reject, and appears only once it is complete. */
export class RejectsFile {
  readonly path: string;
  readonly #io: Io;
  #destination: Destination | null = null;
  #text = '';
  #committed = false;

  constructor(path: string, io: Io) {
    this.path = path;
    this.#io = io;
  }

  /** Adds a reject. @throws GazetteError `output_failed`, perhaps only in {@link commit} */
  async add({ where, error, record }: RefusedRecord): Promise<void> {
    const { field } = error.details;
    const line = { where, code: error.code, field: field ?? null, reason: error.message, record };
    // A large integer is written as text of its digits: JSON readers would round it.
    this.#text += `${JSON.stringify(line, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}\n`;
    if (this.#text.length >= CHUNK_LENGTH) await this.#flush();
  }

  /** Keeps the file. @throws GazetteError `output_failed` */
  async commit(): Promise<void> {
    await this.#flush();
    await this.#destination?.commit();
    this.#committed = true;
  }

  /** Removes the file, unless it was committed. */
  async discard(): Promise<void> {
    if (!this.#committed) await this.#destination?.discard();
  }

  async #flush(): Promise<void> {
    if (this.#text === '') return;
    const bytes = new TextEncoder().encode(this.#text);
    this.#text = '';
    this.#destination ??= await openDestination(this.path, this.#io);
    await this.#destination.write(bytes);
  }
}
