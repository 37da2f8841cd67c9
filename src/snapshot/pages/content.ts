// What a page of a snapshot shows: its records as a tier sees them, and the head of its documents. A closed page is made
// of its own records and its place alone, so that nothing that happens elsewhere changes it.
import type { DocumentHead } from '../../formats/format.ts';
import type { RegisterDefinition, RegisterRecord } from '../../register/record.ts';
import { type RecordPreview, type Tier, tierFileRecord, type TierOptions, tierRecord } from '../../register/tier.ts';
import { toEpochMs } from '../../register/time.ts';
import { type Ending, HEAD_NAME, type PageName, type PagePlace } from './layout.ts';
import { MANIFEST_FILE } from '../folder/manifest.ts';

/** What all files of a register's folder have in common. */
export interface SnapshotRegister {
  readonly definition: RegisterDefinition;
  readonly tier: Tier;
  readonly tiers: TierOptions;
  /** The endings of a page's files, in the order they are written and shown. */
  readonly endings: readonly Ending[];
  /** The public address of the register's folder, without a slash at its end. */
  readonly url: string;
  /** Ids of the records the tier sees whole wherever it sees them: the public window. Closed pages have none of them whole. */
  readonly latest: ReadonlySet<string>;
}

/** A page, read and shown as the tier may see it. */
export interface PageContent {
  readonly place: PagePlace;
  /** As files hold them. */
  readonly records: readonly RegisterRecord[];
  /** As the service answers them in JSON. */
  readonly answers: readonly (RegisterRecord | RecordPreview)[];
  /** RFC 3339; null where nothing ever happened. */
  readonly lastChange: string | null;
}

/** A page's records as the tier sees them. */
export function contentOf(
  { tier, tiers, latest }: SnapshotRegister,
  place: PagePlace,
  records: readonly RegisterRecord[],
  lastChange: string | null,
): PageContent {
  const isWhole = ({ id }: RegisterRecord): boolean => !place.isClosed && latest.has(id);
  const shown = records.map((record) => tierFileRecord(record, tier, isWhole(record), tiers));
  return {
    place,
    records: shown,
    answers: records.map((record) => tierRecord(record, tier, isWhole(record), tiers)),
    lastChange: place.isClosed ? latestOf(shown) : lastChange,
  };
}

/** The head of one of a page's documents. */
export function headOf(register: SnapshotRegister, { place, lastChange }: PageContent, ending: Ending): DocumentHead {
  const { name, previous, isClosed } = place;
  return {
    definition: shownDefinition(register),
    lastChange,
    asOf: place.to,
    isArchive: isClosed,
    pagingNote: `Newest records first; older ones are in the archives behind this page, and ${urlOf(register, MANIFEST_FILE)} names every page.`,
    links: {
      self: fileUrl(register, name, ending),
      ...(isClosed ? { current: fileUrl(register, HEAD_NAME, ending) } : {}),
      ...(previous === null ? {} : { prevArchive: fileUrl(register, previous, ending) }),
      alternate: fileUrl(register, name, 'html'),
    },
  };
}

/** The definition as the tier's documents carry it: whoever reads previews is told so. */
export function shownDefinition({ definition, tier }: SnapshotRegister): RegisterDefinition {
  if (tier === 'pro') return definition;
  return { ...definition, description: `${definition.description} All but the latest records are previews.`.trim() };
}

/** The title of the list of corrected and withdrawn records. */
export function changesTitle({ title }: RegisterDefinition): string {
  return `${title}: corrected and withdrawn`;
}

/** The address of a file in the register's folder. */
export function urlOf({ url }: SnapshotRegister, file: string): string {
  return `${url}/${file}`;
}

/** The address of one of a page's files. */
export function fileUrl(register: SnapshotRegister, name: PageName, ending: Ending): string {
  return urlOf(register, `${name}.${ending}`);
}

/** The files of a page with these endings, by name. */
export function fileNames(endings: Iterable<Ending>, name: PageName): readonly string[] {
  return Array.from(endings, (ending) => `${name}.${ending}`);
}

/** When the last of these versions was recorded, or observed where that is all they tell. */
function latestOf(records: readonly RegisterRecord[]): string | null {
  let latest: string | null = null;
  for (const { updated_at, observed_at } of records) {
    const time = updated_at ?? observed_at;
    if (latest === null || toEpochMs(time) > toEpochMs(latest)) latest = time;
  }
  return latest;
}
