// Whether the keys of a register changed since a proposal was made, so that what it adds, or renumbers, would have the key of another
// record.
import { quote } from '../../../errors.ts';
import { recordId, recordKey } from '../../../register/identity.ts';
import type { ImportCause } from '../../contract/imports/causes.ts';
import type { ProposedRecord } from '../../contract/imports/proposals.ts';
import type { PreparedRecord } from '../../contract/prepared-record.ts';
import { CONTENT_AT, slotOf, textOrNullOf } from '../../rows/columns.ts';
import { numberIn, table } from '../../rows/sql.ts';
import { findNamed } from '../record-keys.ts';
import type { Rule, Sql } from '../rule.ts';

const RECORDS = table('records');
const VERSIONS = table('versions');
const IMPORTS = table('imports');

const SLOT = numberIn('slot');
const ADDED = numberIn('added');

/** A proposal. */
interface KeyProposal {
  readonly number: number;
  readonly change: number;
  readonly cause: ImportCause;
  readonly records: (sql: Sql, number: number, batch: number) => Rule<readonly ProposedRecord[]>;
}

/** How the keys have changed. Null: they have not. */
export function* keysChangedSince(
  sql: Sql,
  { feedId, register }: { readonly feedId: string; readonly register: number },
  { number, change, cause, records }: KeyProposal,
): Rule<string | null> {
  const added = yield* sql.one(ADDED)`SELECT ${ADDED} FROM ${IMPORTS} WHERE number = ${number}`;
  if (cause !== 'renumbered' && added === 0) return null;
  const [from, to] = [slotOf(register, change), slotOf(register + 1, 0)];
  const renumbered = yield* sql.one(SLOT)`SELECT slot FROM ${VERSIONS}
    WHERE entry > ${from} AND entry < ${to} AND cause = 'renumbered' LIMIT 1`;
  if (renumbered !== null) return 'records were renumbered since it was made';
  if (cause !== 'renumbered') return null;
  const more = yield* sql.one(SLOT)`SELECT slot FROM ${VERSIONS}
    WHERE entry > ${from} AND entry < ${to} AND cause = 'first_observed' LIMIT 1`;
  if (more === null) return null;
  for (let batch = 1; ; batch++) {
    const proposed = yield* records(sql, number, batch);
    if (proposed.length === 0) return null;
    const names = proposed.map(({ record }) => ({ id: recordId(feedId, keyOf(record!)) }));
    const found = yield* findNamed(sql, feedId, names);
    for (const { id, state } of found) {
      if (state === null) continue;
      const isNew = yield* sql.one(SLOT)`SELECT v.slot FROM ${VERSIONS} v JOIN ${RECORDS} r ON r.slot = v.slot
        WHERE r.id = ${id} AND v.version = 1 AND v.entry > ${from}`;
      if (isNew !== null) return `record ${quote(id)} came since it was made, and has one of the new keys`;
    }
  }
}

function keyOf({ id, values }: PreparedRecord): string {
  return textOrNullOf(values[CONTENT_AT.key]!) ?? recordKey(id);
}
