// What the records of a page say, compared with the lines beside it, and those with the log. It reads no files.
import { isObject, isWhole } from '../../../checks.ts';
import { GazetteError, isGazetteError } from '../../../errors.ts';
import { canonicalJson, type JsonValue } from '../../../register/canonical-json.ts';
import type { Field, RecordVersion, RegisterRecord } from '../../../register/record.ts';
import { type RecordPreview, type TierOptions, tierRecord } from '../../../register/tier.ts';
import { recordAfter } from '../mirror/record.ts';
import { readVersion, type ReadVersion } from '../mirror/version.ts';
import { leafHash, sameHash } from '../tlog/hashes.ts';
import type { VersionProof } from '../stores/version-proof.ts';
import type { LoggedRecords } from './logged-records.ts';
import { lineOf } from './page-proofs.ts';

/**
 * The versions in the lines beside a page.
 *
 * @param file its name, for messages
 * @throws GazetteError `invalid_proof` with the line that does not say what its entry is made of, or says more
 */
export function linesIn(text: string, file: string): readonly ReadVersion[] {
  return text.split('\n').flatMap((line, at, all) => {
    if (line === '' && at === all.length - 1) return [];
    try {
      return lineIn(line);
    } catch (cause) {
      // Nesting beyond all stacks is another.
      throw new GazetteError('invalid_proof', `${file}: line ${at + 1} must be a version with what proves it`, {
        cause,
      });
    }
  });
}

/** @throws for a line that says anything but what its entry is made of */
function lineIn(line: string): ReadVersion {
  const given = JSON.parse(line) as RecordVersion & { readonly proof: VersionProof };
  const read = readVersion(given, given.change);
  const isOwn =
    JSON.stringify(lineOf(given, given.proof)) === line &&
    sameHash(leafHash(Buffer.from(given.proof.entry)), read.leaf);
  if (isOwn) return read;
  throw new SyntaxError('another line');
}

/** A page of a folder. */
export interface WordsOfPage {
  /** The lowest and the highest position that it may have. */
  readonly from: number;
  readonly to: number;
  /** The file that lists its records, and the one with their lines, for messages. */
  readonly file: string;
  readonly proofFile: string;
  /** The records that it shows whole, in its order. */
  readonly shown: readonly unknown[];
  readonly lines: readonly ReadVersion[];
}

/** What is known of all pages. */
export interface KnownLog {
  readonly logged: LoggedRecords;
  /** How many changes are signed. */
  readonly size: number;
  /** How many changes pages may have that are not signed. */
  readonly unsigned: number;
  readonly fields: readonly Field[];
  /** Whether each record has a line, and the log has no other record. */
  readonly isAll: boolean;
  /** What previews were made by. */
  readonly tiers: TierOptions;
}

/** The words of the pages of a register. */
export class ProvedWords {
  readonly #known: KnownLog;
  readonly #proved = new Set<number>();
  /** The records that are proved, by id, where pages show some of them as previews. */
  readonly #records = new Map<unknown, RegisterRecord>();
  /** The positions of which the folder has something else than the log has signed. */
  readonly #others = new Set<number>();

  constructor(known: KnownLog) {
    this.#known = known;
  }

  /** Of how many records every word is as signed. */
  get proved(): number {
    return [...this.#proved].filter((position) => !this.#others.has(position)).length;
  }

  /**
   * Compares a page.
   *
   * @returns its records as they are proved, and those that changed since the log was signed as they are
   * @throws GazetteError `invalid_proof` with the file, and the line or the position
   */
  compare(page: WordsOfPage): readonly RegisterRecord[] {
    const { from, to, file, proofFile, shown, lines } = page;
    const records: RegisterRecord[] = [];
    const positions = new Set<number>();
    let last = to + 1;
    let at = 0;
    for (const given of shown) {
      if (!isObject(given) || !isWhole(given.position, from, last - 1))
        throw wrong(file, `its record ${positions.size + 1} must be of a position from ${from} to ${last - 1}`);
      const { position } = given;
      positions.add((last = position));
      const line = lines[at]?.version.position === position ? lines[at++]! : null;
      records.push(line === null ? this.#unproved(given, page) : this.#compareLine(line, at, given, page));
    }
    if (at < lines.length) throw wrong(proofFile, `line ${at + 1} must be of the next record that ${file} shows whole`);
    if (this.#known.isAll) this.#compareMembership(page, positions);
    return records;
  }

  #compareLine({ version, leaf }: ReadVersion, line: number, given: object, page: WordsOfPage): RegisterRecord {
    const { logged, size, fields } = this.#known;
    const { position, change } = version;
    if (change > size) {
      this.#other(position, page.proofFile);
      return given as RegisterRecord;
    }
    if (!logged.isLast(position, leaf))
      throw wrong(
        page.proofFile,
        `line ${line} must be the last change of position ${position} that the log has signed`,
      );
    const record = recordAfter(version, fields, () => logged.since(position)!);
    if (record === null) throw wrong(page.proofFile, `line ${line} must have a statement and its salts`);
    if (!isSame(record, given)) throw wrong(page.file, `the record of position ${position} must say what is signed`);
    this.#proved.add(position);
    if (!this.#known.isAll) this.#records.set(record.id, record);
    return record;
  }

  /**
   * Compares what a page says of the records that are proved, be it as previews: it has each of its own, in their order. Called when
   * all lines were compared.
   *
   * @throws GazetteError `invalid_proof`
   */
  compareAgain(listed: readonly unknown[], { from, to }: Pick<WordsOfPage, 'from' | 'to'>, file: string): void {
    const found: number[] = [];
    for (const given of listed) {
      if (!isObject(given)) continue;
      const record = this.#records.get(given.id);
      if (record === undefined) continue;
      found.push(record.position!);
      if (isPart(given, record, this.#known.tiers)) continue;
      throw wrong(file, `the record of position ${record.position} must say what is signed`);
    }
    let at = 0;
    for (let position = to; position >= from; position--) {
      if (!this.#proved.has(position) || found[at++] === position) continue;
      throw wrong(file, `the record of position ${position} must be there, in its order`);
    }
    if (at < found.length) throw wrong(file, `it has the record of position ${found[at]} once more`);
  }

  #unproved(given: object, { file }: WordsOfPage): RegisterRecord {
    const record = given as RegisterRecord;
    if (this.#known.isAll) this.#other(record.position!, file);
    return record;
  }

  /** A page has all records of the log, and no other. */
  #compareMembership({ from, to, file }: WordsOfPage, positions: ReadonlySet<number>): void {
    for (let position = from; position <= to; position++)
      if (this.#known.logged.has(position) !== positions.has(position)) this.#other(position, file);
  }

  #other(position: number, file: string): void {
    this.#others.add(position);
    if (this.#others.size > this.#known.unsigned)
      throw wrong(file, `position ${position} must have what is signed, with its proof`);
  }
}

function wrong(file: string, message: string): GazetteError {
  return new GazetteError('invalid_proof', `${file}: ${message}`);
}

/** Whether what is given is a record, or the preview of it. */
function isPart(given: Readonly<Record<string, unknown>>, record: RegisterRecord, tiers: TierOptions): boolean {
  if (given.preview !== true) return isSame(record, given);
  // A text with a space is no address, and could say anything.
  if (/\s/.test(String(tiers.keysUrl))) return false;
  try {
    return isSame(tierRecord(record, 'public', false, tiers), given);
  } catch (cause) {
    if (isGazetteError(cause, 'invalid_option')) return false;
    throw cause;
  }
}

/** Whether a record is what is given. What was given may be nested beyond all stacks, or hold what has no canonical form. */
function isSame(record: RegisterRecord | RecordPreview, given: object): boolean {
  const text = canonicalJson(record as unknown as JsonValue);
  try {
    return canonicalJson(given as JsonValue) === text;
  } catch {
    return false;
  }
}
