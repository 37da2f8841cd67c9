// The interface of what people did to single records, and what outlives imports because of it: a record whose current version was
// made by hand, or by an undo, is not changed by a file unless somebody says so.
import type { UnderLease } from '../leases.ts';
import type { PreparedRecord, PublishedRecord, RecordComparison } from '../prepared-record.ts';

/** What the source says of a record. */
export interface SourceSays {
  readonly id: string;
  /** Null: nothing, it lacks the record. */
  readonly record: PreparedRecord | null;
}

/** A record as work by hand, or a renumbering, begins with it. */
export interface RecordAsStated {
  readonly state: 'live' | 'withdrawn' | 'redacted';
  /** The number of its latest version. */
  readonly version: number;
  /** What it states, or last stated. Null: it was erased. */
  readonly statement: PublishedRecord | null;
  /** The versions by which a hand made it what it is, newest first. What an undo gave back is what it was before the import that was taken back. */
  readonly byHand: readonly number[];
}

/** What becomes of a record that is as somebody set it by hand, where a file says something else. */
export type HandFate = NonNullable<RecordComparison['byHand']>;

/** Work by hand, in a store. */
export interface ByHandStore {
  /** The numbers of the imports of a register that were made by hand, or took others back. @throws GazetteError `unknown_feed` */
  numbers(feedId: string): Promise<ReadonlySet<number>>;

  /** Records, as far as there are any. */
  find(recordIds: readonly string[]): Promise<ReadonlyMap<string, RecordAsStated>>;

  /** Of live records that a file lacks: those that are as somebody set them. */
  absent(feedId: string, ids: readonly string[]): Promise<ReadonlyMap<string, HandFate>>;

  /**
   * Remembers that records stay as they are set by hand although their source says this. It holds until a file changes
   * them, and again once that is taken back. Of what the source says an HMAC is kept, which nobody can confirm a guess with who has
   * not the register's secret.
   *
   * @param says each record once
   * @throws GazetteError `unknown_feed`, `import_superseded`
   */
  keep(feedId: string, says: readonly SourceSays[], under?: UnderLease): Promise<void>;
}
