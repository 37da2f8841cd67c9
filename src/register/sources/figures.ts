// The figures of a source: counts from its counters, if it has them and all records are asked for; otherwise its records are
// read, newest first, by the one evaluator.
import type { Facet } from '../finding/facets.ts';
import { type CheckedFigures, type Figure, type Figures, MAX_PART_FIGURES } from '../finding/figures.ts';
import { citing, FiguresTally, groupValues, inOrder, NAMED_RECORDS } from '../finding/figures-tally.ts';
import { type Page, PAGE_SIZE } from '../page.ts';
import type { RegisterRecord } from '../record.ts';
import { type Examined, examined } from './examine.ts';
import { readPage, type RegisterSource } from './source.ts';

/** What counters say of all records. */
export interface CountedRecords {
  /** As {@link CheckedFigures.counters} names them. */
  readonly facets: readonly Facet[];
  /** How many records there are. */
  readonly total: number;
}

/** What is asked of a source. */
export interface FiguresQuery extends Examined {
  /** Null: counters do not tell, or not all records are asked for. */
  readonly counted: CountedRecords | null;
}

/**
 * The figures of the records that match: exact where counters tell, or one request may examine as many; else a part, and where
 * to go on.
 *
 * @throws GazetteError as `RegisterSource.page()`
 */
export async function figuresOfSource(
  source: RegisterSource,
  checked: CheckedFigures,
  query: FiguresQuery,
): Promise<Figures> {
  const { counted, offset = 0 } = query;
  const told = counted === null ? null : await countedFigures(source, checked, counted, query);
  if (told !== null) return told;
  const { measure, by, order } = checked.asked;
  const tally = new FiguresTally(checked);
  /** As it was before it had more groups than a part may have. */
  let cut: { readonly tally: FiguresTally; readonly next: number } | null = null;
  let [next, asOf]: [number | null, Page['asOf']] = [offset, query.asOf ?? null];
  for await (const page of examined(source, query)) {
    const part = new FiguresTally(checked);
    part.add(page.records);
    if (cut === null && next !== null && next > offset && tally.sizeWith(part) > MAX_PART_FIGURES) {
      cut = { tally: tally.copy(), next };
      // A part that does not begin at the top is never whole.
      if (offset > 0) break;
    }
    tally.join(part);
    next = page.nextOffset;
    asOf ??= page.asOf;
  }
  const complete = offset === 0 && next === null;
  const ended = complete ? tally.whole() : (cut?.tally ?? tally).part();
  return { measure, by, order, ...ended, complete, next_offset: complete ? null : (cut?.next ?? next), as_of: asOf };
}

/** As counters say; null: they do not. */
async function countedFigures(
  source: RegisterSource,
  checked: CheckedFigures,
  { facets: [facet], total }: CountedRecords,
  { signal }: FiguresQuery,
): Promise<Figures | null> {
  const { measure, by, order, top } = checked.asked;
  const [grouped] = checked.by;
  const query = { offset: 0, limit: NAMED_RECORDS, ...(signal && { signal }) };
  const { records, asOf } = await readPage(source, query);
  const whole = { measure, by, order, matched: total, complete: true, next_offset: null, as_of: asOf };
  if (facet === undefined || grouped === undefined) {
    const groups = [{ group: [], records: total, ...citing(records) }];
    return { ...whole, groups, more: 0, ungrouped: 0 };
  }
  // Of more values than a facet tells, only the commonest are known.
  if (facet.more > 0 && order !== '-value') return null;
  const all = facet.values.map((one) => ({ group: [one.value], records: one.records, ...citing([]) }));
  const groups: Figure[] = [];
  for (const figure of inOrder(all, checked).slice(0, top)) {
    const value = figure.group[0]!;
    const recordsOf = async (limit: number): Promise<readonly RegisterRecord[]> => {
      const found = await readPage(source, { ...query, limit, filter: { [grouped.name]: value } });
      return found.records.filter((record) => groupValues(record, grouped).includes(value)).slice(0, NAMED_RECORDS);
    };
    let those = await recordsOf(NAMED_RECORDS);
    // What a filter finds may be written otherwise.
    if (those.length < Math.min(figure.records, NAMED_RECORDS)) those = await recordsOf(PAGE_SIZE);
    groups.push({ ...figure, ...citing(those) });
  }
  const inGroups = all.reduce((sum, one) => sum + one.records, 0);
  return {
    ...whole,
    ...{ groups, more: facet.more + all.length - groups.length },
    // A record is in as many groups of a list as that has items.
    ungrouped: facet.more > 0 || grouped.type === 'json' ? null : total - inGroups,
  };
}
