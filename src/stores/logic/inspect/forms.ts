// How findings are said, and what is read of values that may not be what they should.
import { isObject } from '../../../checks.ts';
import { GazetteError, quote } from '../../../errors.ts';
import { defineRegister, type DefinitionInput } from '../../../register/definition.ts';
import type { RegisterDefinition } from '../../../register/record.ts';
import type { Finding } from '../../contract/inspection.ts';
import type { SqlValue } from '../../rows/columns.ts';
import { jsonIn } from '../../rows/table.ts';

/** The object of a JSON text; undefined where it is none. */
export function objectIn(text: SqlValue): Readonly<Record<string, unknown>> | undefined {
  const value = jsonIn(text);
  return isObject(value) ? value : undefined;
}

/** A stored definition; undefined where it is none: the rules of registers say what is wrong with it. */
export function definitionIn(text: SqlValue): RegisterDefinition | undefined {
  const stored = objectIn(text);
  try {
    return stored === undefined ? undefined : defineRegister(stored as unknown as DefinitionInput);
  } catch (error) {
    if (!(error instanceof GazetteError)) throw error;
    return undefined;
  }
}

/** A value in a message: the beginning of a text, and nothing of bytes. */
export function shown(value: SqlValue): string {
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  return typeof value === 'string' ? quote(value) : String(value);
}

/** The row that a finding is about. */
export type Place = Pick<Finding, 'table' | 'row'> & Partial<Finding>;

/** A finding about a row. */
export function findingAt(place: Place, problem: string): Finding {
  return { feedId: null, recordId: null, version: null, ...place, problem };
}

/** The words of a finding about a column. @param got left out where the value must not be shown */
export function mustBe(column: string, expected: string, got?: SqlValue): string {
  return `${column} must be ${expected}${got === undefined ? '' : `, got ${shown(got)}`}`;
}
