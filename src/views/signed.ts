// What is signed of the states of registers. A wing says it, where a service has one that signs.
import type { RecordSight } from './record-sights.ts';
import type { RegisterViews } from './registers.ts';

/** A signed state, as figures cite it. */
export interface CitedCheckpoint {
  readonly origin: string;
  readonly size: number;
  readonly root_hash: string;
}

/** The state of a register that was signed last. */
export interface SignedState {
  /** The last part of the name of its log, under which that is served. */
  readonly name: string;
  /** The log, as the API says it. @param url where its files are */
  readonly described: (url: string) => object;
  readonly cited: () => CitedCheckpoint;
}

/** Who asks for the proof of which version of a record. */
export interface ProofAsked {
  readonly registers: Pick<RegisterViews, 'history'>;
  /** Null: the newest one. */
  readonly version: number | null;
  /** What the reader sees of the record: salts follow the tiers. */
  readonly sight: Pick<RecordSight, 'view' | 'tier' | 'isWhole'>;
  /** The content versions of the record that the reader bought. */
  readonly owned: () => Promise<readonly number[]>;
}

/** The proof of a version. */
export interface ProvedVersionText {
  readonly version: number;
  readonly text: string;
  /** Whether it proves what the version says, and not only that it was recorded. */
  readonly hasWords: boolean;
}

/** What proves the records of a register, in one signed state. */
export interface SignedProofs {
  /** Another text as soon as one of the proofs is another one. */
  readonly state: string;
  /**
   * The proof of a version as a text, as far as its reader may have it; null: it is not signed yet, or not for this reader.
   *
   * @throws GazetteError `unknown_record`
   */
  of(recordId: string, asked: ProofAsked): Promise<ProvedVersionText | null>;
}

/** The signed states of registers. */
export interface SignedStates {
  /** Null: nothing of the register was signed yet. @throws GazetteError `unknown_feed` */
  of(feedId: string): Promise<SignedState | null>;
  /** What proves the records of a register now. Null: nothing of it was signed yet. @throws GazetteError `unknown_feed` */
  proving(feedId: string): Promise<SignedProofs | null>;
  /** The name of the log that lists the signed states of all registers; null while it is not signed. */
  list(): Promise<string | null>;
  /**
   * What proves the versions of successive changes, for those who may read them.
   *
   * @param since the change before the first one
   */
  proofs(feedId: string, since: number, count: number): Promise<readonly object[]>;
}
