// A register as somebody sees it who owns single records: previews of all of them, whole what is owned and what everybody may
// read. Every filter looks at what is seen and at nothing else: a phrase that is only in the content of a record that is not
// owned finds nothing, whatever the indexes know. Words of previews are found by an index of those words alone, and what the
// reader owns is looked at record by record: so neither what is found, nor how far a page goes, depends on the rest.
import type { Filter } from '../page.ts';
import { compileFilter } from '../finding/filter.ts';
import { FILTERS } from '../finding/filters.ts';
import { recordKey } from '../identity.ts';
import { isMoment, offsetAfter, type Page, PAGE_SIZE, type PageQuery, startPosition } from '../page.ts';
import type { RegisterRecord } from '../record.ts';
import { PREVIEW_SUMMARY_LENGTH, publicWindow, tierFileRecord, type TierOptions, viewOfOthers } from '../tier.ts';
import { matchedInPages } from './matched.ts';
import { readPage, type RegisterSource } from './source.ts';

/** The fields that a preview shows as they are: their filters may use the register's own index. */
const SHOWN: readonly string[] = ['key', 'document_type', 'published_at', 'observed_at'];

/** How many records one page examines where only what is seen of each says whether it matches. */
export const EXAMINED_PREVIEWS = 5000;

/** Positions of a register, from the highest down to the lowest. */
export interface OwnedRange {
  /** The register. */
  readonly feedId: string;
  /** The highest position. */
  readonly from: number;
  /** The lowest position. */
  readonly to: number;
  /** The most records, 1..1000. */
  readonly limit: number;
}

/** A record that somebody owns, as it is now. */
export interface OwnedRecord {
  /** Its id. */
  readonly recordId: string;
  /** Where it is in its register, counted upwards from the oldest. */
  readonly position: number;
  /** Its key where it is another than that of the id; else null. */
  readonly key: string | null;
}

/** What somebody reads beyond the tier. */
export interface OwnRecords {
  /** Another one once it changed; the same for nobody else. */
  readonly key: string;
  /** Which of these records, which were read before, are owned as they are now. */
  readonly owned: (recordIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Those of them that lie between two positions, newest first. */
  readonly ownedWithin: (range: OwnedRange) => Promise<readonly OwnedRecord[]>;
  /** The content versions of a record that are owned. */
  readonly versions: (recordId: string) => Promise<readonly number[]>;
}

/** What is seen of a register with previews. */
interface PreviewOptions extends TierOptions, Pick<OwnRecords, 'owned' | 'ownedWithin'> {}

/** A register with previews. */
export interface PreviewedRegister {
  /** Its records: a preview is a record whose other fields are empty. It has no facets of its own and no revision. */
  readonly source: RegisterSource;
  /** What a record that `source` gave is. */
  readonly kindOf: (record: RegisterRecord) => SeenKind;
}

/** `preview`: its beginning. `latest`: whole for everybody. `own`: whole for its owner. */
export type SeenKind = 'preview' | 'latest' | 'own';

/** The register as the reader sees it. */
export function previewedRegister(
  source: RegisterSource,
  { owned, ownedWithin }: Pick<OwnRecords, 'owned' | 'ownedWithin'>,
  tiers: TierOptions,
): PreviewedRegister {
  const options: PreviewOptions = { ...tiers, owned, ownedWithin };
  const kinds = new WeakMap<RegisterRecord, SeenKind>();
  const seen = async (records: readonly RegisterRecord[], latest: ReadonlySet<string>): Promise<RegisterRecord[]> => {
    const whole = records.length === 0 ? latest : await owned(records.map(({ id }) => id));
    return records.map((record) => {
      const kind = whole.has(record.id) ? 'own' : latest.has(record.id) ? 'latest' : 'preview';
      const shown = tierFileRecord(record, 'public', kind !== 'preview', options);
      kinds.set(shown, kind);
      return shown;
    });
  };
  const shown: RegisterSource = {
    definition: source.definition,
    page: (query) => pageOf(source, query, options, seen),
  };
  return {
    source: {
      ...shown,
      // What previews show as it is the register itself counts.
      matched: (query) =>
        source.matched !== undefined && isAllShown(query.filter)
          ? source.matched(query)
          : matchedInPages(shown, query, EXAMINED_PREVIEWS),
    },
    kindOf: (record) => kinds.get(record) ?? 'preview',
  };
}

type Seen = (records: readonly RegisterRecord[], latest: ReadonlySet<string>) => Promise<RegisterRecord[]>;

async function pageOf(source: RegisterSource, query: PageQuery, options: PreviewOptions, seen: Seen): Promise<Page> {
  if (isMoment(query.asOf)) throw viewOfOthers(query.asOf);
  const filter = compileFilter(query.filter, source.definition.fields);
  const { filter: asked, ...plain } = query;
  const passed = shownPart(asked);
  const within = { ...plain, ...(passed === null ? {} : { filter: passed }) };
  const isExact = isAllShown(asked);
  const newest = await publicWindow(source, options.window, query.signal);
  const latest = new Set(newest.map(({ id }) => id));
  if (!isExact && filter!.canonical.key === undefined && isIndexed(source, options)) {
    return indexedPage(source, query, { ...options, newest, seen: (records) => seen(records, latest) });
  }
  const found: RegisterRecord[] = [];
  let page: Page = { records: [], nextOffset: query.offset, asOf: query.asOf ?? null };
  for (let examined = 0; page.nextOffset !== null && examined < EXAMINED_PREVIEWS; examined += PAGE_SIZE) {
    const part: PageQuery = {
      ...within,
      ...(page.asOf === null ? {} : { asOf: page.asOf }),
      offset: page.nextOffset,
      limit: isExact ? query.limit - found.length : PAGE_SIZE,
    };
    page = await readPage(source, part);
    const shown = await seen(page.records, latest);
    const room = query.limit - found.length;
    const hits = shown
      .map((record, index) => ({ record, index }))
      .filter(({ record }) => filter?.matches(record) ?? true);
    found.push(...hits.slice(0, room).map(({ record }) => record));
    if (hits.length < room) continue;
    const used = hits[room - 1]!.index + 1;
    // The source alone knows where what follows begins.
    if (used < shown.length) page = await readPage(source, { ...part, limit: used });
    break;
  }
  return { records: found, nextOffset: page.nextOffset, asOf: page.asOf };
}

/** Whether the source has an index of these previews' words. */
function isIndexed({ findsPreviews }: RegisterSource, { previewSummaryLength }: TierOptions): boolean {
  return findsPreviews === true && (previewSummaryLength ?? PREVIEW_SUMMARY_LENGTH) === PREVIEW_SUMMARY_LENGTH;
}

/** How many owned records one page looks at. */
const LOOKED_AT = PAGE_SIZE;

interface SeenPart extends PreviewOptions {
  readonly newest: readonly RegisterRecord[];
  readonly seen: (records: readonly RegisterRecord[]) => Promise<RegisterRecord[]>;
}

/** The page of a filter that asks for more than {@link SHOWN}: the previews that an index finds, and what is seen whole. */
async function indexedPage(source: RegisterSource, query: PageQuery, part: SeenPart): Promise<Page> {
  const filter = compileFilter(query.filter, source.definition.fields)!;
  const asked = shownPart(query.filter);
  // Of a preview all other fields are empty: no value of them is found.
  const asksHidden = Object.keys(filter.canonical).some((name) => name !== 'q' && !(name in (asked ?? {})));
  const previews = await previewsPage(source, query, part, asksHidden);
  const asOf = previews.asOf as number;
  const from = startPosition(asOf, query.offset);
  let end = previews.nextOffset === null ? 0 : startPosition(asOf, previews.nextOffset);
  const own = await part.ownedWithin({ feedId: source.definition.id, from, to: end + 1, limit: LOOKED_AT });
  if (own.length === LOOKED_AT) end = own.at(-1)!.position - 1;
  const whole = [...part.newest, ...(await recordsOf(source, { ...query, asOf }, own))];
  const within = [...previews.records, ...whole].filter(({ position }) => position! <= from && position! > end);
  const unique = [...new Map(within.map((record) => [record.id, record])).values()];
  const found = (await part.seen(unique))
    .filter((record) => filter.matches(record))
    .toSorted((a, b) => b.position! - a.position!);
  if (found.length > query.limit) end = found[query.limit - 1]!.position! - 1;
  return {
    records: found.slice(0, query.limit),
    nextOffset: end < 1 ? null : offsetAfter(asOf, end + 1),
    asOf,
  };
}

/** What the index finds, if it can find anything. */
async function previewsPage(
  source: RegisterSource,
  query: PageQuery,
  options: TierOptions,
  asksHidden: boolean,
): Promise<Page> {
  const { filter, ...plain } = query;
  if (!asksHidden) {
    const preview = (record: RegisterRecord): RegisterRecord => tierFileRecord(record, 'public', false, options);
    return source.page({ ...plain, filter: filter!, preview });
  }
  const { asOf } = await readPage(source, { ...plain, limit: 1 });
  return { records: [], nextOffset: null, asOf };
}

async function recordsOf(
  source: RegisterSource,
  query: PageQuery,
  owned: readonly OwnedRecord[],
): Promise<readonly RegisterRecord[]> {
  if (owned.length === 0) return [];
  const filter = { key: owned.map(({ recordId, key }) => key ?? recordKey(recordId)) };
  const { records } = await readPage(source, { ...query, filter, limit: PAGE_SIZE });
  // By now another record may have the key.
  return records.filter(({ id }) => owned.some(({ recordId }) => recordId === id));
}

/** Whether a filter asks for nothing but fields which a preview shows as they are. */
function isAllShown(filter: Filter = {}): boolean {
  const part = shownPart(filter) ?? {};
  return Object.keys(filter).every((name) => name in part);
}

/** The part of a filter that asks for fields which a preview shows as they are; null: none. */
function shownPart(filter: Filter | undefined): Filter | null {
  const names = FILTERS.filter(({ field }) => field !== null && SHOWN.includes(field)).map(({ name }) => name);
  const part = Object.entries(filter ?? {}).filter(([name]) => names.includes(name));
  return part.length === 0 ? null : Object.fromEntries(part);
}
