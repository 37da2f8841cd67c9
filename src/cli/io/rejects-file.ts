// The file for records that an import refuses: NDJSON, one line for each with its place, the reason and the original
// record.
import { GazetteError } from '../../errors.ts';
import type { RefusedRecord } from '../../import/import-options.ts';
import { counted } from '../../register/counted.ts';
import { type Option, text } from '../command.ts';
import { type Destination, openDestination } from './destination.ts';
import type { Io } from './io.ts';
import { say } from './say.ts';

/** The number of characters written at once. */
const CHUNK_LENGTH = 262_144;

/** Whether records that do not fit are skipped, and where they go. */
export interface RejectsOptions {
  readonly skipInvalid?: true;
  readonly rejects?: string;
}

/** The option that says where. */
export const REJECTS: Option<string | undefined> = text(
  '<file>',
  'the file for skipped records (default: FILE.rejects.ndjson)',
);

/**
 * The file for the rejects of an input: the requested one, otherwise one next to it.
 *
 * @returns null where the first record that does not fit ends the work
 * @throws GazetteError `usage` for standard input without a requested file, and for such a file without `--skip-invalid`.
 */
export function openRejects(file: string, { skipInvalid, rejects }: RejectsOptions, io: Io): RejectsFile | null {
  if (skipInvalid !== true) {
    if (rejects !== undefined) throw new GazetteError('usage', '--rejects needs --skip-invalid');
    return null;
  }
  if (file === '-' && rejects === undefined) {
    throw new GazetteError('usage', '--skip-invalid with standard input needs --rejects FILE for the skipped records');
  }
  return new RejectsFile(rejects ?? `${file}.rejects.ndjson`, io);
}

/** The error for a file of which nothing could be used, also for a script that skips some invalid records. */
export function allRefused(name: string, refused: number): GazetteError {
  const all = refused === 1 ? 'the only record' : `all ${counted(refused, 'record')}`;
  return new GazetteError('invalid_input', `${name}: ${all} of the file ${refused === 1 ? 'was' : 'were'} refused`, {
    details: { input: name, refused },
  });
}

/** A file of rejects; it is created with the first reject, and appears only once it is complete. */
export class RejectsFile {
  readonly path: string;
  readonly #io: Io;
  #destination: Destination | null = null;
  #text = '';
  #count = 0;
  #committed = false;

  constructor(path: string, io: Io) {
    this.path = path;
    this.#io = io;
  }

  /** How many rejects there are. */
  get count(): number {
    return this.#count;
  }

  /** Says on standard error how many there are, if any. */
  tell(): void {
    if (this.#count > 0) say(this.#io, `refused ${counted(this.#count, 'record')}; see ${this.path} for the reasons`);
  }

  /** Adds a reject. @throws GazetteError `output_failed`, perhaps only in {@link commit} */
  async add({ where, error, record }: RefusedRecord): Promise<void> {
    this.#count++;
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
