// Apache Parquet, on hyparquet-writer (optional peer): a column for each field, of its type, in row groups of bounded size,
// newest first. For whole registers: pages of a hundred records are no use in this format.
import type { ByteWriter, ColumnSource, ParquetWriter } from 'hyparquet-writer';
import { canonicalJson } from '../../register/canonical-json.ts';
import { columnsOf } from '../../register/finding/chosen-fields.ts';
import type { Page } from '../../register/page.ts';
import type { RegisterRecord } from '../../register/record.ts';
import { VERSION } from '../../version.ts';
import { checkCoreFields, checkLastChange } from '../check-value.ts';
import type { DocumentHead, Format, Output, Sink } from '../format.ts';
import type { Report } from '../report.ts';
import { type Column, columnOf, elementOf, EXACT } from './columns.ts';
import { installedVersion, loadPackage } from './package.ts';

/** The most records of a row group, and of UTF-16 units in its texts: it is in memory until it is written. */
const GROUP_RECORDS = 5_000;
const GROUP_LENGTH = 4_194_304;

/** The most bytes of a text among a group's smallest and largest values. */
const BOUND_LENGTH = 32;

/**
 * The Parquet writer. It writes no chunk between two row groups.
 *
 * @throws GazetteError `invalid_record` and `missing_peer` from `write()`
 */
export const parquet: Format = {
  name: 'parquet',
  mediaType: 'application/vnd.apache.parquet',
  extension: 'parquet',
  get encoderVersion() {
    const version = installedVersion();
    return version === null ? null : `${VERSION}, hyparquet-writer ${version}`;
  },
  optionNames: [],
  takesFields: true,
  open: (out, head, options) => new ParquetSink(out, head, options?.report),
};

/** Whether Parquet can be written here. */
export function canWriteParquet(): boolean {
  return installedVersion() !== null;
}

/** An escape that canonical JSON has for lone surrogates alone, behind whole escapes of backslashes. */
const LONE = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/** A text with U+FFFD for each lone surrogate: in JSON, too, where readers refuse a whole file for one. */
function wellFormed(text: string, { element }: Column): string {
  return element.converted_type === 'JSON' ? text.replace(LONE, '$1\ufffd') : text.toWellFormed();
}

/** The writer of the package, and what it writes into. */
interface OpenFile {
  readonly writer: ParquetWriter;
  readonly bytes: ByteWriter;
}

class ParquetSink implements Sink {
  readonly #out: Output;
  readonly #head: DocumentHead;
  readonly #report: Report | undefined;
  readonly #columns: readonly Column[];
  /** Values of the row group, for each column and, at the end, what columns do not hold. */
  #values: unknown[][];
  #records = 0;
  #length = 0;
  /** Made with the first page: the package is loaded for it. */
  #file: OpenFile | undefined;

  constructor(out: Output, head: DocumentHead, report: Report | undefined) {
    checkLastChange(head);
    this.#out = out;
    this.#head = head;
    this.#report = report;
    this.#columns = columnsOf(head.definition, head.fields).map(columnOf);
    this.#values = this.#emptyGroup();
  }

  async write(page: Page): Promise<void> {
    this.#file ??= await this.#begin();
    for (const record of page.records) this.#add(record);
  }

  async close(): Promise<void> {
    this.#file ??= await this.#begin();
    this.#endGroup();
    const { writer } = this.#file;
    // Texts of JSON are written as they are, and called JSON only here: the package would make them anew.
    writer.schema = this.#schema();
    void writer.finish();
    this.#handOver();
  }

  async #begin(): Promise<OpenFile> {
    const { ByteWriter, ParquetWriter } = await loadPackage();
    const bytes = new ByteWriter();
    const schema = this.#schema().map((element) =>
      element.converted_type === 'JSON' ? elementOf(element.name, 'text') : element,
    );
    const writer = new ParquetWriter({
      writer: bytes,
      schema,
      statisticsTruncateLength: BOUND_LENGTH,
      kvMetadata: this.#about(),
      createdBy: `gazette version ${VERSION}`,
    });
    this.#file = { writer, bytes };
    this.#handOver();
    return this.#file;
  }

  #add(record: RegisterRecord): void {
    checkCoreFields(record);
    const exact: Record<string, string> = {};
    const keep = (name: string, text: string): void => {
      exact[name] = text;
    };
    let isReplaced = false;
    for (const [at, column] of this.#columns.entries()) {
      let value = column.value(record, keep);
      if (typeof value === 'string') {
        this.#length += value.length;
        const written = wellFormed(value, column);
        if (written !== value) isReplaced = true;
        value = written;
      }
      this.#values[at]!.push(value);
    }
    this.#values.at(-1)!.push(Object.keys(exact).length === 0 ? null : canonicalJson(exact));
    if (isReplaced) this.#report?.add('replaced_characters', record.id);
    if (++this.#records === GROUP_RECORDS || this.#length >= GROUP_LENGTH) this.#endGroup();
  }

  #endGroup(): void {
    if (this.#records === 0) return;
    const columnData = this.#schema()
      .slice(1)
      .map(({ name, converted_type }, at): ColumnSource => {
        // The smallest and largest text of JSON would stand in the file whole.
        return { name, data: this.#values[at]!, statistics: converted_type !== 'JSON' };
      });
    void this.#file!.writer.write({ columnData, rowGroupSize: this.#records });
    this.#handOver();
    this.#values = this.#emptyGroup();
    this.#records = 0;
    this.#length = 0;
  }

  /** Gives what was written to the output. */
  #handOver(): void {
    const { bytes } = this.#file!;
    this.#out.bytes(new Uint8Array(bytes.getBuffer()));
    bytes.index = 0;
  }

  #emptyGroup(): unknown[][] {
    return [...this.#columns, EXACT].map(() => []);
  }

  #schema(): ParquetWriter['schema'] {
    const elements = [...this.#columns.map(({ element }) => element), elementOf(EXACT, 'json')];
    return [{ name: 'register', num_children: elements.length }, ...elements];
  }

  /** What the file says of the register. */
  #about(): { key: string; value: string }[] {
    const { definition, lastChange, links } = this.#head;
    const { title, description, language, author, rights } = definition;
    const about = { title, description, language, author, rights, last_change: lastChange, source: links?.self };
    return Object.entries(about).flatMap(([key, value]) =>
      typeof value === 'string' && value !== '' ? [{ key, value: value.toWellFormed() }] : [],
    );
  }
}
