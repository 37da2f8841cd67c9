// The one evaluator of figures: over records that are at hand, and over answers that are parts of a whole.
import { compareNumbers, decimalOf, quotientOf, type Scaled, scaledOf, scaledText, sumOf } from '../decimal.ts';
import type { RegisterRecord } from '../record.ts';
import { compareInstants, instantOf } from './compare.ts';
import { compareTexts, facetValues } from './facets.ts';
import type { CheckedFigures, Figure, Figures, GroupedBy } from './figures.ts';
import { valueIn } from './filter.ts';

/** How many records of a group are named. */
export const NAMED_RECORDS = 3;

/** A group as it grows. It is never changed, only replaced. */
interface Group {
  readonly group: readonly string[];
  readonly records: number;
  readonly measured: number;
  readonly sum: Scaled | null;
  /** The least or the greatest value. */
  readonly end: string | null;
  readonly ids: readonly string[];
  /** Where the publisher has the first of them. */
  readonly url: string | null;
}

/** What a part says that is added to others. */
export type FiguresPart = Pick<Figures, 'groups' | 'matched' | 'ungrouped'>;

/** Groups records and measures them. */
export class FiguresTally {
  readonly #checked: CheckedFigures;
  #groups = new Map<string, Group>();
  #matched = 0;
  #ungrouped = 0;

  constructor(checked: CheckedFigures) {
    this.#checked = checked;
    if (checked.by.length === 0)
      this.#put({ group: [], records: 0, measured: 0, sum: null, end: null, ids: [], url: null });
  }

  /** Adds records, which are older than those before. */
  add(records: readonly RegisterRecord[]): void {
    for (const record of records) {
      const keys = keysOf(record, this.#checked.by);
      this.#matched += 1;
      if (keys.length === 0) this.#ungrouped += 1;
      for (const key of keys) this.#put(groupOfRecord(record, key, this.#checked));
    }
  }

  /** Adds the answer to a part that follows those before. */
  addPart({ groups, matched, ungrouped }: FiguresPart): void {
    this.#matched += matched;
    this.#ungrouped += ungrouped ?? 0;
    for (const figure of groups) this.#put(groupOfFigure(figure, this.#checked));
  }

  /** Adds what was tallied of records that follow those before. */
  join(other: FiguresTally): void {
    this.#matched += other.#matched;
    this.#ungrouped += other.#ungrouped;
    for (const group of other.#groups.values()) this.#put(group);
  }

  /** How many groups there would be with those of another. */
  sizeWith(other: FiguresTally): number {
    return (
      this.#groups.size +
      other.#groups
        .keys()
        .filter((name) => !this.#groups.has(name))
        .toArray().length
    );
  }

  /** As it is now. */
  copy(): FiguresTally {
    const copy = new FiguresTally(this.#checked);
    copy.#groups = new Map(this.#groups);
    [copy.#matched, copy.#ungrouped] = [this.#matched, this.#ungrouped];
    return copy;
  }

  /** All groups, in the order in which they were met. */
  part(): FiguresPart & Pick<Figures, 'more'> {
    const groups = Array.from(this.#groups.values(), (group) => figureOf(group, this.#checked));
    return { groups, more: 0, matched: this.#matched, ungrouped: this.#ungrouped };
  }

  /** The first groups in the order that was asked for, when nothing will be added. */
  whole(): FiguresPart & Pick<Figures, 'more'> {
    const { groups, ...rest } = this.part();
    const { top } = this.#checked.asked;
    const told = inOrder(groups, this.#checked).slice(0, top);
    return { ...rest, groups: told, more: groups.length - told.length };
  }

  #put(group: Group): void {
    const name = JSON.stringify(group.group);
    const before = this.#groups.get(name);
    this.#groups.set(name, before === undefined ? group : this.#joined(before, group));
  }

  #joined(before: Group, after: Group): Group {
    const { end, ids, url } = this.#endOf(before, after);
    return {
      group: before.group,
      records: before.records + after.records,
      measured: before.measured + after.measured,
      sum: before.sum === null || after.sum === null ? (before.sum ?? after.sum) : sumOf(before.sum, after.sum),
      end,
      ids: ids.slice(0, NAMED_RECORDS),
      url,
    };
  }

  /** Of equal ends, that of the newest record is told. */
  #endOf(before: Group, after: Group): Pick<Group, 'end' | 'ids' | 'url'> {
    const { measure, measured } = this.#checked;
    if (after.end === null && before.end !== null) return before;
    if (before.end === null && after.end !== null) return after;
    const difference = before.end === null ? 0 : compareEnds(before.end, after.end!, measured!.isTime);
    if (difference === 0) return { end: before.end, ids: [...before.ids, ...after.ids], url: before.url ?? after.url };
    return difference < 0 === (measure === 'min') ? before : after;
  }
}

/** The groups in the order that was asked for. */
export function inOrder(groups: readonly Figure[], { asked, measured, by }: CheckedFigures): readonly Figure[] {
  const byKey = (a: Figure, b: Figure): number => {
    for (const [at, { type }] of by.entries()) {
      const isNumber = type === 'number' || type === 'decimal' || type === 'integer';
      const [one, other] = [a.group[at]!, b.group[at]!];
      const difference = isNumber ? (compareNumbers(one, other) ?? 0) : 0;
      if (difference !== 0 || one !== other) return difference === 0 ? compareTexts(one, other) : difference;
    }
    return 0;
  };
  const sign = asked.order === 'value' ? 1 : -1;
  const byValue = (a: Figure, b: Figure): number => {
    if (measured === null) return sign * (a.records - b.records);
    const [one, other] = [a.value ?? null, b.value ?? null];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return sign * compareEnds(one, other, measured.isTime);
  };
  return groups.toSorted(asked.order.endsWith('value') ? (a, b) => byValue(a, b) || byKey(a, b) : byKey);
}

/** Negative where `a` is below `b`. */
function compareEnds(a: string, b: string, isTime: boolean): number {
  return isTime ? compareInstants(instantOf(a)!, instantOf(b)!) : compareNumbers(a, b)!;
}

/** The keys of the groups that a record is in: of a list, of each of its items. */
function keysOf(record: RegisterRecord, by: readonly GroupedBy[]): readonly (readonly string[])[] {
  let keys: readonly (readonly string[])[] = [[]];
  for (const one of by) {
    const values = groupValues(record, one);
    keys = keys.flatMap((key) => values.map((value) => [...key, value]));
  }
  return keys;
}

/** The values by which a record is grouped. */
export function groupValues(record: RegisterRecord, { name, unit }: GroupedBy): readonly string[] {
  const value = valueIn(record, name);
  if (unit === null) return facetValues(value);
  return typeof value === 'string' ? dateIn(value, unit) : [];
}

const UNIT_LENGTHS = { year: 4, month: 7, day: 10 } as const;

/** The year, month or day of a time in UTC. Offsets reach beyond the years 1 and 9999. */
function dateIn(text: string, unit: keyof typeof UNIT_LENGTHS): readonly string[] {
  const at = instantOf(text);
  if (at === null) return [];
  const iso = new Date(at.ms).toISOString();
  return [iso.slice(0, iso.indexOf('-') - UNIT_LENGTHS.year + UNIT_LENGTHS[unit])];
}

function groupOfRecord(record: RegisterRecord, group: readonly string[], checked: CheckedFigures): Group {
  const isEnd = measuresEnd(checked);
  const text = checked.measured === null ? null : measuredText(record, checked.measured);
  return {
    group,
    records: 1,
    measured: text === null ? 0 : 1,
    sum: text === null || isEnd ? null : scaledOf(text),
    end: isEnd ? text : null,
    ...(isEnd && text === null ? { ids: [], url: null } : { ids: [record.id], url: record.source_url }),
  };
}

function measuredText(
  record: RegisterRecord,
  { name, isTime }: NonNullable<CheckedFigures['measured']>,
): string | null {
  const value = valueIn(record, name);
  if (!isTime) return decimalOf(value);
  return typeof value === 'string' && instantOf(value) !== null ? value : null;
}

function measuresEnd({ measure }: CheckedFigures): boolean {
  return measure === 'min' || measure === 'max';
}

/** What cites these records, the newest first. */
export function citing(records: readonly RegisterRecord[]): Pick<Figure, 'record_ids' | 'url'> {
  return { record_ids: records.map(({ id }) => id), url: records[0]?.source_url ?? null };
}

function groupOfFigure(figure: Figure, checked: CheckedFigures): Group {
  const { group, records, measured = 0, value = null, sum = value, record_ids: ids, url } = figure;
  const isEnd = measuresEnd(checked);
  return {
    ...{ group, records, measured, ids, url },
    sum: isEnd || sum === null ? null : scaledOf(sum),
    end: isEnd ? value : null,
  };
}

function figureOf({ group, records, measured, sum, end, ids, url }: Group, checked: CheckedFigures): Figure {
  const named = { record_ids: ids, url };
  if (checked.measured === null) return { group, records, ...named };
  const common = { group, records, measured, ...named };
  if (measuresEnd(checked)) return { ...common, value: end };
  const total = sum === null ? null : scaledText(sum);
  if (checked.measure === 'sum') return { ...common, value: total };
  return { ...common, value: sum === null ? null : scaledText(quotientOf(sum, measured)), sum: total };
}
