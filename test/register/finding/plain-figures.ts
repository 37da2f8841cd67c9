// Figures as finding.md says them: plain, slow, and sharing nothing with src/ but types.
import type { Figure, Figures, FiguresQuestion } from '../../../src/register/finding/figures.ts';
import type { Field, RegisterRecord } from '../../../src/register/record.ts';
import { nanoseconds, plainValue, SCALE, scaled } from './plain-filter.ts';

/** The whole answer, without its view. @param records those that match, the newest first */
export function plainFigures(
  records: readonly RegisterRecord[],
  { measure = 'count', by = [], order = '-value', top = 100 }: FiguresQuestion,
  fields: readonly Field[],
): Omit<Figures, 'as_of'> {
  const groups = new Map<string, { readonly group: readonly string[]; readonly records: RegisterRecord[] }>();
  if (by.length === 0) groups.set('[]', { group: [], records: [] });
  let ungrouped = 0;
  for (const record of records) {
    let keys: string[][] = [[]];
    for (const name of by) {
      keys = keys.flatMap((key) => valuesFor(record, name).map((value) => [...key, value]));
    }
    if (keys.length === 0) ungrouped++;
    for (const group of keys) {
      const name = JSON.stringify(group);
      if (!groups.has(name)) groups.set(name, { group, records: [] });
      groups.get(name)!.records.push(record);
    }
  }
  const figures = Array.from(groups.values(), (one) => measuredOf(one.group, one.records, measure, fields));
  const types = by.map((name) => fields.find((field) => `data.${field.name}` === name)?.type);
  const byKey = (a: Figure, b: Figure): number => {
    for (const [at, type] of types.entries()) {
      const [one, other] = [a.group[at]!, b.group[at]!];
      const isNumber = type === 'number' || type === 'decimal' || type === 'integer';
      const difference = isNumber ? compare(scaled(one)!, scaled(other)!) : 0;
      if (difference !== 0) return difference;
      if (one !== other) return Buffer.compare(Buffer.from(one), Buffer.from(other));
    }
    return 0;
  };
  const size = ({ records: count, value }: Figure): bigint | null => {
    if (measure === 'count') return BigInt(count);
    return value === null || value === undefined ? null : (nanoseconds(value) ?? scaled(value));
  };
  const byValue = (a: Figure, b: Figure): number => {
    const [one, other] = [size(a), size(b)];
    if (one === null || other === null) return (one === null ? 1 : 0) - (other === null ? 1 : 0);
    return order === 'value' ? compare(one, other) : compare(other, one);
  };
  figures.sort(order === 'key' ? byKey : (a, b) => byValue(a, b) || byKey(a, b));
  return {
    ...{ measure, by, order: order as Figures['order'], groups: figures.slice(0, top) },
    ...{ more: Math.max(figures.length - top, 0), matched: records.length, ungrouped },
    ...{ complete: true, next_offset: null },
  };
}

function measuredOf(
  group: readonly string[],
  records: readonly RegisterRecord[],
  measure: string,
  fields: readonly Field[],
): Figure {
  const named = (some: readonly RegisterRecord[]): Pick<Figure, 'record_ids' | 'url'> => ({
    record_ids: some.slice(0, 3).map(({ id }) => id),
    url: some[0]?.source_url ?? null,
  });
  if (measure === 'count') return { group, records: records.length, ...named(records) };
  const [kind, name] = measure.split(':') as [string, string];
  const type = fields.find((field) => `data.${field.name}` === name)?.type;
  const held = records.flatMap((record) => {
    const value = plainValue(record, name);
    return value === null
      ? []
      : [
          {
            record,
            value: type === 'number' ? writtenOut(value) : typeof value === 'string' ? value : JSON.stringify(value),
          },
        ];
  });
  const common = { group, records: records.length, measured: held.length };
  if (kind === 'min' || kind === 'max') {
    const sizes = held.map(({ value }) => nanoseconds(value) ?? scaled(value)!);
    const end = sizes.reduce<bigint | null>(
      (one, other) => (one === null || (kind === 'min' ? other < one : other > one) ? other : one),
      null,
    );
    const those = held.filter((_, at) => sizes[at] === end);
    return { ...common, value: those[0]?.value ?? null, ...named(those.map(({ record }) => record)) };
  }
  const names = named(records);
  if (held.length === 0) return { ...common, value: null, ...(kind === 'avg' ? { sum: null } : {}), ...names };
  const places = Math.max(...held.map(({ value }) => value.split('.')[1]?.length ?? 0));
  const units = held.reduce((sum, { value }) => sum + scaled(value)!, 0n) / 10n ** BigInt(SCALE - places);
  const sum = pointed(units, places);
  if (kind === 'sum') return { ...common, value: sum, ...names };
  return { ...common, value: pointed(rounded(units * 1_000_000n, BigInt(held.length)), places + 6), sum, ...names };
}

/** The nearest whole number to a fraction; of two as near, the even one. */
function rounded(dividend: bigint, divisor: bigint): bigint {
  const floor = (dividend - (((dividend % divisor) + divisor) % divisor)) / divisor;
  const above = dividend - floor * divisor;
  if (above * 2n === divisor) return floor % 2n === 0n ? floor : floor + 1n;
  return above * 2n > divisor ? floor + 1n : floor;
}

function pointed(units: bigint, places: number): string {
  const text = String(units < 0n ? -units : units).padStart(places + 1, '0');
  const point = places === 0 ? '' : `.${text.slice(text.length - places)}`;
  return `${units < 0n ? '-' : ''}${text.slice(0, text.length - places)}${point}`;
}

/** The shortest text of a double, without an exponent. */
function writtenOut(value: unknown): string {
  const [digits = '', power = '0'] = String(value).split('e');
  const places = Math.max((digits.split('.')[1]?.length ?? 0) - Number(power), 0);
  return pointed(scaled(String(value))! / 10n ** BigInt(SCALE - places), places);
}

/** The values of a field, or the parts of its time, by which a record is grouped. */
function valuesFor(record: RegisterRecord, asked: string): readonly string[] {
  const [name = '', unit] = asked.split(':');
  const value = plainValue(record, name);
  if (unit === undefined) {
    const items = Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [value];
    return [...new Set(items.filter((item) => item !== null && typeof item !== 'object').map(String))].filter(isTold);
  }
  const at = typeof value === 'string' ? nanoseconds(value) : null;
  if (at === null) return [];
  const nanosOfDay = 86_400n * 10n ** 9n;
  const day = new Date(0);
  day.setUTCDate(1 + Number((at - (((at % nanosOfDay) + nanosOfDay) % nanosOfDay)) / nanosOfDay));
  const padded = (part: number, length: number): string => String(part).padStart(length, '0');
  const number = day.getUTCFullYear();
  const year = number > 9999 ? `+${padded(number, 6)}` : padded(number, 4);
  const parts = [year, padded(day.getUTCMonth() + 1, 2), padded(day.getUTCDate(), 2)];
  return [parts.slice(0, unit === 'year' ? 1 : unit === 'month' ? 2 : 3).join('-')];
}

/** Whether a value is short enough. */
function isTold(text: string): boolean {
  const isOdd = text.startsWith('\u0001') || text.includes('\0') || !text.isWellFormed();
  return Array.from(isOdd ? `?${JSON.stringify(text)}` : text).length <= 400;
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b);
}
