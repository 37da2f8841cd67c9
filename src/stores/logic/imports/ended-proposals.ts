// What proposals that ended have left: it is removed a part at a time.
import { asNumber, fragment, numberIn, shape, table } from '../../rows/sql.ts';
import type { Engine, Rule, Sql } from '../rule.ts';

const IMPORTS = table('imports');
const PROPOSALS = table('proposals');
const PROPOSED = table('proposed_records');
const NUMBER = numberIn('number');
const FIRST = shape(['number', 'batch'], ([number, batch]) => ({ number: asNumber(number), batch: asNumber(batch) }));

/** What an import that is no proposal (any more) has left. */
const IS_LEFT = fragment`number NOT IN
  (SELECT i.number FROM ${IMPORTS} i WHERE i.state IN ('running', 'proposed', 'approved'))`;

/** Whether there is anything to do: nobody waits for a write that changes nothing. */
export function* isUntidy(sql: Sql, before: string): Rule<boolean> {
  const old = yield* sql.one(NUMBER)`SELECT number FROM ${IMPORTS}
    WHERE state = 'proposed' AND begun_at < ${before} LIMIT 1`;
  const left = yield* sql.one(NUMBER)`SELECT number FROM ${PROPOSED} WHERE ${IS_LEFT}
    UNION ALL SELECT number FROM ${PROPOSALS} WHERE ${IS_LEFT} LIMIT 1`;
  return old !== null || left !== null;
}

/** Removes what ended proposals have left, a part at a time: there may be millions of records. */
export async function removeEnded(engine: Engine): Promise<void> {
  while ((await engine.write(removeSomeEnded)) > 0);
}

function* removeSomeEnded(sql: Sql): Rule<number> {
  const row = yield* sql.one(FIRST)`SELECT number, batch FROM ${PROPOSED} WHERE ${IS_LEFT}
    ORDER BY number, batch LIMIT 1`;
  if (row !== null) {
    return yield* sql.run`DELETE FROM ${PROPOSED} WHERE number = ${row.number} AND batch = ${row.batch}`;
  }
  yield* sql.run`DELETE FROM ${PROPOSALS} WHERE ${IS_LEFT}`;
  return 0;
}
