// Records that a program gives as objects: no file is read, but they are held to what a file of JSON may have.
import { isIterable } from '../../checks.ts';
import { GazetteError, quote } from '../../errors.ts';
import { isPlain, kindOf } from '../../register/canonical-json.ts';
import { PAGE_SIZE } from '../../register/page.ts';
import { readSteps, throwIfAborted } from '../../register/sources/source.ts';
import type { Refuse } from './json-value.ts';
import {
  MAX_DEPTH,
  MAX_VALUE_LENGTH,
  MAX_VALUES,
  type RawBatch,
  type RawRecord,
  type RawValue,
  type RecordReader,
} from './raw-record.ts';
import type { TextReaderOptions } from './text/read-text.ts';

/** Records, and what messages call them all. */
export interface GivenRecords {
  readonly name: string;
  readonly records: Iterable<object> | AsyncIterable<object>;
}

/** @throws GazetteError `invalid_option` for records that are not iterable, and for options of files. */
export function givenReader(
  { name, records: given }: GivenRecords,
  options: TextReaderOptions & { readonly pick?: string },
): RecordReader {
  const { keepsFaults, pick, encoding } = options;
  const refuse = (option: string, reason: string): GazetteError =>
    new GazetteError('invalid_option', `${name}: ${reason}`, { details: { option } });
  if (!isIterable(given)) throw refuse('records', `records must be an iterable of objects, got ${quote(given)}`);
  if (pick !== undefined) throw refuse('pick', 'pick is for a file: these records are given as objects');
  if (encoding !== undefined) throw refuse('encoding', 'encoding is for a file: these records are given as objects');
  let isRead = false;
  const where = (at: number): string => `record ${at}`;
  const readRecord = (value: unknown, at: number): RawRecord => {
    const refuseRecord: Refuse = (reason) => {
      const details = { input: name, where: where(at) };
      return new GazetteError('invalid_input', `${name}: ${details.where}${reason}`, { details });
    };
    try {
      return { value: new Copy(refuseRecord).of(value, '', 0), at };
    } catch (fault) {
      if (keepsFaults !== true || !(fault instanceof GazetteError)) throw fault;
      return { value: null, at, fault };
    }
  };
  async function* read(signal: AbortSignal | undefined): AsyncGenerator<RawBatch, void, undefined> {
    let at = 0;
    let records: RawRecord[] = [];
    for await (const value of given) {
      throwIfAborted(signal);
      records.push(readRecord(value, at++));
      if (records.length < PAGE_SIZE) continue;
      yield { records, bytes: 0 };
      records = [];
    }
    if (records.length > 0) yield { records, bytes: 0 };
  }
  return {
    name,
    where,
    async *batches(signal) {
      if (isRead) throw refuse('records', 'its records were read before, which is possible once');
      isRead = true;
      yield* readSteps(signal, read(signal));
    },
  };
}

/** A copy of a record, because a program may use its object again for the next one. */
class Copy {
  readonly #refuse: Refuse;
  #values = 0;
  #length = 0;

  constructor(refuse: Refuse) {
    this.#refuse = refuse;
  }

  of(value: unknown, path: string, depth: number): RawValue {
    if (++this.#values > MAX_VALUES) throw this.#refuse(` has more than ${MAX_VALUES} values`);
    switch (typeof value) {
      case 'string':
        return this.#text(value, path);
      case 'boolean':
      case 'bigint':
        return value;
      case 'number':
        if (Number.isFinite(value)) return value;
        break;
      case 'object':
        if (value === null) return null;
        if (depth === MAX_DEPTH) throw this.#refuse(` is nested deeper than ${MAX_DEPTH} levels`);
        if (Array.isArray(value)) {
          return Array.from(value, (item, index) => this.of(item, `${path}[${index}]`, depth + 1));
        }
        // A record may be an instance of a class of the program's own.
        if (depth === 0 || isPlain(value)) return this.#object(value, path, depth);
        break;
      default:
    }
    throw this.#refuse(`${path === '' ? '' : `, ${path}`}: a JSON value is expected, got ${kindOf(value)}`);
  }

  #object(object: object, path: string, depth: number): RawValue {
    const entries = Object.entries(object).flatMap(([name, value]: [string, unknown]) => {
      const inner = path === '' ? name : `${path}.${name}`;
      return value === undefined ? [] : [[this.#text(name, inner), this.of(value, inner, depth + 1)] as const];
    });
    return Object.fromEntries(entries);
  }

  #text(text: string, path: string): string {
    this.#length += text.length;
    if (this.#length > MAX_VALUE_LENGTH) throw this.#refuse(` is longer than ${MAX_VALUE_LENGTH} characters`);
    if (!text.isWellFormed()) throw this.#refuse(`, ${path}: half a surrogate pair is no text`);
    return text;
  }
}
