// What is refused, each with its sentence: every rule in full, at the function that has it. What stands above such a function
// shows elsewhere that it asks it.
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parseMapping, readSource } from '../../src/import/mapping/mapping.ts';
import type { RawValue } from '../../src/import/readers/raw-record.ts';
import { defineRegister } from '../../src/register/definition.ts';
import { parsePageQuery } from '../../src/register/query.ts';
import type { ErrorDetails } from '../../src/errors.ts';
import { SAID, toSampleRecord } from './record.ts';
import { rowsOf } from './rows.ts';

/** What is refused, what is given, and the message. */
type Row = readonly [what: string | null, given: unknown, message: string];

interface Door {
  readonly code: string;
  readonly open: (given: unknown) => unknown;
  readonly details?: (message: string) => ErrorDetails;
  /** What stands before each message. */
  readonly before?: string;
}

const firstOf = (message: string): string => message.split(' ', 1)[0]!;

const DOORS: Readonly<Record<string, Door>> = {
  defineRegister: {
    code: 'invalid_definition',
    open: (change) => defineRegister({ id: 'permits', title: 'Permits', created_at: '2026-01-01T00:00:00Z', ...(change as object) }), // prettier-ignore
    details: (message) => ({ member: firstOf(message) }),
  },
  toRecord: {
    code: 'invalid_record',
    open: (change) => toSampleRecord({ ...SAID, ...(change as object) }),
    details: (message) => ({ where: 'line 7', field: firstOf(message) }),
    before: 'line 7: ',
  },
  parsePageQuery: {
    code: 'invalid_parameter',
    open: (query) => parsePageQuery(new URLSearchParams(query as string), { defaultLimit: 100 }),
    details: (message) => ({ parameter: firstOf(message) }),
  },
  parseMapping: {
    code: 'invalid_mapping',
    open: (expressions) => parseMapping(expressions as readonly string[]),
    before: 'the mapping is not valid: ',
  },
  readSource: {
    code: 'invalid_record',
    open: (given) => {
      const [expression, record] = given as readonly [string, RawValue];
      return readSource(parseMapping([expression])[0]!, record, 'file: line 1');
    },
  },
};

const ROWS = rowsOf<Row>('refusals.ndjson');

it('every row has a door, and every door a row', () => {
  expect([...ROWS.keys()].toSorted()).toEqual(Object.keys(DOORS).toSorted());
});

describe.each(Object.entries(DOORS))('%s refuses', (name, { code, open, details, before = '' }) => {
  it.each(
    ROWS.get(name)!.map(
      ([what, given, message]) => [what ?? inspect(given, { maxStringLength: 80 }), given, message] as const,
    ),
  )('%s', (_, given, message) => {
    const error = {
      code,
      message: `${before}${message}`,
      ...(details === undefined ? {} : { details: details(message) }),
    };
    expect(() => open(given)).toThrow(expect.objectContaining(error) as Error);
  });
});
