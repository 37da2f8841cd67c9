// Which proposals wait, which are begun, and of which somebody is told next: at once, and again each day, by whichever process takes
// it first.
import type { ProposalStore, StoredProposal } from '../../contract/imports/proposals.ts';
import { asNumber, asText, fragment, IS_PRESENT, numberIn, shape, table, withoutNul } from '../../rows/sql.ts';
import type { Rule, Sql } from '../rule.ts';
import { REGISTERS } from '../schema/register-tables.ts';

const PROPOSALS = table('proposals');
const IMPORTS = table('imports');
const NUMBER = numberIn('number');

const OF_REGISTER = shape(['number', 'feed'], ([number, id]) => ({ number: asNumber(number), feedId: asText(id) }));
const OF_REGISTERS = fragment`SELECT i.number, g.id FROM ${IMPORTS} i JOIN ${REGISTERS} g ON g.number = i.register`;
const OF_BEGUN = fragment`${OF_REGISTERS} WHERE i.state = 'approved'`;

type OfRegister = Pick<StoredProposal, 'number' | 'feedId'>;

/** Those that were approved and are not carried out whole: of one register, or of all. */
export function* begunProposals(sql: Sql, feedId?: string): Rule<readonly OfRegister[]> {
  if (feedId === undefined) return yield* sql.all(OF_REGISTER)`${OF_BEGUN} ORDER BY i.number`;
  return yield* sql.all(OF_REGISTER)`${OF_BEGUN} AND g.id = ${withoutNul(feedId)} ORDER BY i.number`;
}

/** Those that wait. */
export function* waitingProposals(sql: Sql): Rule<readonly OfRegister[]> {
  return yield* sql.all(OF_REGISTER)`${OF_REGISTERS} WHERE i.state = 'proposed' AND ${IS_PRESENT} ORDER BY i.number`;
}

/** Discards those that waited for too long. */
export function* discardOld(sql: Sql, before: string, now: string): Rule<void> {
  yield* sql.run`UPDATE ${IMPORTS} SET state = 'discarded', error = 'proposal_expired', ended_at = ${now}, digest = NULL
    WHERE state = 'proposed' AND begun_at < ${before}`;
}

/** Takes one that somebody is to be told of. */
export function* takeNotice(
  sql: Sql,
  { now, until }: Parameters<ProposalStore['takeNotice']>[0],
): Rule<OfRegister | null> {
  const found = yield* sql.one(OF_REGISTER)`${OF_REGISTERS} JOIN ${PROPOSALS} p ON p.number = i.number
    WHERE i.state = 'proposed' AND (p.told_until IS NULL OR p.told_until <= ${now}) ORDER BY p.number LIMIT 1`;
  if (found === null) return null;
  // Another process may have taken it meanwhile.
  const taken = yield* sql.one(NUMBER)`UPDATE ${PROPOSALS} SET told_until = ${until}
    WHERE number = ${found.number} AND (told_until IS NULL OR told_until <= ${now}) RETURNING ${NUMBER}`;
  return taken === null ? null : found;
}

/** Somebody was told. */
export function* endNotice(sql: Sql, number: number, until: string): Rule<void> {
  yield* sql.run`UPDATE ${PROPOSALS} SET told_until = ${until} WHERE number = ${number}`;
}
