// The reference CSV writer, on csv-stringify (optional peer). It writes the native writer's dialect, cell for cell, and
// accepts that package's own options.
import { type Options as StringifyOptions, stringify } from 'csv-stringify/sync';
import type { Page } from '../../register/page.ts';
import { columnsOf } from '../../register/finding/chosen-fields.ts';
import type { Field } from '../../register/record.ts';
import { type Cell, cellsOf, withoutNul } from '../cell.ts';
import { csv } from '../csv.ts';
import { csvDialect, type CsvOptions } from '../csv-dialect.ts';
import type { DocumentHead, Format, Output, Sink } from '../format.ts';
import { guardCell } from '../formula-guard.ts';
import type { Report } from '../report.ts';

/** The native writer's dialect, and further options of csv-stringify. */
export interface ReferenceCsvOptions extends CsvOptions {
  /**
   * Options of csv-stringify, which override those that gazette sets. The caller is responsible for the resulting file.
   */
  readonly stringify?: Readonly<Record<string, unknown>>;
}

/** The CSV writer on csv-stringify. @throws GazetteError `invalid_option` from `open()`. */
export const referenceCsv: Format<ReferenceCsvOptions> = {
  ...csv,
  encoderVersion: null,
  optionNames: [...csv.optionNames!, 'stringify'],
  open: (out, head, options) => new ReferenceCsvSink(out, head, options),
};

class ReferenceCsvSink implements Sink {
  readonly #out: Output;
  readonly #head: DocumentHead;
  readonly #fields: readonly Field[];
  readonly #report: Report | undefined;
  readonly #guarded: boolean;
  readonly #options: StringifyOptions;

  constructor(out: Output, head: DocumentHead, options: ReferenceCsvOptions | undefined) {
    const { bom, formulas, delimiter, record_delimiter, quoted } = csvDialect(options);
    this.#out = out;
    this.#head = head;
    this.#fields = columnsOf(head.definition, head.fields);
    this.#report = options?.report;
    this.#guarded = formulas === 'guard';
    this.#options = {
      delimiter,
      record_delimiter,
      quoted,
      // The empty string must differ from null; and when record_delimiter is set, the package no longer quotes a lone
      // CR or LF.
      quoted_match: /^$|[\r\n]/,
      cast: { boolean: String },
      ...options?.stringify,
    };
    out.text(`${bom ? '\ufeff' : ''}${this.#lines([this.#fields.map(({ name }) => name)])}`);
  }

  write(page: Page): void {
    const rows: Cell[][] = [];
    for (const record of page.records) {
      const given = cellsOf(this.#head.definition, record, this.#fields);
      const row = given.map((cell) => (typeof cell === 'string' ? withoutNul(cell) : cell));
      rows.push(row);
      if (given.some((cell, at) => typeof cell === 'string' && (cell !== row[at] || !cell.isWellFormed()))) {
        this.#report?.add('replaced_characters', record.id);
      }
    }
    this.#out.text(this.#lines(rows));
  }

  close(): void {
    // The header and every record end with their own line end.
  }

  #lines(rows: readonly (readonly Cell[])[]): string {
    // escape_formulas knows neither LF nor texts that already begin with an apostrophe, so its result could not be
    // reversed.
    const guarded = this.#guarded ? rows.map((row) => row.map((cell, index) => this.#guard(cell, index))) : rows;
    return stringify(guarded as Cell[][], this.#options);
  }

  #guard(cell: Cell, index: number): Cell {
    return typeof cell === 'string' ? guardCell(this.#fields[index]!.type, cell) : cell;
  }
}
