// A register as somebody sees it who buys single records: previews of all of them, whole what is bought and what everybody
// may read. Every filter looks at what is seen and at nothing else: a phrase that is only in the content of a record that
// was not bought finds nothing, whatever the indexes know.
import type { Filter } from '../finding/asked-filter.ts';
import { compileFilter } from '../finding/filter.ts';
import { FILTERS } from '../finding/filters.ts';
import { type Page, PAGE_SIZE, type PageQuery } from '../page.ts';
import type { RegisterRecord } from '../record.ts';
import { publicWindow, tierFileRecord, type TierOptions } from '../tier.ts';
import { readPage, type RegisterSource } from './source.ts';

/** The fields that a preview shows as they are: their filters may use the register's own index. */
const SHOWN: readonly string[] = ['key', 'document_type', 'published_at', 'observed_at'];

/** How many records one page examines where only what is seen of each says whether it matches. */
export const EXAMINED_PREVIEWS = 5000;

/** What a buyer sees. */
export interface PreviewOptions extends TierOptions {
  /** Which of these records the reader has bought as they are now. */
  readonly owned: (recordIds: readonly string[]) => Promise<ReadonlySet<string>>;
}

/** A register with previews. */
export interface PreviewedRegister {
  /** Its records: a preview is a record whose other fields are empty. It has no facets of its own and no revision. */
  readonly source: RegisterSource;
  /** What a record that `source` gave is. */
  readonly kindOf: (record: RegisterRecord) => SeenKind;
}

/** `preview`: to be bought. `latest`: whole for everybody. `bought`: whole for its buyer. */
export type SeenKind = 'preview' | 'latest' | 'bought';

/** The register as the reader sees it. */
export function previewedRegister(source: RegisterSource, options: PreviewOptions): PreviewedRegister {
  const kinds = new WeakMap<RegisterRecord, SeenKind>();
  const seen = async (records: readonly RegisterRecord[], latest: ReadonlySet<string>): Promise<RegisterRecord[]> => {
    const owned = records.length === 0 ? latest : await options.owned(records.map(({ id }) => id));
    return records.map((record) => {
      const kind = owned.has(record.id) ? 'bought' : latest.has(record.id) ? 'latest' : 'preview';
      const shown = tierFileRecord(record, 'public', kind !== 'preview', options);
      kinds.set(shown, kind);
      return shown;
    });
  };
  return {
    source: { definition: source.definition, page: (query) => pageOf(source, query, options, seen) },
    kindOf: (record) => kinds.get(record) ?? 'preview',
  };
}

type Seen = (records: readonly RegisterRecord[], latest: ReadonlySet<string>) => Promise<RegisterRecord[]>;

async function pageOf(source: RegisterSource, query: PageQuery, { window }: TierOptions, seen: Seen): Promise<Page> {
  const filter = compileFilter(query.filter, source.definition.fields);
  const { filter: asked, ...plain } = query;
  const passed = shownPart(asked);
  const within = { ...plain, ...(passed === null ? {} : { filter: passed }) };
  const isExact = asked === undefined || Object.keys(asked).every((name) => name in (passed ?? {}));
  const latest = new Set((await publicWindow(source, window, query.signal)).map(({ id }) => id));
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

/** The part of a filter that asks for fields which a preview shows as they are; null: none. */
function shownPart(filter: Filter | undefined): Filter | null {
  const names = FILTERS.filter(({ field }) => field !== null && SHOWN.includes(field)).map(({ name }) => name);
  const part = Object.entries(filter ?? {}).filter(([name]) => names.includes(name));
  return part.length === 0 ? null : Object.fromEntries(part);
}
