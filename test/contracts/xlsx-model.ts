// What a record must come back as from a workbook, said without the writers' code: the rules of the XLSX format once
// more, with the language's own date arithmetic.
import { canonicalJson, type JsonValue } from '../../src/register/canonical-json.ts';
import { allFields } from '../../src/register/fields.ts';
import type { FieldType, RegisterDefinition, RegisterRecord } from '../../src/register/record.ts';
import { carried } from './xml-tree.ts';

/** A cell that must be read: a text, a number, a boolean, or a moment with the precision it is shown in. */
export type ExpectedCell =
  | { readonly kind: 'value'; readonly value: string | number | boolean }
  | { readonly kind: 'moment'; readonly ms: number; readonly format: RegExp };

/** What the report must count for a record, besides links. */
export interface Expectation {
  readonly cells: readonly (ExpectedCell | null)[];
  readonly isReplaced: boolean;
  readonly cut: number;
  readonly asText: number;
}

const FIRST_MOMENT = Date.UTC(1900, 2, 1);
const END_OF_MOMENTS = Date.UTC(10_000, 0, 1);

/** Everything one record must become. */
export function expectedRow(definition: RegisterDefinition, record: RegisterRecord): Expectation {
  let isReplaced = false;
  let cut = 0;
  let asText = 0;
  const text = (value: string, instead = false): ExpectedCell => {
    if (instead) asText++;
    let kept = value;
    if (value.length > 32_767) {
      cut++;
      kept = value.slice(0, 32_763);
      // Half a pair at the end goes; a surrogate that was lone before is replaced like any other.
      if (/[\ud800-\udbff]$/.test(kept) && /^[\udc00-\udfff]/.test(value.slice(32_763))) kept = kept.slice(0, -1);
      kept += ' […]';
    }
    const clean = carried(kept);
    if (clean !== kept) isReplaced = true;
    return { kind: 'value', value: clean };
  };
  const cells = allFields(definition).map(({ name, type }): ExpectedCell | null => {
    const value = valueOf(record, name);
    if (value === null || value === undefined) return null;
    if (type === 'json' || typeof value === 'object') return text(canonicalJson(value));
    if (typeof value === 'boolean') return { kind: 'value', value };
    if (typeof value === 'number') return expectedNumber(type, value) ?? text(String(value), true);
    if (type === 'integer') {
      return value.replace('-', '').length <= 15 ? { kind: 'value', value: Number(value) } : text(value, true);
    }
    if (type === 'decimal') {
      const digits = value.replace(/[-.]/g, '').replace(/^0+/, '').replace(/0+$/, '');
      const isHeld = digits.length <= 15 && Number.isFinite(Number(value));
      return isHeld ? { kind: 'value', value: Number(value) + 0 } : text(value, true);
    }
    if (type === 'date' || type === 'datetime') return expectedMoment(value) ?? text(value, true);
    return text(value);
  });
  return { cells, isReplaced, cut, asText };
}

function valueOf(record: RegisterRecord, name: string): JsonValue | undefined {
  if (Object.hasOwn(record, name)) return record[name as 'title'];
  return Object.hasOwn(record.data, name) ? record.data[name] : null;
}

function expectedNumber(type: FieldType, value: number): ExpectedCell | null {
  if (!Number.isFinite(value)) return null;
  const isWhole = Number.isInteger(value);
  const isShort = Math.abs(value) < 1e15;
  // A measurement keeps its kind where 15 digits say all of it.
  const isSaid = type === 'number' && Number(value.toPrecision(15)) === value;
  return !isWhole || isShort || isSaid ? { kind: 'value', value: value === 0 ? 0 : value } : null;
}

/** A date or date-time as a cell; null where only a text can hold it. */
export function expectedMoment(value: string): ExpectedCell | null {
  // A serial is in UTC, and is shown with no fraction or with three digits of it: other times would be read otherwise.
  const isShown = /^[^T]*$|T[\d:]{8}(?:\.\d{3})?Z$/.test(value);
  const ms = Date.parse(value);
  if (!isShown || ms < FIRST_MOMENT || ms >= END_OF_MOMENTS) return null;
  const format = value.length === 10 ? /-dd$/ : value.length === 20 ? /hh:mm:ss"Z"$/ : /hh:mm:ss\.000"Z"$/;
  return { kind: 'moment', ms, format };
}
