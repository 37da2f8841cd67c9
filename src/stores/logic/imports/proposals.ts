// The rules for proposals: what an import would do, kept until it is approved or discarded.
import { GazetteError } from '../../../errors.ts';
import { recordId as idOfKey } from '../../../register/identity.ts';
import type { UnderLease } from '../../contract/leases.ts';
import {
  type NewProposal,
  PROPOSAL_DAYS,
  type ProposalStore,
  type ProposedRecord,
  type ProposedSettings,
  type StoredProposal,
} from '../../contract/imports/proposals.ts';
import { PreparedRecord } from '../../contract/prepared-record.ts';
import type { SqlRow } from '../../rows/columns.ts';
import { feedIdOf, REGISTER, unknownFeed } from '../../rows/register.ts';
import { asText, asTextOrNull, EACH_TEXT, FOR_UPDATE, IS_PRESENT, numberIn, type Shape, shape,
  table, withoutNul } from '../../rows/sql.ts'; // prettier-ignore
import { bytes, index, JSON_TEXT, orNull, small, Table, TEXT, TIME, whole } from '../../rows/table.ts';
import { hasBit, whyOutdated } from './changed-since.ts';
import { isUntidy, removeEnded } from './ended-proposals.ts';
import { begunProposals, discardOld, endNotice, takeNotice, waitingProposals } from './open-proposals.ts';
import { replacedBy, setSettings } from './settings.ts';
import { findImport, unknownImport } from './table.ts';
import { beginWrite, endWrite } from '../leases.ts';
import { type Engine, keyedTable, type Rule, type Sql } from '../rule.ts';
import { REGISTERS } from '../schema/register-tables.ts';

const IMPORTS = table('imports');

const PROPOSALS = new Table(
  'proposals',
  {
    number: whole(1),
    register: small(1),
    change: whole(0),
    digest: bytes(32, 32),
    settings: JSON_TEXT,
    report: JSON_TEXT,
    unchanged: bytes(0),
    told_until: orNull(TIME),
  },
  { key: ['number'] },
);

/** The columns of a record as one JSON text. */
type ProposedColumns = readonly [
  PreparedRecord['values'] | null,
  data: string | null,
  byHand?: ProposedRecord['byHand'],
];

/** The columns of a record as the proposal would have it are one JSON text: null where it would be withdrawn. */
const PROPOSED = new Table(
  'proposed_records',
  {
    number: whole(1),
    register: small(1),
    batch: whole(1),
    place: whole(0),
    record_id: TEXT,
    stated: orNull(JSON_TEXT),
  },
  { key: ['number', 'batch', 'place'], indexes: [index('proposed_records_record', '(record_id)')] },
);

/** The tables. */
export const PROPOSAL_TABLES: readonly Table[] = [PROPOSALS, PROPOSED];

const NUMBER = numberIn('number');
const REGISTER_NUMBER = numberIn('register');
const BATCH = numberIn('batch');

const SAID = PROPOSALS.shape({
  number: 'number',
  change: 'change',
  digest: 'digest',
  settings: 'settings',
  report: 'report',
});
const UNCHANGED = PROPOSALS.shape({ number: 'number', unchanged: 'unchanged' });
const ID = shape(['record_id'], ([id]) => asText(id));

const RECORD: Shape<ProposedRecord> = PROPOSED.shape({ id: 'record_id', stated: 'stated' }).map(({ id, stated }) => {
  const [values, data, byHand] = (stated === null ? [] : JSON.parse(stated)) as Partial<ProposedColumns>;
  const record = values == null ? null : new PreparedRecord({ id, values, data: data! });
  return byHand === undefined ? { id, record } : { id, record, byHand };
});

/** Written by the thousand. */
const ROWS = keyedTable(PROPOSED, (row: SqlRow) => row);

/** The proposals of a store. */
export function proposalsOn(engine: Engine): ProposalStore {
  return {
    keep: (number, records, under = {}) => engine.write(keepRecords, number, records, under),
    propose: (number, proposal, under = {}) => engine.write(endAsProposal, number, proposal, under),
    find: (feedId, number) => engine.read(findProposal, feedId, number),
    isOutdated: (feedId, number) => engine.read(isOutdated, feedId, number),
    records: (number, batch) => engine.read(recordsOf, number, batch),
    approve: (feedId, number, options) => engine.write(approveProposal, feedId, number, options),
    discard: async (feedId, number, options) => {
      await engine.write(discardProposal, feedId, number, options);
      await removeEnded(engine);
    },
    said: (feedId, number) => engine.read(keptReport, feedId, number),
    set: (feedId, number, settings, options) => engine.write(setSettings, feedId, number, settings, options),
    replaced: (feedId, number) => engine.read(replacedBy, feedId, number),
    begun: (feedId) => engine.read(begunProposals, feedId),
    waiting: () => engine.read(waitingProposals),
    takeNotice: (options) => engine.write(takeNotice, options),
    endNotice: (number, until) => engine.write(endNotice, number, until),
    tidy: async (now) => {
      const before = new Date(Date.parse(now) - PROPOSAL_DAYS * 86_400_000).toISOString();
      if (!(await engine.read(isUntidy, before))) return;
      await engine.write(discardOld, before, now);
      await removeEnded(engine);
    },
  };
}

function* keepRecords(sql: Sql, number: number, records: readonly ProposedRecord[], under: UnderLease): Rule<void> {
  const { feedId, register } = yield* lockImport(sql, number);
  if ((yield* beginWrite(sql, feedId, register, under)) !== null) return;
  const last = yield* sql.one(BATCH)`SELECT coalesce(max(batch), 0) AS batch FROM ${PROPOSED} WHERE number = ${number}`;
  const batch = (last ?? 0) + 1;
  const { key, values } = ROWS;
  const names = [...Object.keys(key), ...Object.keys(values)];
  yield* sql.put(
    ROWS,
    records.map(({ id, record, byHand }, place) => {
      const columns = byHand === undefined ? [record?.values, record?.data] : [record?.values, record?.data, byHand];
      const stated = record === null && byHand === undefined ? null : JSON.stringify(columns);
      const row = { number, register, batch, place, record_id: id, stated };
      return names.map((name) => row[name as keyof typeof row]);
    }),
  );
  yield* endWrite(sql, under, []);
}

/** Locks the register of an import. */
function* lockImport(sql: Sql, number: number): Rule<{ readonly feedId: string; readonly register: number }> {
  const register = yield* sql.one(REGISTER_NUMBER)`SELECT ${REGISTER_NUMBER} FROM ${IMPORTS} WHERE number = ${number}`;
  const feedId = yield* sql.one(
    ID,
  )`SELECT id AS record_id FROM ${REGISTERS} WHERE number = ${register ?? 0} ${FOR_UPDATE}`;
  if (register === null || feedId === null) throw unknownImport(number);
  return { feedId, register };
}

function* endAsProposal(sql: Sql, number: number, proposal: NewProposal, under: UnderLease): Rule<number> {
  const { feedId, register } = yield* lockImport(sql, number);
  const done = yield* beginWrite(sql, feedId, register, under);
  if (done !== null) return done[0]!;
  const { change, digest, settings, report, unchanged, counts, fileDigest } = proposal;
  const same = yield* sql.one(NUMBER)`SELECT p.number FROM ${PROPOSALS} p JOIN ${IMPORTS} i ON i.number = p.number
    WHERE i.register = ${register} AND i.state = 'proposed' AND p.change = ${change} AND p.digest = ${digest}
      AND p.report = ${report} LIMIT 1`;
  if (same !== null) {
    yield* sql.run`DELETE FROM ${IMPORTS} WHERE number = ${number}`;
    yield* endWrite(sql, under, [same]);
    return same;
  }
  const { added, changed, restored, redacted, withdrawn, refused } = counts;
  yield* sql.run`INSERT INTO ${PROPOSALS} (number, register, change, digest, settings, report, unchanged)
    VALUES (${number}, ${register}, ${change}, ${digest}, ${JSON.stringify(settings)}, ${report}, ${unchanged})`;
  yield* sql.run`UPDATE ${IMPORTS} SET state = 'proposed', report = CASE WHEN kind = 'settings' THEN ${report} END, added = ${added}, changed = ${changed},
    unchanged = ${counts.unchanged}, restored = ${restored}, redacted = ${redacted}, withdrawn = ${withdrawn},
    refused = ${refused}, digest = ${fileDigest} WHERE number = ${number}`;
  yield* endWrite(sql, under, [number]);
  return number;
}

function* findProposal(sql: Sql, feedId: string, number: number): Rule<StoredProposal> {
  const { state, counts, digest: fileDigest } = (yield* findImport(sql, feedId, number)).entry;
  if (state !== 'proposed' && state !== 'approved') throw ended(number, state);
  const said = yield* sql.one(SAID)`SELECT ${SAID} FROM ${PROPOSALS} WHERE number = ${number}`;
  return { ...said!, counts, fileDigest, feedId, settings: JSON.parse(said!.settings) as ProposedSettings };
}

function* isOutdated(sql: Sql, feedId: string, number: number): Rule<boolean> {
  const { entry, register } = yield* findImport(sql, feedId, number);
  if (entry.state !== 'proposed') return false;
  const head = yield* sql.one(REGISTER)`SELECT ${REGISTER} FROM ${REGISTERS} WHERE number = ${register}`;
  const said = yield* sql.one(SAID)`SELECT ${SAID} FROM ${PROPOSALS} WHERE number = ${number}`;
  return (yield* whyOutdated(sql, feedId, head!, said!, recordsOf)) !== null;
}

function* recordsOf(sql: Sql, number: number, batch: number): Rule<readonly ProposedRecord[]> {
  return yield* sql.all(RECORD)`SELECT ${RECORD} FROM ${PROPOSED} WHERE number = ${number} AND batch = ${batch}
    ORDER BY place`;
}

function* approveProposal(
  sql: Sql,
  feedId: string,
  number: number,
  { who, digest, keepsHand = false, report, ...under }: Parameters<ProposalStore['approve']>[2],
): Rule<void> {
  const head = yield* sql.one(REGISTER)`SELECT ${REGISTER} FROM ${REGISTERS}
    WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT} ${FOR_UPDATE}`;
  if (head === null) throw unknownFeed(feedId);
  if ((yield* beginWrite(sql, feedId, head.number, under)) !== null) return;
  const { state } = (yield* findImport(sql, feedId, number)).entry;
  if (state !== 'proposed') throw ended(number, state);
  const said = (yield* sql.one(SAID)`SELECT ${SAID} FROM ${PROPOSALS} WHERE number = ${number}`)!;
  if (digest !== undefined && Buffer.compare(digest, said.digest) !== 0) {
    throw outdated(number, 'it is not the proposal that was read');
  }
  const reason = yield* whyOutdated(sql, feedId, head, said, recordsOf);
  if (reason !== null) throw outdated(number, reason);
  if (keepsHand) yield* keepHand(sql, number, JSON.parse(said.settings) as ProposedSettings);
  yield* sql.run`UPDATE ${IMPORTS} SET state = 'approved', decided_by = ${who},
    report = coalesce(report, ${report ?? null}) WHERE number = ${number}`;
  yield* endWrite(sql, under, []);
}

/** Has what was set by hand stay, and counts it as that. */
function* keepHand(sql: Sql, number: number, settings: ProposedSettings): Rule<void> {
  const kept = JSON.stringify({ ...settings, keepsHand: true });
  const { changed, restored, withdrawn } = settings.asked ?? { changed: 0, restored: 0, withdrawn: 0 };
  yield* sql.run`UPDATE ${PROPOSALS} SET settings = ${kept} WHERE number = ${number}`;
  yield* sql.run`UPDATE ${IMPORTS} SET changed = changed - ${changed}, restored = restored - ${restored},
    withdrawn = withdrawn - ${withdrawn}, unchanged = unchanged + ${changed + restored} WHERE number = ${number}`;
}

function* discardProposal(
  sql: Sql,
  feedId: string,
  number: number,
  { who, at, report }: Parameters<ProposalStore['discard']>[2],
): Rule<void> {
  yield* sql.one(NUMBER)`SELECT ${NUMBER} FROM ${REGISTERS} WHERE id = ${withoutNul(feedId)} ${FOR_UPDATE}`;
  const { state } = (yield* findImport(sql, feedId, number)).entry;
  if (state !== 'proposed') throw ended(number, state);
  yield* sql.run`UPDATE ${IMPORTS} SET state = 'discarded', decided_by = ${who}, ended_at = ${at}, digest = NULL,
    report = coalesce(report, ${report ?? null}) WHERE number = ${number}`;
}

function* keptReport(sql: Sql, feedId: string, number: number): Rule<string | null> {
  yield* findImport(sql, feedId, number);
  return yield* sql.one(REPORT)`SELECT ${REPORT} FROM ${IMPORTS} WHERE number = ${number}`;
}

const REPORT = shape(['report'], ([report]) => asTextOrNull(report));

/**
 * Discards those that have a record, under any key that it had, or may have refused it, before its content is erased; those, too, that
 * leave it as it is: their files have it.
 */
export function* discardBeforeErasure(
  sql: Sql,
  register: number,
  { recordId, keys, position }: Readonly<{ recordId: string; keys: readonly string[]; position: number }>,
  now: string,
): Rule<void> {
  const ids = [recordId, ...keys.map((key) => idOfKey(feedIdOf(recordId), key))];
  // What came under a key that was another's once has an id that ends with a number.
  const found = yield* sql.all(NUMBER)`SELECT number FROM ${IMPORTS} WHERE register = ${register} AND state = 'proposed'
    AND (refused > 0 OR number IN (SELECT p.number FROM ${EACH_TEXT}(${JSON.stringify(ids)}) e
      JOIN ${PROPOSED} p ON p.record_id = e.value OR p.record_id LIKE e.value || '~~%'))`;
  const waiting = yield* sql.all(UNCHANGED)`SELECT p.number, p.unchanged FROM ${PROPOSALS} p
    JOIN ${IMPORTS} i ON i.number = p.number WHERE i.register = ${register} AND i.state = 'proposed'`;
  const leaving = waiting.filter(({ unchanged }) => hasBit(unchanged, position)).map(({ number }) => number);
  for (const number of new Set([...found, ...leaving])) {
    yield* sql.run`UPDATE ${IMPORTS} SET state = 'discarded', error = 'record_redacted', ended_at = ${now}, digest = NULL
      WHERE number = ${number}`;
    yield* sql.run`DELETE FROM ${PROPOSED} WHERE number = ${number}`;
    yield* sql.run`DELETE FROM ${PROPOSALS} WHERE number = ${number}`;
  }
  // Names of fields may be content, too.
  yield* sql.run`UPDATE ${IMPORTS} SET report = NULL WHERE register = ${register} AND kind <> 'settings'`;
}

function ended(number: number, state: string): GazetteError {
  return new GazetteError('proposal_ended', `import ${number} is no proposal that waits: it is ${state}`, {
    details: { import: number, state },
  });
}

function outdated(number: number, reason: string): GazetteError {
  const message = `proposal ${number} was not carried out: ${reason}; import the file again`;
  return new GazetteError('proposal_outdated', message, { details: { import: number } });
}
