// Takes versions into a register as the log of another store has them: the same numbers, times, salts and commitments, so that the
// same log is made of them. Each is checked before it is written: that it follows the one before it, and that it says what it commits
// to. What a redaction erased there is erased here as soon as the first of its erased versions comes.
import type { TakenVersion } from '../../contract/mirrors.ts';
import { CONTENT_AT, RECORD_COLUMNS, slotOf } from '../../rows/columns.ts';
import { LOG } from '../../rows/commitment.ts';
import { checkRoom, definitionOf, type RegisterRow } from '../../rows/register.ts';
import { numberIn, table } from '../../rows/sql.ts';
import { beginTermChanges, writeTerms } from '../finding/term-postings.ts';
import { eraseImportDigests } from '../imports/log.ts';
import { committed, erasing } from '../plugins/joined.ts';
import { askForPurge } from '../purges.ts';
import { keepErasedKeys } from '../record-keys.ts';
import { eraseContent } from '../redaction.ts';
import type { Rule, Sql, SqlParameter } from '../rule.ts';
import { TALLIED_COLUMNS } from '../value-tally.ts';
import { beginTally, endTally } from '../values.ts';
import { closeDeliveries } from '../webhooks/deliveries.ts';
import { checkNext, isErasing, statedIn, wrong } from './next-version.ts';
import {
  GONE,
  inOrder,
  KEPT,
  leaving,
  LIVE,
  LOGGED,
  loggedRow,
  nextPlace,
  observed,
  ofColumns,
  type Place,
  placesOf,
  recordRow,
} from './places.ts';

const REGISTERS = table('registers');
const LOGS = table('logs');
const VERSIONS = table('versions');
const WITHDRAWN = table('withdrawn');
const IMPORTS = table('imports');

const NUMBER = numberIn('number');

/** Takes versions into a register that is locked. @param parts what of the database is to be rewritten once something is erased */
export function* takeVersions(
  sql: Sql,
  before: RegisterRow,
  versions: readonly TakenVersion[],
  parts: readonly string[],
): Rule<RegisterRow> {
  const { id: feedId } = definitionOf(before);
  checkRoom(feedId, { top: before.top, change: before.change + versions.length });
  let head = before;
  for (const run of runsOf(versions)) {
    const from = head.change;
    const [first] = run as readonly [TakenVersion, ...TakenVersion[]];
    const log = yield* logOf(sql, head, first);
    if (isErasing(first)) head = yield* takeErased(sql, head, first, { log, parts });
    else head = yield* takeRun(sql, head, run, log);
    yield* committed(sql, { register: head.number, from, to: head.change });
    yield* sql.run`UPDATE ${REGISTERS} SET top = ${head.top}, change = ${head.change}, live = ${head.live},
      last_change = ${head.lastChange} WHERE number = ${head.number}`;
  }
  return head;
}

/** Versions that are written together: of one log, and one that erases by itself. */
function* runsOf(versions: readonly TakenVersion[]): Generator<readonly TakenVersion[]> {
  for (let from = 0; from < versions.length;) {
    const first = versions[from]!;
    let to = from + 1;
    if (!isErasing(first))
      while (to < versions.length && !isErasing(versions[to]!) && versions[to]!.log === first.log) to++;
    yield versions.slice(from, to);
    from = to;
  }
}

/** The number of the log of a version: the register's latest, or one that begins with it. */
function* logOf(sql: Sql, head: RegisterRow, { change, log }: TakenVersion): Rule<number> {
  const latest = (yield* sql.one(LOG)`SELECT ${LOG} FROM ${LOGS} WHERE register = ${head.number}
    ORDER BY number DESC LIMIT 1`)!;
  if (latest.uuid === log) return latest.number;
  return yield* beginLog(sql, head, log, change);
}

/**
 * Gives a register another log; one that nothing was written to gets its name.
 *
 * @param at the change that its source says to be of it
 * @returns its number
 * @throws GazetteError `invalid_answer` for the log of other changes, or of another register
 */
export function* beginLog(sql: Sql, { number, change }: RegisterRow, log: string, at: number): Rule<number> {
  const known = yield* sql.one(NUMBER)`SELECT ${NUMBER} FROM ${LOGS} WHERE uuid = ${log}`;
  if (known !== null) throw wrong(at, 'of the latest log');
  if (change === 0) yield* sql.run`DELETE FROM ${LOGS} WHERE register = ${number}`;
  else yield* sql.run`UPDATE ${REGISTERS} SET is_successor = 1 WHERE number = ${number}`;
  yield* sql.run`UPDATE ${REGISTERS} SET log = ${log} WHERE number = ${number}`;
  return (yield* sql.one(NUMBER)`INSERT INTO ${LOGS} (register, uuid) VALUES (${number}, ${log}) RETURNING ${NUMBER}`)!;
}

function* takeRun(sql: Sql, head: RegisterRow, versions: readonly TakenVersion[], log: number): Rule<RegisterRow> {
  const definition = definitionOf(head);
  const before = yield* placesOf(sql, head, versions);
  const after = new Map(before);
  const taken = { ...head };
  const logged: SqlParameter[][] = [];
  const kept: SqlParameter[][] = [];
  const lifted: Place[] = [];
  const undone = new Map<number, number>();
  for (const version of versions) {
    const place = after.get(slotOf(head.number, version.position));
    checkNext(definition.id, taken, place, version);
    const said = statedIn(version);
    const content = said === null ? null : observed(said, place, version);
    const next = nextPlace(head.number, place, version, content);
    // A version shows the content that is kept under the number that it names: of those that were erased, an empty one.
    if (place?.state === 'redacted') lifted.push(place);
    if (content !== null && place !== undefined) kept.push([place.slot, place.contentVersion, ...inOrder(KEPT, place)]);
    taken.live += Number(next.state === 'live') - Number(place?.state === 'live');
    taken.top = Math.max(taken.top, version.position);
    taken.change = version.change;
    taken.lastChange = version.recordedAt;
    taken.isRenumbered ||= content !== null && content[CONTENT_AT.key] !== null;
    after.set(next.slot, next);
    const by = version.undoes === null ? null : yield* importUndoing(sql, head.number, version, undone);
    logged.push(loggedRow(head.number, next, version, { log, by }));
  }
  const places = [...after.values()];
  yield* sql.drop(GONE, leaving(before, places, false));
  yield* sql.drop(LIVE, leaving(before, places, true));
  yield* sql.put(
    LIVE,
    places.filter(({ state }) => state === 'live').map((place) => recordRow(LIVE, place)),
  );
  yield* sql.put(
    GONE,
    places.filter(({ state }) => state !== 'live').map((place) => recordRow(GONE, place)),
  );
  yield* sql.put(KEPT, kept);
  yield* sql.put(LOGGED, logged);
  for (const { slot, version, contentVersion } of lifted)
    yield* sql.run`UPDATE ${VERSIONS} SET content_version = ${contentVersion} WHERE slot = ${slot} AND version <= ${version}`;
  const terms = yield* beginTermChanges(sql, head, definition);
  const tallied = yield* beginTally(sql, head);
  for (const place of places) {
    const [old, now] = [before.get(place.slot), place].map((one) => (one?.state === 'live' ? one : null));
    if (old) tallied.tally.countRow(ofColumns(old, TALLIED), -1);
    if (now) tallied.tally.countRow(ofColumns(now, TALLIED), 1);
    if (old || now)
      terms.change(old ? ofColumns(old, RECORD_COLUMNS) : null, now ? ofColumns(now, RECORD_COLUMNS) : null);
  }
  yield* endTally(sql, head, tallied);
  yield* writeTerms(sql, terms);
  if (taken.isRenumbered && !head.isRenumbered)
    yield* sql.run`UPDATE ${REGISTERS} SET is_renumbered = 1 WHERE number = ${head.number}`;
  return taken;
}

/** Takes in a redaction, or a version that one has erased. */
function* takeErased(
  sql: Sql,
  head: RegisterRow,
  version: TakenVersion,
  { log, parts }: { readonly log: number; readonly parts: readonly string[] },
): Rule<RegisterRow> {
  const { id, position, recordedAt, change, recordHmac } = version;
  const slot = slotOf(head.number, position);
  const place = (yield* placesOf(sql, head, [version])).get(slot);
  checkNext(definitionOf(head).id, head, place, version);
  statedIn(version);
  if (place === undefined) {
    yield* sql.run`INSERT INTO ${WITHDRAWN} (slot, id, version, content_version, updated_at, is_redacted)
      VALUES (${slot}, ${id}, 1, 1, ${recordedAt}, 1)`;
  }
  if (place !== undefined && place.state !== 'redacted') {
    yield* eraseImportDigests(sql, id);
    yield* keepErasedKeys(sql, head, slot);
    yield* askForPurge(sql, parts, recordedAt);
    yield* eraseContent(sql, head, { id, slot, version: version.version }, place.state === 'live');
    yield* closeDeliveries(sql, id);
  } else {
    if (recordHmac === null) throw wrong(change, 'given with its entry: what it said was erased');
    yield* erasing(sql, { id, slot, version: version.version, hmac: recordHmac });
  }
  yield* sql.run`UPDATE ${WITHDRAWN} SET version = ${version.version}, updated_at = ${recordedAt} WHERE slot = ${slot}`;
  // A redaction that a later one follows was erased with what was before it.
  if (version.cause === 'redacted')
    yield* sql.run`UPDATE ${VERSIONS} SET salt = NULL, changed = NULL WHERE slot = ${slot}`;
  const by = version.undoes === null ? null : yield* importUndoing(sql, head.number, version, new Map());
  const next = { slot, contentVersion: place?.contentVersion ?? 1 };
  yield* sql.put(LOGGED, [loggedRow(head.number, next, version, { log, by })]);
  const isLive = place?.state === 'live';
  return {
    ...head,
    change,
    top: Math.max(head.top, position),
    live: head.live - Number(isLive),
    lastChange: recordedAt,
  };
}

const TALLIED = TALLIED_COLUMNS.split(', ');

/** The import under which a version says that it takes back one of its source's. */
function* importUndoing(
  sql: Sql,
  register: number,
  { undoes, cause, recordedAt }: TakenVersion,
  known: Map<number, number>,
): Rule<number> {
  const number: number =
    known.get(undoes!) ??
    (yield* sql.one(NUMBER)`SELECT ${NUMBER} FROM ${IMPORTS}
      WHERE register = ${register} AND kind = 'undo' AND undoes = ${undoes} LIMIT 1`) ??
    (yield* sql.one(NUMBER)`INSERT INTO ${IMPORTS} (register, kind, undoes, file, cause, begun_at, state, ended_at)
      VALUES (${register}, 'undo', ${undoes}, '', ${cause === 'extraction_correction' ? cause : 'source_change'}, ${recordedAt}, 'completed', ${recordedAt})
      RETURNING ${NUMBER}`)!;
  known.set(undoes!, number);
  return number;
}
