// A register as plain arrays, written from the stores' promises (stores/contract/registers.ts) and sharing no code with
// them: what any sequence of writes must leave behind. It knows only records that differ in their two tags.
import type { Filter } from '../../src/register/finding/filter.ts';
import { decodeKey } from '../../src/register/identity.ts';
import type { Page } from '../../src/register/page.ts';
import type { RecordVersion, RegisterRecord } from '../../src/register/record.ts';
import type { BatchResult, StoredRecord, WithdrawResult } from '../../src/stores/contract/registers.ts';
import type { PublishedRecord } from '../../src/stores/contract/prepared-record.ts';

interface Kept {
  readonly id: string;
  readonly position: number;
  state: StoredRecord['state'];
  version: number;
  updatedAt: string;
  readonly observedAt: string;
  said: PublishedRecord;
}

/** One register; the methods are named and answer as the store's do. */
export class RegisterModel {
  readonly #feedId: string;
  readonly #records: Kept[] = [];
  #log: RecordVersion[] = [];

  constructor(feedId: string) {
    this.#feedId = feedId;
  }

  apply(batch: readonly PublishedRecord[], recordedAt: string): BatchResult {
    const counts = { added: 0, changed: 0, unchanged: 0, restored: 0, redacted: 0 };
    for (const said of batch) {
      const kept = this.#find(said.id);
      if (kept === undefined) {
        const position = this.#records.length + 1;
        const first: Kept = {
          id: said.id,
          position,
          state: 'live',
          version: 0,
          updatedAt: recordedAt,
          observedAt: recordedAt,
          said,
        };
        this.#records.push(first);
        this.#note(first, 'first_observed', [], recordedAt);
        counts.added++;
      } else if (kept.state === 'redacted') {
        counts.redacted++;
      } else {
        const changed = (['document_type', 'facility_id'] as const).filter((name) => kept.said[name] !== said[name]);
        const wasWithdrawn = kept.state === 'withdrawn';
        if (changed.length === 0 && !wasWithdrawn) {
          counts.unchanged++;
          continue;
        }
        kept.said = said;
        kept.state = 'live';
        this.#note(kept, wasWithdrawn ? 'restored' : 'source_change', changed, recordedAt);
        counts[wasWithdrawn ? 'restored' : 'changed']++;
      }
    }
    return counts;
  }

  withdraw(id: string, recordedAt: string): WithdrawResult | 'unknown_record' {
    const kept = this.#find(id);
    if (kept === undefined) return 'unknown_record';
    if (kept.state !== 'live') return { withdrawn: 0, unchanged: 1 };
    kept.state = 'withdrawn';
    this.#note(kept, 'withdrawn', [], recordedAt);
    return { withdrawn: 1, unchanged: 0 };
  }

  redact(id: string, recordedAt: string): boolean | 'unknown_record' {
    const kept = this.#find(id);
    if (kept === undefined) return 'unknown_record';
    if (kept.state === 'redacted') return false;
    kept.state = 'redacted';
    this.#note(kept, 'redacted', [], recordedAt);
    this.#log = this.#log.map((entry) => (entry.record_id === id ? { ...entry, changed: [], record: null } : entry));
    return true;
  }

  /** What `register()` says besides definition and order. */
  entry(): object {
    const live = this.#records.filter(({ state }) => state === 'live');
    return {
      top: this.#records.length,
      change: this.#log.length,
      total: live.length,
      lastChange: this.#log.at(-1)?.recorded_at ?? null,
    };
  }

  /** What `values.list()` says of a field. */
  values(field: 'document_type' | 'facility_id'): readonly object[] {
    const live = this.#records.filter(({ state, said }) => state === 'live' && said[field] !== null);
    const counts = [...Map.groupBy(live, ({ said }) => said[field]!)].map(([value, { length }]) => ({
      value,
      records: length,
    }));
    return counts.sort((a, b) => b.records - a.records || (a.value < b.value ? -1 : 1));
  }

  /** All pages of a walk through what is live and matches. */
  walk(limit: number, filter: Filter): Page[] {
    const asOf = this.#records.length;
    const matching = this.#records.filter(
      ({ state, said }) =>
        state === 'live' && (filter.document_type === undefined || said.document_type === filter.document_type),
    );
    const left = matching.reverse();
    const pages: Page[] = [];
    do {
      const records = left.splice(0, limit);
      const nextOffset = left.length === 0 ? null : this.#records.length - records.at(-1)!.position + 1;
      pages.push({ records: records.map(recordOf), nextOffset, asOf });
    } while (left.length > 0);
    return pages;
  }

  changes(): readonly RecordVersion[] {
    return this.#log;
  }

  ids(): readonly object[] {
    const live = this.#records.filter(({ state }) => state === 'live');
    return live.map(({ id, position }) => ({ id, position, key: null })).reverse();
  }

  record(id: string): StoredRecord | null {
    const kept = this.#find(id);
    if (kept === undefined) return null;
    const { position, version, state } = kept;
    return { id, feedId: this.#feedId, position, version, state, record: state === 'redacted' ? null : recordOf(kept) };
  }

  history(id: string): readonly RecordVersion[] | null {
    if (this.#find(id) === undefined) return null;
    return this.#log.filter(({ record_id }) => record_id === id).reverse();
  }

  #find(id: string): Kept | undefined {
    return this.#records.find((kept) => kept.id === id);
  }

  #note(kept: Kept, cause: RecordVersion['cause'], changed: readonly string[], recordedAt: string): void {
    kept.version++;
    kept.updatedAt = recordedAt;
    this.#log.push({
      feed_id: this.#feedId,
      record_id: kept.id,
      position: kept.position,
      version: kept.version,
      change: this.#log.length + 1,
      cause,
      recorded_at: recordedAt,
      changed,
      record: recordOf(kept),
    });
  }
}

function recordOf({ said, position, version, updatedAt, observedAt }: Kept): RegisterRecord {
  const key = decodeKey(said.id.slice(said.feed_id.length + 1))!;
  return { ...said, key, observed_at: said.observed_at ?? observedAt, updated_at: updatedAt, version, position };
}
