// What a page of an archive says: its records as a tier sees them, and the head of its documents. A closed page depends
// only on its own records and its place, so that changes elsewhere do not change it.
import type { DocumentHead } from '../formats/format.ts';
import type { RegisterDefinition, RegisterRecord } from '../register/record.ts';
import {
  type RecordPreview,
  type Tier,
  tierFileRecord,
  tierIn,
  type TierOptions,
  tierRecord,
} from '../register/tier.ts';
import { latestTime } from '../register/time.ts';
import { type Ending, HEAD_NAME, MANIFEST_FILE, type PageName, type PagePlace, SCHEMA_FILE } from './layout.ts';

/** What all pages of a register share. */
export interface ArchivedRegister {
  readonly definition: RegisterDefinition;
  /** The tier of the pages; an open register is whole in each. */
  readonly tier: Tier;
  readonly tiers: TierOptions;
  /** The public address of the register's folder, without a slash at its end. */
  readonly url: string;
  /**
   * Ids of the records that the tier sees in full on open pages: the public window. On closed pages it sees none of
   * them in full.
   */
  readonly latest: ReadonlySet<string>;
}

/** A page as the tier sees it. */
export interface PageContent {
  readonly place: PagePlace;
  /** As in files. */
  readonly records: readonly RegisterRecord[];
  /** As in the service's JSON responses. */
  readonly answers: readonly (RegisterRecord | RecordPreview)[];
  /** RFC 3339; null if the register never changed. */
  readonly lastChange: string | null;
}

/** Whether a page shows a record whole. */
export function showsWhole(
  { definition, tier, latest }: Pick<ArchivedRegister, 'definition' | 'tier' | 'latest'>,
  { isClosed }: PagePlace,
  { id }: RegisterRecord,
): boolean {
  return tierIn(definition, tier) === 'pro' || (!isClosed && latest.has(id));
}

/** A page's records as the tier sees them. */
export function contentOf(
  register: ArchivedRegister,
  place: PagePlace,
  records: readonly RegisterRecord[],
  lastChange: string | null,
): PageContent {
  const { definition, tiers } = register;
  const tier = tierIn(definition, register.tier);
  const isWhole = (record: RegisterRecord): boolean => showsWhole(register, place, record);
  const shown = records.map((record) => tierFileRecord(record, tier, isWhole(record), tiers));
  return {
    place,
    records: shown,
    answers: records.map((record) => tierRecord(record, tier, isWhole(record), tiers)),
    lastChange: place.isClosed ? latestTime(shown) : lastChange,
  };
}

/** The extension of the files that have an XML schema. */
export const XML: Ending = 'xml';

/** The head of one of a page's documents. */
export function headOf(register: ArchivedRegister, { place, lastChange }: PageContent, ending: Ending): DocumentHead {
  const { name, previous, isClosed } = place;
  return {
    definition: definitionInTier(register),
    lastChange,
    asOf: place.to,
    isArchive: isClosed,
    pagingNote: `Newest records first; older ones are in the archives behind this page, and ${urlOf(register, MANIFEST_FILE)} names every page.`,
    links: {
      self: fileUrl(register, name, ending),
      ...(isClosed ? { current: fileUrl(register, HEAD_NAME, ending) } : {}),
      ...(previous === null ? {} : { prevArchive: fileUrl(register, previous, ending) }),
      alternate: fileUrl(register, name, 'html'),
      ...(ending === XML ? { schema: urlOf(register, SCHEMA_FILE) } : {}),
    },
  };
}

/** The definition in the tier's documents: it tells readers of previews that they are previews. */
export function definitionInTier<Definition extends Pick<RegisterDefinition, 'access' | 'description'>>({
  definition,
  tier,
}: {
  readonly definition: Definition;
  readonly tier: Tier;
}): Definition {
  if (tierIn(definition, tier) === 'pro') return definition;
  return { ...definition, description: `${definition.description} All but the latest records are previews.`.trim() };
}

/** The address of a file in the register's folder. */
export function urlOf({ url }: Pick<ArchivedRegister, 'url'>, file: string): string {
  return `${url}/${file}`;
}

/** The address of one of a page's files. */
export function fileUrl(register: Pick<ArchivedRegister, 'url'>, name: PageName, ending: Ending): string {
  return urlOf(register, `${name}.${ending}`);
}
