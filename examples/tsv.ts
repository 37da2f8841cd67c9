// A format of one's own: tab-separated values, as media type text/tab-separated-values has them. Tabs and line feeds inside a
// value would be columns and lines, so they become spaces, which the report tells.
//
//     npx gazette export permits --format tsv --format-module examples/tsv.ts
import type { DocumentHead, Format, FormatOptions, Output, Page, RegisterRecord, Sink } from 'gazette';

/** The core fields that are columns; the register's own follow. */
const CORE = ['id', 'title', 'document_type', 'facility_id', 'published_at', 'observed_at', 'source_url'] as const;

/** The format. Handlers, the service, snapshots and the command line find it in this module by the name `format`. */
export const format: Format = {
  name: 'tsv',
  mediaType: 'text/tab-separated-values; charset=utf-8',
  extension: 'tsv',
  optionNames: [],
  open: (out, head, options) => new TsvSink(out, head, options),
};

class TsvSink implements Sink {
  readonly #out: Output;
  readonly #own: readonly string[];
  readonly #report: FormatOptions['report'];

  constructor(out: Output, { definition }: DocumentHead, options: FormatOptions | undefined) {
    this.#out = out;
    this.#own = definition.fields.map(({ name }) => name);
    this.#report = options?.report;
    out.text(`${[...CORE, ...this.#own].join('\t')}\n`);
  }

  write({ records }: Page): void {
    for (const record of records) this.#out.text(`${this.#line(record)}\n`);
  }

  close(): void {
    // A table has no end of its own.
  }

  #line(record: RegisterRecord): string {
    const values = [...CORE.map((name) => record[name]), ...this.#own.map((name) => record.data[name])];
    const texts = values.map((value) =>
      typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value),
    );
    const cells = texts.map((text) => text.replaceAll(/[\t\r\n]+/g, ' '));
    if (cells.some((cell, index) => cell !== texts[index])) this.#report?.add('replaced_characters', record.id);
    return cells.join('\t');
  }
}
