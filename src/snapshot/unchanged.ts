// Finds out that a register's folder already is what a run would write, for less than it takes to open the register: a run over
// thousands of registers of which one changed asks this of all the others. And what a folder has that a run leaves alone.
import { GazetteError } from '../errors.ts';
import { writing } from '../files/output-failed.ts';
import { canonicalJson, type JsonValue } from '../register/canonical-json.ts';
import type { RegisterDefinition } from '../register/record.ts';
import type { Tier, TierOptions } from '../register/tier.ts';
import type { RegisterEntry } from '../stores/contract/catalogue.ts';
import { VERSION } from '../version.ts';
import { digestOf, type FileEntry, ManifestBytes, type RegisterManifestHead } from './folder/manifest.ts';
import { fileEntry } from './folder/staged-file.ts';
import { JOURNAL_FILE, readManifest } from './folder/state.ts';
import type { Place } from './places/place.ts';
import { fileNames } from './pages/content.ts';
import { formatsShape } from './pages/formats.ts';
import {
  closedPage,
  closedPages,
  type Ending,
  LOG_FOLDER,
  MANIFEST_FILE,
  PAGES_FOLDER,
  PROOF_ENDING,
  SEARCH_FOLDER,
} from '../archive/layout.ts';
import type { PageMaker } from './pages/maker.ts';
import { wholesOf } from './whole.ts';
import type { PageProofs, SignedRegister } from './wing.ts';

/** The options that determine a snapshot's bytes. */
export interface SnapshotShape {
  readonly tier: Tier;
  readonly tiers: TierOptions;
  /** The public address of the snapshot, without a slash at its end. */
  readonly baseUrl: string;
  /** Whether each register is a few large files too. */
  readonly whole: boolean;
  /** The version of Pagefind, where there is a search. */
  readonly search?: string;
}

/** The result of a run for a register's folder. */
export interface RegisterSnapshot {
  /** The id of the register. */
  readonly feedId: string;
  /** Its name, for people. */
  readonly title: string;
  /** The number of live records. */
  readonly records: number;
  /** The number of files written; 0 if the folder already had this state. */
  readonly written: number;
}

/** A complete folder of a register. */
export interface WrittenRegister {
  readonly register: RegisterSnapshot;
  readonly head: RegisterManifestHead;
  /** The entry of the register's manifest in the root's manifest. */
  readonly manifest: FileEntry;
}

/** A digest of everything besides the records that determines the bytes of every page. */
export function shapeOf(
  definition: RegisterDefinition,
  { whole, ...options }: SnapshotShape,
  { formats }: PageMaker,
): string {
  const wholes = wholesOf(definition, { tier: options.tier, whole }).map(({ ending }) => ending);
  const shape = {
    ...{ definition, gazette: VERSION, formats: formatsShape(formats), ...options },
    ...(wholes.length === 0 ? {} : { wholes }),
  };
  return digestOf(canonicalJson(shape as unknown as JsonValue));
}

/**
 * The register's folder as it is, if it is complete and of this state of the register; otherwise null. Names are compared, not
 * bytes: `gazette verify` reads those.
 *
 * @param signed what is signed of it; null: nothing
 * @throws GazetteError `damaged_snapshot`, `output_failed`
 */
export async function unchangedRegister(
  entry: RegisterEntry,
  place: Place,
  shape: SnapshotShape,
  maker: PageMaker,
  signed: SignedRegister | null,
): Promise<WrittenRegister | null> {
  const { definition, log, change, lastChange, top } = entry;
  const proofs = signed?.proofs(entry, shape.tier) ?? null;
  return writing(place.path, async () => {
    const bytes = await place.read(MANIFEST_FILE);
    if (bytes === null) return null;
    const present = await place.list();
    if (present.has(JOURNAL_FILE)) return null;
    const manifest = new ManifestBytes<RegisterManifestHead>(bytes, place.nameOf(MANIFEST_FILE));
    const { head } = manifest;
    const isSame = head.log === log && head.change === change && head.last_change === lastChange;
    const checkpoint = signed?.checkpoint;
    if (!isSame || head.checkpoint !== checkpoint || head.shape !== shapeOf(definition, shape, maker)) return null;
    const count = closedPages(top);
    const pages = count === 0 ? new Set<string>() : await place.list(PAGES_FOLDER);
    if (!closedAreThere(pages, count, closedEndings(maker, proofs))) return null;
    if (!(await othersAreThere(manifest, place, present))) return null;
    const register = { feedId: definition.id, title: definition.title, records: head.total, written: 0 };
    return { register, head, manifest: fileEntry(bytes) };
  });
}

/** The extensions of the files of a closed page. */
export function closedEndings({ endings }: PageMaker, proofs: PageProofs | null): readonly Ending[] {
  return proofs?.areOnClosed === true ? [...endings, PROOF_ENDING] : endings;
}

/** Whether the folder of pages has so many closed ones. */
function closedAreThere(present: ReadonlySet<string>, count: number, endings: readonly string[]): boolean {
  for (let number = 1; number <= count; number++) {
    const name = closedPage(number).name.slice(PAGES_FOLDER.length + 1);
    if (!fileNames(endings, name).every((file) => present.has(file))) return false;
  }
  return true;
}

/** Whether the folder has every file that is no closed page: some in it, some in folders of it. */
async function othersAreThere(
  manifest: ManifestBytes<RegisterManifestHead>,
  place: Place,
  present: ReadonlySet<string>,
): Promise<boolean> {
  const names = manifest.namesBehind(PAGES_FOLDER);
  const folders = [SEARCH_FOLDER, LOG_FOLDER].filter((folder) => names.some((name) => name.startsWith(`${folder}/`)));
  const all = folders.length === 0 ? present : await place.names(folders);
  return names.every((name) => all.has(name));
}

/** Whether a run on a register's folder was not completed. */
export function isInterrupted(place: Place): Promise<boolean> {
  return place.has(JOURNAL_FILE);
}

/** The folder of a register that this run does not write. @throws GazetteError `damaged_snapshot` */
export async function standing(place: Place): Promise<Pick<WrittenRegister, 'head' | 'manifest'>> {
  const read = await readManifest<RegisterManifestHead>(place);
  if (read === null) throw new GazetteError('damaged_snapshot', `${place.nameOf(MANIFEST_FILE)} is missing`);
  return { head: read.head, manifest: fileEntry(read.bytes) };
}
