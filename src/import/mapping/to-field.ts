// Values as the checks of a record expect them, converted where that loses nothing.
import { isHeldByDouble } from '../../register/decimal.ts';
import type { CoreFieldName, FieldType } from '../../register/record.ts';
import { isExactNumber } from '../readers/exact-number.ts';
import type { RawValue } from '../readers/raw-record.ts';
import { keptValue } from './kept-values.ts';

/** A number in a text core field (an id 123, a type 5) becomes its JSON text; dates are never made from numbers. */
export function toCore(name: CoreFieldName, value: RawValue): RawValue {
  switch (name) {
    case 'version':
    case 'published_at':
    case 'observed_at':
    case 'updated_at':
    case 'source_url':
      return value;
    default:
      return toText(value);
  }
}

/** The value for a field of this type. */
export function toField(type: FieldType, value: RawValue): RawValue {
  if (isExactNumber(value)) {
    // The double nearest to what is stated; the mapper counts such numbers. 1e400 has none, and toRecord refuses it.
    const number = Number(value.digits);
    return type === 'number' && Number.isFinite(number) ? number : value.digits;
  }
  switch (type) {
    case 'text':
      return toText(value);
    case 'number':
      // A double that is the integer, or gives its digits back, loses nothing; toRecord refuses any other.
      return typeof value === 'bigint' && isHeld(value) ? Number(value) : value;
    case 'json':
      return keptValue(value);
    default:
      return value;
  }
}

function isHeld(integer: bigint): boolean {
  return BigInt(Number(integer)) === integer || isHeldByDouble(String(integer));
}

/** The text of a scalar. */
export function toText(value: RawValue): RawValue {
  if (isExactNumber(value)) return value.digits;
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : value;
}
