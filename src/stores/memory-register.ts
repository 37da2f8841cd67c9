// One register of a MemoryStore: its records by position, its log by change number, and the contents that were replaced,
// all in the columns of the stores on disk.
import type { Page, PageQuery } from '../register/page.ts';
import type { RecordVersion, RegisterRecord, VersionCause } from '../register/record.ts';
import { contentsNeeded, type NewContent, planBatch, type Step } from './logic/batch.ts';
import {
  changedText,
  columnText,
  CONTENT_AT,
  CONTENT_COLUMNS,
  type KnownRecord,
  recordOf,
  type SqlRow,
  storedContentOf,
  versionOf,
} from './rows/columns.ts';
import {
  changesPageOf,
  checkRecordedAt,
  checkRoom,
  laterOf,
  pageOf,
  rangeOf,
  type RegisterRow,
  unknownRecord,
} from './rows/register.ts';
import { prepareBatch } from './rows/prepare.ts';
import type { Batch } from './contract/prepared-record.ts';
import type {
  ApplyOptions,
  BatchResult,
  ChangesPage,
  StoredRecord,
  WithdrawResult,
  WriteOptions,
} from './contract/registers.ts';

/** A record as it stands. */
interface MemoryRecord extends KnownRecord {
  readonly id: string;
  readonly updatedAt: string;
  /** Null once erased. */
  readonly content: SqlRow | null;
}

/** A row of the log, without its content. */
interface LogRow extends Pick<KnownRecord, 'position' | 'version' | 'contentVersion' | 'digest'> {
  readonly cause: VersionCause;
  readonly recordedAt: string;
  readonly changed: string | null;
}

/** A content's row once it was erased. */
const ERASED: SqlRow = CONTENT_COLUMNS.map(() => null);

/** A register in memory. Every write is done whole or not at all: it is planned first, and its steps cannot fail. */
export class MemoryRegister {
  readonly #feedId: string;
  #head: RegisterRow;
  /** By position − 1. */
  readonly #records: MemoryRecord[] = [];
  readonly #positions = new Map<string, number>();
  /** By change number − 1. */
  readonly #log: LogRow[] = [];
  /** Replaced contents, by position and the version they came with. */
  readonly #replaced = new Map<string, SqlRow>();

  constructor(feedId: string, head: RegisterRow) {
    this.#feedId = feedId;
    this.#head = head;
  }

  get head(): RegisterRow {
    return this.#head;
  }

  set(head: Partial<RegisterRow>): void {
    this.#head = { ...this.#head, ...head };
  }

  page(query: PageQuery): Page {
    const { asOf, from } = rangeOf(query, this.#head.top);
    const type = query.filter?.documentType;
    const facility = query.filter?.facilityId;
    const typeColumn = type === undefined ? undefined : columnText(type);
    const facilityColumn = facility === undefined ? undefined : columnText(facility);
    const found: RegisterRecord[] = [];
    for (let position = from; position > 0 && found.length <= query.limit; position--) {
      const record = this.#records[position - 1]!;
      if (record.state !== 'live' || record.content === null) continue;
      if (typeColumn !== undefined && record.content[CONTENT_AT.documentType] !== typeColumn) continue;
      if (facilityColumn !== undefined && record.content[CONTENT_AT.facilityId] !== facilityColumn) continue;
      found.push(this.#current(record, record.content));
    }
    return pageOf(found, query, asOf);
  }

  record(id: string): StoredRecord | null {
    const record = this.#find(id);
    if (record === undefined) return null;
    const { position, version, state, content } = record;
    const current = content === null ? null : this.#current(record, content);
    return { id, feedId: this.#feedId, position, version, state, record: current };
  }

  history(id: string, offset: number, limit: number): readonly RecordVersion[] | null {
    const record = this.#find(id);
    if (record === undefined) return null;
    const versions: RecordVersion[] = [];
    let passed = 0;
    for (let change = this.#log.length; change > 0 && versions.length < limit; change--) {
      if (this.#log[change - 1]!.position === record.position && passed++ >= offset)
        versions.push(this.#version(change));
    }
    return versions;
  }

  changes(since: number, limit: number): ChangesPage {
    const end = Math.min(since + limit + 1, this.#head.change);
    const versions: RecordVersion[] = [];
    for (let change = since + 1; change <= end; change++) versions.push(this.#version(change));
    return changesPageOf(versions, since, limit);
  }

  ids(below: number, limit: number): { readonly id: string; readonly position: number }[] {
    const found: { readonly id: string; readonly position: number }[] = [];
    for (let position = Math.min(below - 1, this.#head.top); position > 0 && found.length < limit; position--) {
      const { id, state } = this.#records[position - 1]!;
      if (state === 'live') found.push({ id, position });
    }
    return found;
  }

  apply(batch: Batch, options: ApplyOptions): BatchResult {
    checkRecordedAt(options.recordedAt);
    const prepared = prepareBatch(this.#feedId, batch);
    const known = new Map<string, MemoryRecord>();
    for (const { id } of batch) {
      const record = this.#find(id);
      if (record !== undefined) known.set(id, record);
    }
    const contents = [...contentsNeeded(prepared, known).keys()].map((id) => {
      return [id, storedContentOf(this.#feedId, [id, ...known.get(id)!.content!], 0, 1)] as const;
    });
    const { steps, result } = planBatch(prepared, known, new Map(contents), options);
    checkRoom(this.#feedId, { top: this.#head.top + result.added, change: this.#head.change + steps.length });
    if (options.dryRun !== true) for (const step of steps) this.#take(step, options.recordedAt);
    return result;
  }

  withdraw(ids: readonly string[], options: WriteOptions): WithdrawResult {
    checkRecordedAt(options.recordedAt);
    const records = [...new Set(ids)].map((id) => {
      const record = this.#find(id);
      if (record === undefined) throw unknownRecord(id);
      return record;
    });
    const live = records.filter(({ state }) => state === 'live');
    checkRoom(this.#feedId, { top: this.#head.top, change: this.#head.change + live.length });
    if (options.dryRun !== true) for (const record of live) this.#withdraw(record, 'withdrawn', options.recordedAt);
    return { withdrawn: live.length, unchanged: ids.length - live.length };
  }

  redact(id: string, recordedAt: string): boolean {
    checkRecordedAt(recordedAt);
    const record = this.#find(id);
    if (record === undefined) throw unknownRecord(id);
    if (record.state === 'redacted') return false;
    checkRoom(this.#feedId, { top: this.#head.top, change: this.#head.change + 1 });
    for (const key of [...this.#replaced.keys()]) {
      if (key.startsWith(`${record.position}.`)) this.#replaced.delete(key);
    }
    // Names of fields may tell something too.
    this.#log.forEach((row, index) => {
      if (row.position === record.position) this.#log[index] = { ...row, changed: null };
    });
    this.#withdraw({ ...record, content: null }, 'redacted', recordedAt);
    return true;
  }

  #find(id: string): MemoryRecord | undefined {
    const position = this.#positions.get(id);
    return position === undefined ? undefined : this.#records[position - 1];
  }

  #current({ id, position, version, updatedAt }: MemoryRecord, content: SqlRow): RegisterRecord {
    return recordOf(this.#feedId, [position, id, version, updatedAt, ...content]);
  }

  #version(change: number): RecordVersion {
    const { position, version, contentVersion, cause, recordedAt, changed, digest } = this.#log[change - 1]!;
    const record = this.#records[position - 1]!;
    const content =
      contentVersion === record.contentVersion ? record.content : this.#replaced.get(`${position}.${contentVersion}`);
    const row = [change, position, version, cause, recordedAt, changed, digest, record.id];
    return versionOf(this.#feedId, [...row, ...(content ?? ERASED)]);
  }

  #take(step: Step, recordedAt: string): void {
    if (step.kind === 'add') {
      const { id } = step.content;
      const position = this.#head.top + 1;
      this.set({ top: position });
      this.#positions.set(id, position);
      this.#put({ id, position, version: 1, contentVersion: 1, state: 'live' }, step, step.content, recordedAt);
      return;
    }
    const before = this.#records[step.known.position - 1]!;
    const version = before.version + 1;
    if (step.content === null) {
      this.#write({ ...before, version, state: 'live', updatedAt: recordedAt }, step);
      return;
    }
    this.#replaced.set(`${before.position}.${before.contentVersion}`, before.content!);
    this.#put({ ...before, version, contentVersion: version, state: 'live' }, step, step.content, recordedAt);
  }

  #put(
    record: Omit<MemoryRecord, 'content' | 'digest' | 'updatedAt'>,
    why: Pick<Step, 'cause' | 'changed'>,
    content: NewContent,
    updatedAt: string,
  ): void {
    this.#write({ ...record, updatedAt, digest: content.digest, content: content.values }, why);
  }

  #withdraw(record: MemoryRecord, state: 'withdrawn' | 'redacted', recordedAt: string): void {
    const why = { cause: 'withdrawn', changed: [] } as const;
    this.#write({ ...record, version: record.version + 1, state, updatedAt: recordedAt }, why);
  }

  /** Puts a record's next version in its place and into the log. */
  #write(record: MemoryRecord, { cause, changed }: Pick<Step, 'cause' | 'changed'>): void {
    const wasLive = this.#records[record.position - 1]?.state === 'live';
    this.#records[record.position - 1] = record;
    this.#log.push({ ...record, cause, recordedAt: record.updatedAt, changed: changedText(changed) });
    this.set({
      change: this.#log.length,
      live: this.#head.live + Number(record.state === 'live') - Number(wasLive),
      lastChange: laterOf(this.#head.lastChange, record.updatedAt),
    });
  }
}
