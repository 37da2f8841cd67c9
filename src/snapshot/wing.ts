// What a wing adds to a snapshot: files of what it signs of the registers. The core knows what is said here, and no log.
import type { PagePlace } from '../archive/layout.ts';
import type { GazetteError } from '../errors.ts';
import type { RegisterRecord } from '../register/record.ts';
import type { Tier } from '../register/tier.ts';
import type { ServiceStore } from '../stores/contract/accounts.ts';
import type { RegisterEntry, RegisterStore } from '../stores/contract/registers.ts';
import type { FolderSearch, Frame } from '../templates/layout.ts';
import type { ManifestHead, RootHead } from './folder/manifest.ts';
import type { SnapshotFolder } from './folder/writer.ts';
import type { RenderedFile } from './pages/render.ts';

/** A store of registers and, as every store of `gazette/stores` has it, what signs them. */
export interface SnapshotStore extends RegisterStore {
  /** Absent: nothing is signed. @internal */
  readonly part?: ServiceStore['part'];
}

/** The folder of a register or the root, as far as its signed files are concerned. */
export type SignedPlace = Pick<
  SnapshotFolder<ManifestHead & { readonly checkpoint?: string }>,
  'previous' | 'begunNames' | 'isKnown' | 'keep' | 'put'
>;

/** The signed state of a register. */
export interface SignedRegister {
  /** Begins with the name of the register's log: a register of the same name may have taken its place. */
  readonly uuid: string;
  readonly checkpoint: string;
  /** What proves the records of its pages. @param tier of the snapshot; null: its readers get nothing that does */
  proofs(entry: Pick<RegisterEntry, 'definition' | 'log'>, tier: Tier): PageProofs | null;
  /**
   * Finds what there is to write.
   *
   * @param hasEntries whether the readers of the snapshot get the entries
   * @returns writes it, the checkpoint last: gives the names of all its files, for the manifest
   * @throws GazetteError `log_contradicted`; errors of the store
   */
  plan(
    place: SignedPlace,
    hasEntries: boolean,
  ): Promise<(signal: AbortSignal | undefined) => Promise<readonly string[]>>;
}

/** The files beside pages that prove what their records say. */
export interface PageProofs {
  /** Whether each closed page has one, and not the newest page alone. */
  readonly areOnClosed: boolean;
  /**
   * The file beside a page, and of how many records it has a line.
   *
   * @param shown the records that the page shows whole, in its order
   * @returns null where it would be empty and the page need not have one
   * @throws errors of the store
   */
  of(place: PagePlace, shown: readonly RegisterRecord[]): Promise<RenderedFile | null>;
}

/** How the list of signed states is written. */
export interface ListRun {
  /** The public address of the snapshot. */
  readonly baseUrl: string;
  /** Called before the first file is written. */
  readonly onBegin: () => Promise<void>;
  readonly signal?: AbortSignal;
}

/** What the root has of the list of signed states. */
export interface WrittenList {
  /** The stems of its files, for the manifest. */
  readonly stems: readonly string[];
  readonly checkpoint: string | undefined;
  /** Why the files are those of the last run; null: they are of this one. */
  readonly failure: GazetteError | null;
}

/** What is signed, in one run. */
export interface SignedFiles {
  /** The state of a register when the run began; null: it is not signed. */
  of(feedId: string): SignedRegister | null;
  /**
   * Brings the list of all signed states to its present state: after the registers.
   *
   * @throws GazetteError `log_contradicted` when another one took its place meanwhile; `output_failed`, `aborted`, errors of the store
   */
  bringList(root: SnapshotFolder<RootHead>, run: ListRun): Promise<WrittenList>;
}

/** A wing that adds signed files. */
export interface SnapshotWing {
  /** The page that checks in a browser what is signed, and its script. @param script the address of that, and what the page may load */
  verifyPage(
    frame: Frame,
    script: Pick<FolderSearch, 'src' | 'policy'>,
  ): { readonly page: string; readonly script: string };
  /** Reads what is signed, before the registers are read: so nothing signed is ahead of its register. */
  begin(store: SnapshotStore): Promise<SignedFiles>;
  /** Texts that change whenever what is signed does. */
  states(store: SnapshotStore): Promise<readonly string[]>;
}
