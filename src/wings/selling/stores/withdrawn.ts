// What was bought of records that imports withdraw: counted before, and given back after it.
import type { LedgerEntry } from './contract/ledger.ts';
import { numberIn, table } from '../../../stores/rows/sql.ts';
import type { Rule, Sql } from '../../../stores/logic/rule.ts';
import { ENTRY, GRANTS, LEDGER } from './tables.ts';

const RECORDS = table('records');
const WITHDRAWN = table('withdrawn');
const VERSIONS = table('versions');
const IMPORTS = table('imports');
const PROPOSED = table('proposed_records');

const NUMBER = numberIn('number');

/** How many purchases are owned of the records that a proposal withdraws. */
export function* soldOf(sql: Sql, proposal: number): Rule<number> {
  const found = yield* sql.one(NUMBER)`SELECT count(*) AS number FROM ${PROPOSED} p
    JOIN ${GRANTS} g ON g.record_id = p.record_id JOIN ${RECORDS} r ON r.slot = g.slot
    WHERE p.number = ${proposal} AND p.stated IS NULL`;
  return found!;
}

/** The charges of what is owned of records that an import withdrew, or that went when it was taken back, and that are not live. */
export function* chargesOfWithdrawn(
  sql: Sql,
  number: number,
  above: number,
  limit: number,
): Rule<readonly LedgerEntry[]> {
  return yield* sql.all(ENTRY)`SELECT ${ENTRY} FROM ${LEDGER} WHERE number > ${above} AND number IN (
      SELECT g.charge FROM ${GRANTS} g JOIN ${WITHDRAWN} w ON w.slot = g.slot
        JOIN ${VERSIONS} v ON v.slot = w.slot AND v.version = w.version
        JOIN ${IMPORTS} i ON i.number = v.import
      WHERE i.number = ${number} OR i.undoes = ${number})
    ORDER BY number LIMIT ${limit}`;
}
