// NDJSON: one JSON record per line, with its nested values (RFC 8259; ndjson.org). For files and pipes; over HTTP the
// list endpoint has the same records. A lone surrogate keeps its JSON escape, so this format loses no character.
import { columnsOf, isCoreField } from '../register/finding/chosen-fields.ts';
import type { Page } from '../register/page.ts';
import {
  coreValues,
  type Field,
  recordOfValues,
  type RegisterDefinition,
  type RegisterRecord,
} from '../register/record.ts';
import type { ByteRows } from '../register/sources/byte-rows.ts';
import { NdjsonRows } from './rows/ndjson-rows.ts';
import { checkCoreFields, ownJson } from './check-value.ts';
import type { DocumentHead, Format, FormatOptions, Output, Sink } from './format.ts';
import type { Report } from './report.ts';
import { VERSION } from '../version.ts';

/**
 * The NDJSON writer. Every line has the same members: the core fields, then `data` with exactly the definition's
 * fields, null where a record lacks one. NaN and the infinities become texts, which the report counts. An empty
 * register is an empty file.
 *
 * @throws GazetteError `invalid_record` from `write()`, naming the record and the field.
 * @example for await (const chunk of encode(pages(source), ndjson, head)) process.stdout.write(chunk);
 */
export const ndjson: Format = {
  name: 'ndjson',
  mediaType: 'application/x-ndjson',
  extension: 'ndjson',
  encoderVersion: VERSION,
  optionNames: [],
  takesFields: true,
  takesRows: true,
  open: (out, head, options) => new NdjsonSink(out, head, options),
};

class NdjsonSink implements Sink {
  readonly #out: Output;
  readonly #report: Report | undefined;
  /** The definition's fields, each with the start of its member as text. */
  readonly #members: readonly { readonly field: Field; readonly start: string }[];
  readonly #definition: RegisterDefinition;
  /** Made when rows come: pages need none. */
  #rows: NdjsonRows | undefined;
  /** The columns that were asked for; null: all. */
  readonly #chosen: readonly Field[] | null;

  constructor(out: Output, head: DocumentHead, options: FormatOptions | undefined) {
    this.#out = out;
    this.#report = options?.report;
    this.#definition = head.definition;
    this.#chosen = head.fields === undefined ? null : columnsOf(head.definition, head.fields);
    this.#members = head.definition.fields.map((field, index) => ({
      field,
      start: `${index === 0 ? '' : ','}${JSON.stringify(field.name)}:`,
    }));
  }

  write(page: Page): void {
    for (const record of page.records) {
      this.#out.text(this.#chosen === null ? this.#line(record) : this.#lineOf(record, this.#chosen));
    }
  }

  writeRows(rows: ByteRows, from: number): number {
    this.#rows ??= new NdjsonRows(this.#definition);
    return this.#rows.write(this.#out, rows, from);
  }

  close(): void {
    // NDJSON has nothing after the last line.
  }

  #line(record: RegisterRecord): string {
    checkCoreFields(record);
    // `…"data":{}}` without its end.
    let line = JSON.stringify(recordOfValues(coreValues(record), {})).slice(0, -2);
    for (const { field, start } of this.#members) line += start + ownJson(record, field, this.#report);
    return `${line}}}\n`;
  }

  /** The line of some fields: own ones in `data`, which comes where the first of them does. */
  #lineOf(record: RegisterRecord, fields: readonly Field[]): string {
    checkCoreFields(record);
    const own = fields.filter((field) => !isCoreField(field));
    const members = fields.flatMap((field) => {
      if (isCoreField(field)) return [`${JSON.stringify(field.name)}:${JSON.stringify(record[field.name])}`];
      if (field !== own[0]) return [];
      return [
        `"data":{${own.map((one) => `${JSON.stringify(one.name)}:${ownJson(record, one, this.#report)}`).join(',')}}`,
      ];
    });
    return `{${members.join(',')}}\n`;
  }
}
