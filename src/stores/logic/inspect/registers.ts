// Checks the rows of registers: their definitions, their logs, and the form of everything else. Their counters are
// checked with their versions.
import { GazetteError } from '../../../errors.ts';
import { defineRegister, type DefinitionInput } from '../../../register/definition.ts';
import { isDateTime, toEpochMs } from '../../../register/time.ts';
import type { Finding } from '../../contract/inspection.ts';
import type { LogRow } from '../../rows/commitment.ts';
import { definitionText } from '../../rows/register.ts';
import { Fragment, type Shape, shape, table } from '../../rows/sql.ts';
import type { Rule, Sql } from '../rule.ts';
import { jsonIn } from '../../rows/table.ts';
import { REGISTERS } from '../schema/register-tables.ts';
import { findingAt, mustBe } from './forms.ts';
import { formsOf, readable } from './table-rules.ts';
import type { FoundRegister } from './version-rules.ts';

const LOGS = table('logs');

const FORMS = formsOf(REGISTERS);

/** A register's row as it lies in its columns. */
interface StoredRegister {
  readonly values: ReadonlyMap<string, string | null>;
  readonly definition: string;
  /** Whether a register of its id was removed before. */
  readonly hadOther: boolean;
  readonly isPresent: boolean;
}

const COLUMNS = new Fragment((dialect) =>
  [
    ...FORMS.map(([name]) => readable(REGISTERS, name, 'g')),
    'g.definition',
    `CASE WHEN EXISTS (SELECT 1 FROM ${dialect.table('removed_registers')} o WHERE o.id = g.id) THEN 1 ELSE 0 END`,
    `CASE WHEN ${dialect.isPresent} THEN 1 ELSE 0 END`,
  ].join(', '),
);

const STORED: Shape<StoredRegister> = shape([], (row) => ({
  values: new Map(FORMS.map(([name], at) => [name, row[at] as string | null])),
  definition: row[FORMS.length] as string,
  hadOther: row[FORMS.length + 1] === 1,
  isPresent: row[FORMS.length + 2] === 1,
}));

/** A log's columns, whatever is in them. */
export const READABLE_LOG: Shape<LogRow> = shape(['CAST(number AS text)', 'uuid'], ([number, uuid]) => ({
  number: Number(number),
  uuid: uuid as string,
}));

/** What is said of a register whose removal has not ended. What is left of its rows is nobody's any more. */
const REMOVED =
  'the register was removed, but not all of its rows: every command that opens the store for writing, and gazette serve, go on with it';

/** The result of {@link checkRegisters}. */
export interface CheckedRegisters {
  readonly findings: readonly Finding[];
  /** Those whose log can be checked. */
  readonly registers: readonly FoundRegister[];
}

/** Checks the rows of all registers. */
export function* checkRegisters(sql: Sql): Rule<CheckedRegisters> {
  const findings: Finding[] = [];
  const registers: FoundRegister[] = [];
  const stored = yield* sql.all(STORED)`SELECT ${COLUMNS} FROM ${REGISTERS} g ORDER BY g.number`;
  for (const register of stored) {
    const { values } = register;
    const number = Number(values.get('number'));
    const id = values.get('id') ?? '';
    const place = { table: 'registers', row: `number ${values.get('number')}`, feedId: id };
    const hasNumber = REGISTERS.columns.number!.fits!(values.get('number')!);
    const logs = hasNumber
      ? yield* sql.all(
          READABLE_LOG,
        )`SELECT ${READABLE_LOG} FROM ${LOGS} l WHERE l.register = ${number} ORDER BY l.number`
      : [];
    const problems = register.isPresent
      ? [...formProblems(values), ...definitionProblems(register), ...logProblems(register, logs)]
      : [REMOVED];
    findings.push(...problems.map((problem) => findingAt(place, problem)));
    if (!hasNumber || !register.isPresent) continue;
    registers.push({ number, id, change: Number(values.get('change')) });
  }
  return { findings, registers };
}

function formProblems(values: StoredRegister['values']): string[] {
  return FORMS.flatMap(([name, { fits, expected }]) => {
    const value = values.get(name)!;
    return fits!(value) ? [] : [mustBe(name, expected, value)];
  });
}

function definitionProblems({ definition: text, values }: StoredRegister): string[] {
  const id = values.get('id');
  const uuid = values.get('uuid');
  const stored = jsonIn(text);
  if (stored === undefined) return [mustBe('definition', 'JSON')];
  try {
    const definition = defineRegister(stored as DefinitionInput);
    if (definition.id !== id) return [mustBe('id', `that of its definition, ${definition.id}`, id ?? null)];
    if (definition.uuid === null) return [mustBe('definition', 'one with a uuid')];
    if (uuid !== definition.uuid) {
      return [mustBe('uuid', `that of its definition, ${definition.uuid}`, uuid ?? null)];
    }
    return definitionText(definition) === text ? [] : [mustBe('definition', 'canonical JSON of a whole definition')];
  } catch (error) {
    if (!(error instanceof GazetteError)) throw error;
    return [`the definition is invalid: ${error.message}`];
  }
}

function logProblems({ values, hadOther }: StoredRegister, logs: readonly LogRow[]): string[] {
  const problems: string[] = [];
  const log = logs.at(-1)?.uuid ?? '';
  if (values.get('log') !== log) problems.push(mustBe('log', `the last of its logs, ${log}`, values.get('log')));
  const isSuccessor = Number(hadOther || logs.length > 1);
  if (Number(values.get('is_successor')) !== isSuccessor) {
    problems.push(mustBe('is_successor', String(isSuccessor), values.get('is_successor')));
  }
  const lastChange = values.get('last_change') ?? null;
  if (lastChange === null || !isDateTime(lastChange)) return problems;
  const seconds = Math.floor(toEpochMs(lastChange) / 1000);
  if (Number(values.get('last_modified')) < seconds) {
    problems.push(
      mustBe('last_modified', `at least ${seconds}, when the register last changed`, values.get('last_modified')),
    );
  }
  return problems;
}
