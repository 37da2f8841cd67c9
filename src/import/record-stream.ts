// A publisher's file as a register that can be read once: checked records, in pages, with a check for duplicate ids.
import { type Page, PAGE_SIZE } from '../register/page.ts';
import type { RegisterDefinition, RegisterRecord } from '../register/record.ts';
import { IdSet } from '../register/sources/id-set.ts';
import type { RegisterStream } from '../register/sources/source.ts';
import { toDateTime } from '../register/time.ts';
import { duplicateId } from './duplicate-id.ts';
import type { IngestNotes } from './mapping/record-map.ts';
import { type OpenedRecords, openRecords, type RecordStreamOptions } from './opened-records.ts';
import type { RecordReader } from './readers/raw-record.ts';

/** A register read from a file. Its pages can be read once. Close it if it was never read. */
export interface RecordStream extends RegisterStream {
  pages(options?: { readonly signal?: AbortSignal }): AsyncGenerator<Page, void, undefined>;
  /** When the records were observed, if the options say so, RFC 3339; null if they do not. */
  lastChange(): string | null;
  /** The current report; complete once the last page was read. */
  notes(): IngestNotes;
  /** Closes the file. Harmless after the last page. */
  close(): Promise<void>;
}

/**
 * Opens a file's records as a {@link RegisterStream}: pages of 100, newest first only if the file is, positions null.
 *
 * @throws GazetteError the errors of `openRecords`. From `pages()`: `invalid_record`, `duplicate_id` naming both
 *   places, `invalid_option` when read again.
 * @example const stream = await openRecordStream(ndjsonReader(source), { observedAt: '2026-01-01' });
 */
export async function openRecordStream(reader: RecordReader, options: RecordStreamOptions): Promise<RecordStream> {
  return new OpenedStream(await openRecords(reader, options), options.observedAt ?? null);
}

class OpenedStream implements RecordStream {
  readonly definition: RegisterDefinition;
  readonly #opened: OpenedRecords;
  readonly #observedAt: string | null;

  constructor(opened: OpenedRecords, observedAt: string | null) {
    this.definition = opened.plan.definition;
    this.#opened = opened;
    this.#observedAt = observedAt;
  }

  async *pages(options: { readonly signal?: AbortSignal } = {}): AsyncGenerator<Page, void, undefined> {
    const { map, plan } = this.#opened;
    const ids = new IdSet();
    let page: RegisterRecord[] = [];
    let offset = 0;
    for await (const batch of this.#opened.batches(options.signal)) {
      for (const raw of batch.records) {
        // Only when another record follows is it known that the page is not the last.
        if (page.length === PAGE_SIZE) {
          offset += page.length;
          yield { records: page, nextOffset: offset, asOf: null };
          page = [];
        }
        try {
          const record = map.toRecord(raw, null);
          const earlier = ids.add(record.id, raw.at);
          if (earlier !== null) throw duplicateId(record.id, plan.reader, raw.at, earlier);
          page.push(record);
        } catch (error) {
          await this.#opened.refuse(raw.at, error, raw.value);
        }
      }
    }
    yield { records: page, nextOffset: null, asOf: null };
  }

  lastChange(): string | null {
    return this.#observedAt === null ? null : toDateTime(this.#observedAt);
  }

  notes(): IngestNotes {
    return this.#opened.notes();
  }

  async close(): Promise<void> {
    await this.#opened.close();
  }
}
