// What an import sets of its register besides records. What it replaces is kept with it, so that it can be put back.
import { canonicalJson } from '../../../register/canonical-json.ts';
import type { RegisterDefinition } from '../../../register/record.ts';
import type { UnderLease } from '../../contract/leases.ts';
import type { RegisterSettings, ReplacedSettings } from '../../contract/imports/settings.ts';
import { definitionOf, REGISTER, type RegisterRow, unknownFeed } from '../../rows/register.ts';
import { FOR_UPDATE, IS_PRESENT, type Shape, shape, table } from '../../rows/sql.ts';
import { beginWrite, endWrite } from '../leases.ts';
import { changeDefinition } from '../registers.ts';
import type { Rule, Sql } from '../rule.ts';
import { REGISTERS } from '../schema/register-tables.ts';
import { findImport } from './table.ts';

const IMPORTS = table('imports');

const OWN = REGISTERS.shape({ ignored: 'ignored', findings: 'findings', reading: 'reading' }) as Shape<
  Pick<RegisterSettings, 'ignored' | 'findings' | 'reading'>
>;
const REPLACED = shape(['replaced'], ([replaced]) => {
  return replaced === null ? null : (JSON.parse(replaced as string) as Omit<ReplacedSettings, 'now'>);
});

/** Some of the settings of a register. @param names which */
export function* settingsOf(sql: Sql, head: RegisterRow, names: readonly string[]): Rule<Partial<RegisterSettings>> {
  if (names.length === 0) return {};
  const own = (yield* sql.one(OWN)`SELECT ${OWN} FROM ${REGISTERS} WHERE number = ${head.number}`)!;
  const all: object = { ...definitionOf(head), ...own, order: head.order };
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
}

/** Whether settings are the same. */
export function isSame(one: Partial<RegisterSettings>, other: Partial<RegisterSettings>): boolean {
  return canonicalJson(one as never) === canonicalJson(other as never);
}

/** Sets what an import sets. Done again, it changes nothing. */
export function* setSettings(
  sql: Sql,
  feedId: string,
  number: number,
  given: Partial<RegisterSettings>,
  { recordedAt, ...under }: { readonly recordedAt: string } & UnderLease,
): Rule<void> {
  // First, or a removal meanwhile leaves a register without its imports.
  const head = yield* sql.one(REGISTER)`SELECT ${REGISTER} FROM ${REGISTERS}
    WHERE id = ${feedId} AND ${IS_PRESENT} ${FOR_UPDATE}`;
  if (head === null) throw unknownFeed(feedId);
  yield* findImport(sql, feedId, number);
  const definition = definitionOf(head);
  if ((yield* beginWrite(sql, feedId, head.number, under)) !== null) return;
  const known = yield* settingsOf(sql, head, Object.keys(given));
  const names = (Object.keys(given) as (keyof RegisterSettings)[]).filter(
    (name) => !isSame({ [name]: known[name] }, { [name]: given[name] }),
  );
  if (names.length > 0) {
    const [before, after] = [known, given].map((all) => Object.fromEntries(names.map((name) => [name, all[name]])));
    const { order, ignored, findings, reading, ...described } = { ...(after as Partial<RegisterSettings>) };
    const changed: RegisterDefinition = { ...definition, ...described };
    yield* changeDefinition(sql, head, changed, recordedAt);
    if (order !== undefined)
      yield* sql.run`UPDATE ${REGISTERS} SET import_order = ${order} WHERE number = ${head.number}`;
    if (ignored !== undefined)
      yield* sql.run`UPDATE ${REGISTERS} SET ignored = ${JSON.stringify(ignored)} WHERE number = ${head.number}`;
    if (findings !== undefined)
      yield* sql.run`UPDATE ${REGISTERS} SET findings = ${JSON.stringify(findings)} WHERE number = ${head.number}`;
    if (reading !== undefined)
      yield* sql.run`UPDATE ${REGISTERS} SET reading = ${reading} WHERE number = ${head.number}`;
    yield* sql.run`UPDATE ${IMPORTS} SET replaced = ${JSON.stringify({ before, after })} WHERE number = ${number}`;
  }
  yield* endWrite(sql, under, []);
}

/** What an import replaced, and what that is by now. */
export function* replacedBy(sql: Sql, feedId: string, number: number): Rule<ReplacedSettings> {
  const { register } = yield* findImport(sql, feedId, number);
  const replaced = yield* sql.one(REPLACED)`SELECT ${REPLACED} FROM ${IMPORTS} WHERE number = ${number}`;
  const { before, after } = replaced ?? { before: {}, after: {} };
  const head = yield* sql.one(REGISTER)`SELECT ${REGISTER} FROM ${REGISTERS} WHERE number = ${register}`;
  if (head === null) throw unknownFeed(feedId);
  return { before, after, now: yield* settingsOf(sql, head, Object.keys(after)) };
}
