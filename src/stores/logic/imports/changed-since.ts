// Whether a register changed since a proposal was made, so that it would do something else.
import { quote } from '../../../errors.ts';
import { canonicalJson } from '../../../register/canonical-json.ts';
import type { ProposedRecord, ProposedSettings } from '../../contract/imports/proposals.ts';
import { SLOT_SPAN, slotOf } from '../../rows/columns.ts';
import { definitionOf, type RegisterRow } from '../../rows/register.ts';
import { asText, numberIn, shape, table } from '../../rows/sql.ts';
import type { Rule, Sql } from '../rule.ts';
import { keysChangedSince } from './changed-keys.ts';
import { isSame, settingsOf } from './settings.ts';

const RECORDS = table('records');
const WITHDRAWN = table('withdrawn');
const VERSIONS = table('versions');
const PROPOSALS = table('proposals');
const PROPOSED = table('proposed_records');

const SLOT = numberIn('slot');
const ID = shape(['record_id'], ([id]) => asText(id));
const UNCHANGED = shape(['unchanged'], ([unchanged]) => unchanged as Uint8Array);

/** A record that the proposal concerns, and that has changed since. Null: there is none. */
function* changedSince(
  sql: Sql,
  register: number,
  { number, change, isWhole }: { readonly number: number; readonly change: number; readonly isWhole: boolean },
): Rule<string | null> {
  const [from, to] = [slotOf(register, change), slotOf(register + 1, 0)];
  const proposed = yield* sql.one(ID)`SELECT p.record_id FROM ${VERSIONS} v
    LEFT JOIN ${RECORDS} r ON r.slot = v.slot LEFT JOIN ${WITHDRAWN} w ON w.slot = v.slot
    JOIN ${PROPOSED} p ON p.record_id = coalesce(r.id, w.id)
    WHERE v.entry > ${from} AND v.entry < ${to} AND p.number = ${number} LIMIT 1`;
  if (proposed !== null) return proposed;
  // What a whole file lacks is withdrawn: whatever came meanwhile is in it unchanged, or lacking.
  if (isWhole) {
    const live = yield* sql.one(ID)`SELECT r.id AS record_id FROM ${VERSIONS} v JOIN ${RECORDS} r ON r.slot = v.slot
      WHERE v.entry > ${from} AND v.entry < ${to} LIMIT 1`;
    if (live !== null) return live;
  }
  const unchanged = (yield* sql.one(UNCHANGED)`SELECT ${UNCHANGED} FROM ${PROPOSALS} WHERE number = ${number}`)!;
  const slots = yield* sql.all(SLOT)`SELECT DISTINCT slot FROM ${VERSIONS} WHERE entry > ${from} AND entry < ${to}`;
  const slot = slots.find((each) => hasBit(unchanged, each % SLOT_SPAN));
  if (slot === undefined) return null;
  return yield* sql.one(ID)`SELECT id AS record_id FROM ${RECORDS} WHERE slot = ${slot}
    UNION ALL SELECT id FROM ${WITHDRAWN} WHERE slot = ${slot}`;
}

/** Whether a proposal leaves the record of a position as it is. */
export function hasBit(bits: Uint8Array, at: number): boolean {
  return ((bits[at >> 3] ?? 0) & (1 << (at & 7))) !== 0;
}

/** Why a proposal would do something else by now. Null: it would not. @param records its records */
export function* whyOutdated(
  sql: Sql,
  feedId: string,
  head: RegisterRow,
  said: { readonly number: number; readonly change: number; readonly settings: string },
  records: (sql: Sql, number: number, batch: number) => Rule<readonly ProposedRecord[]>,
): Rule<string | null> {
  const { fields, isWhole, replaces, cause } = JSON.parse(said.settings) as ProposedSettings;
  if (canonicalJson(fields as never) !== canonicalJson(definitionOf(head).fields as never)) {
    return `register ${quote(feedId)} has other fields than when it was made`;
  }
  if (!isSame(yield* settingsOf(sql, head, Object.keys(replaces)), replaces)) {
    return `register ${quote(feedId)} has other settings than when it was made`;
  }
  const keys = yield* keysChangedSince(sql, { feedId, register: head.number }, { ...said, cause, records });
  if (keys !== null) return keys;
  const other = yield* changedSince(sql, head.number, { ...said, isWhole });
  return other === null
    ? null
    : `record ${quote(other)} has changed since it was made, and the result would be another`;
}
