// What the rows of a Parquet file must be, by the NDJSON of the same register: both sides as values that tests compare.
import { CORE_FIELDS } from '../../src/register/fields.ts';
import type { JsonValue } from '../../src/register/canonical-json.ts';
import { numberKey } from '../../src/register/decimal.ts';
import type { Field, FieldType, RegisterDefinition, RegisterRecord } from '../../src/register/record.ts';

/** A row as it is stored: days and microseconds since 1970, decimals in units of the eighteenth place. */
export type StoredRow = Readonly<Record<string, unknown>>;

/** The values of a line of NDJSON by the names of columns. */
export function rowOfLine(definition: RegisterDefinition, line: string): Record<string, unknown> {
  const record = JSON.parse(line) as RegisterRecord;
  const valueOf = ({ name }: Field, isCore: boolean): JsonValue =>
    isCore ? record[name as 'id'] : (record.data[name] ?? null);
  return Object.fromEntries([
    ...CORE_FIELDS.map((field) => [field.name, stated(field.type, valueOf(field, true))]),
    ...definition.fields.map((field) => [field.name, stated(field.type, valueOf(field, false))]),
  ]) as Record<string, unknown>;
}

/** The same of a row: a value that stands whole in the last column is taken from there. */
export function rowOfColumns(definition: RegisterDefinition, row: StoredRow): Record<string, unknown> {
  const exact = (row._exact ?? {}) as Readonly<Record<string, string>>;
  const entries = [...CORE_FIELDS, ...definition.fields].map(({ name, type }) => {
    const value = stored(type, row[name]);
    if (!Object.hasOwn(exact, name)) return [name, value];
    const whole = stated(type, exact[name]!);
    // Of an instant the column holds the nearest microsecond before it, of numbers nothing.
    const held = type === 'datetime' ? (whole as bigint) - ((((whole as bigint) % 1000n) + 1000n) % 1000n) : null;
    return [name, value === held ? whole : `column ${String(value)} beside ${exact[name]}`];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

function stated(type: FieldType, value: JsonValue): unknown {
  if (value === null) return value;
  if (type === 'json') return JSON.parse(JSON.stringify(value), (_, item: unknown) => wellFormed(item)) as unknown;
  if (type === 'number') return Number(value);
  if (type === 'integer') return BigInt(value as string);
  if (type === 'decimal') return numberKey(value as string);
  if (type === 'datetime') return nanoseconds(value as string);
  return typeof value === 'string' ? value.toWellFormed() : value;
}

function stored(type: FieldType, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (type === 'number') return (value as number) + 0;
  if (type === 'decimal') return numberKey(pointed(value as bigint));
  if (type === 'date') return new Date((value as number) * 86_400_000).toISOString().slice(0, 10);
  return type === 'datetime' ? (value as bigint) * 1000n : value;
}

function wellFormed(item: unknown): unknown {
  if (typeof item === 'string') return item.toWellFormed();
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name.toWellFormed(), value as unknown]));
}

/** Nanoseconds since 1970. */
function nanoseconds(text: string): bigint {
  const [, seconds = '', fraction = '', zone = ''] = /^(.{10}(?:T.{8})?)(?:\.(\d+))?(.*)$/.exec(text)!;
  const ms = Date.parse(seconds + zone);
  return BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

function pointed(units: bigint): string {
  const digits = String(units < 0n ? -units : units).padStart(19, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -18)}.${digits.slice(-18)}`;
}
