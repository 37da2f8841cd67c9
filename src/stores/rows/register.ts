// The row of a register as every store saves it, and what is derived from it: entries and pages. Also the
// checks that all stores share.
import { randomUUID } from 'node:crypto';
import { GazetteError, quote } from '../../errors.ts';
import { checkOneOf } from '../../checks.ts';
import { canonicalJson, type JsonValue } from '../../register/canonical-json.ts';
import { defineRegister } from '../../register/definition.ts';
import type { Order } from '../../register/sources/order.ts';
import { offsetAfter, type Page, type PageQuery, startPosition } from '../../register/page.ts';
import { checkInteger, checkOffset, resolveAsOf } from '../../register/query.ts';
import type { RecordVersion, RegisterDefinition, RegisterRecord } from '../../register/record.ts';
import { throwIfAborted } from '../../register/sources/source.ts';
import { isDateTime, toEpochMs } from '../../register/time.ts';
import { SLOT_SPAN } from './columns.ts';
import { asNumber, asText, asTextOrNull, type Shape, shape } from './sql.ts';
import { storedJson } from './stored-json.ts';
import { REGISTERS_PAGE_SIZE, type RegistersRange } from '../contract/catalogue.ts';
import { IMPORT_CAUSES } from '../contract/imports/causes.ts';
import { IMPORTS_PAGE_SIZE } from '../contract/imports/log.ts';
import { NEAR_IDS_PAGE_SIZE, VALUES_PAGE_SIZE } from '../contract/values.ts';
import {
  type ApplyOptions,
  type ChangesRange,
  type ChangesPage,
  IDS_PAGE_SIZE,
  type RegisterEntry,
  type SourceOptions,
  VERSIONS_PAGE_SIZE,
} from '../contract/registers.ts';

/** A register's row. */
export interface RegisterRow {
  /** The register's number in its store; never reused. */
  readonly number: number;
  /** The definition as canonical JSON. */
  readonly definition: string;
  readonly order: Order | null;
  readonly top: number;
  readonly change: number;
  readonly live: number;
  readonly lastChange: string | null;
  /** Seconds since 1970; 0 before the first commit. */
  readonly lastModified: number;
  /** How many definitions it has had. */
  readonly definitionVersion: number;
  /** The UUID of its log. */
  readonly log: string;
  /** Whether another register with its id was removed before. */
  readonly isSuccessor: boolean;
  /** Whether records have, or had, other keys than those of their ids. */
  readonly isRenumbered: boolean;
  /** What is being built of it: 1 its index of terms, 2 its counters of values, 3 both. Answers may be others before and after. */
  readonly building: number;
}

/** A register's columns. */
export const REGISTER: Shape<RegisterRow> = shape(
  [
    ...['number', 'definition', 'import_order', 'top', 'change', 'live', 'last_change', 'last_modified'],
    ...['definition_version', 'log', 'is_successor', 'is_renumbered', 'building'],
  ],
  ([number, definition, order, top, change, live, lastChange, lastModified, definitionVersion, log, ...flags]) => ({
    number: asNumber(number),
    definition: asText(definition),
    order: order as Order | null,
    top: asNumber(top),
    change: asNumber(change),
    live: asNumber(live),
    lastChange: asTextOrNull(lastChange),
    lastModified: asNumber(lastModified),
    definitionVersion: asNumber(definitionVersion),
    log: asText(log),
    isSuccessor: asNumber(flags[0]) === 1,
    isRenumbered: asNumber(flags[1]) === 1,
    building: asNumber(flags[2]),
  }),
);

/** A definition in its stored form. */
export function definitionText(definition: RegisterDefinition): string {
  return canonicalJson(definition as unknown as JsonValue);
}

/** A definition of a new register, checked: it has a uuid. @throws GazetteError `invalid_definition` */
export function identified(definition: RegisterDefinition): RegisterDefinition {
  const checked = defineRegister(definition);
  return { ...checked, uuid: checked.uuid ?? randomUUID() };
}

/** The definition in a head. */
export function definitionOf(head: RegisterRow): RegisterDefinition {
  return storedJson(head.definition) as RegisterDefinition;
}

/** The definitions in heads, each parsed once until it changes: every look-up of a record needs one. */
export class Definitions {
  readonly #byId = new Map<string, { readonly text: string; readonly definition: RegisterDefinition }>();

  /** The definition with this text, of the register with this id. */
  of(feedId: string, text: string): RegisterDefinition {
    const known = this.#byId.get(feedId);
    if (known?.text === text) return known.definition;
    const definition = storedJson(text) as RegisterDefinition;
    this.#byId.set(feedId, { text, definition });
    return definition;
  }
}

/** The definition that a source has: that of the head, or with other fields. */
export function definitionFor(head: RegisterRow, { fields }: SourceOptions = {}): RegisterDefinition {
  const definition = definitionOf(head);
  return fields === undefined ? definition : { ...definition, fields };
}

/** The public state in a head. */
export function entryOf(head: RegisterRow): RegisterEntry {
  const { order, top, change, live, lastChange, definitionVersion } = head;
  const counts = { top, change, log: logName(head), total: live, definitionVersion };
  return { definition: definitionOf(head), order, ...counts, lastChange, lastModified: dateOf(head) };
}

/** The name of a register's log in change tokens: the first 8 hexadecimal digits of the log's UUID. */
export function logName({ log }: RegisterRow): string {
  return log.slice(0, 8);
}

/** The register's date for conditional requests; null before the first commit. */
export function dateOf({ lastModified }: RegisterRow): number | null {
  return lastModified === 0 ? null : lastModified;
}

/** The times of a commit. */
export interface CommitTimes {
  /** When it was recorded: the `recorded_at` of its versions, and the register's `last_change`. */
  readonly recordedAt: string;
  /** The register's date for conditional requests, in seconds since 1970. */
  readonly lastModified: number;
}

/**
 * The times of a commit to a register. A clock that is behind, or was set back, does not move the register's time back.
 * The date for conditional requests is another one with every commit, also within a second: otherwise it could not tell
 * two states of the register apart.
 *
 * @param head the register's row, locked
 * @param now the time by the writer's clock
 */
export function commitTimes(head: Pick<RegisterRow, 'lastChange' | 'lastModified'>, now: string): CommitTimes {
  const { lastChange } = head;
  const recordedAt = lastChange !== null && toEpochMs(lastChange) > toEpochMs(now) ? lastChange : now;
  return { recordedAt, lastModified: Math.max(Math.floor(toEpochMs(recordedAt) / 1000), head.lastModified + 1) };
}

/** @throws GazetteError `internal_error` when a register has used up its positions or changes. */
export function checkRoom(feedId: string, head: { readonly top: number; readonly change: number }): void {
  if (head.top >= SLOT_SPAN || head.change >= SLOT_SPAN) {
    throw new GazetteError(
      'internal_error',
      `register ${quote(feedId)} is full: it can have ${SLOT_SPAN - 1} records and changes`,
    );
  }
}

/** Where a page begins, and its view. Positions from `from` down to 1 may be read. */
export interface PageRange {
  readonly asOf: number;
  readonly from: number;
}

/** @throws GazetteError `invalid_parameter` for offset or as_of; `aborted` */
export function rangeOf(query: PageQuery, top: number): PageRange {
  throwIfAborted(query.signal);
  const asOf = resolveAsOf(query.asOf, top);
  return { asOf, from: startPosition(asOf, checkOffset(query.offset)) };
}

/** The page of at most `limit` records. The input contains one record more if the register has more. */
export function pageOf(records: RegisterRecord[], { limit }: PageQuery, asOf: number): Page {
  if (records.length <= limit) return { records, nextOffset: null, asOf };
  records.pop();
  return { records, nextOffset: offsetAfter(asOf, records.at(-1)!.position!), asOf };
}

/** The answer to `changes()` with at most `limit` versions. The input contains one version more if the log has more. */
export function changesPageOf(
  head: RegisterRow,
  versions: RecordVersion[],
  { since, limit }: ChangesRange,
): ChangesPage {
  const more = versions.length > limit;
  if (more) versions.pop();
  return { versions, log: logName(head), logUuid: head.log, nextSince: versions.at(-1)?.change ?? since, more };
}

/** The feed id in a record's id. If there is none: the empty text, which is never a register's id. */
export function feedIdOf(recordId: string): string {
  return recordId.slice(0, Math.max(recordId.indexOf(':'), 0));
}

/** @throws GazetteError `invalid_option` unless it is an RFC 3339 date-time. */
export function checkRecordedAt(recordedAt: string): void {
  if (!isDateTime(recordedAt)) {
    throw new GazetteError(
      'invalid_option',
      `recordedAt must be an RFC 3339 date-time such as 2026-05-02T10:00:00Z, got ${quote(recordedAt)}`,
      { details: { option: 'recordedAt' } },
    );
  }
}

/** @throws GazetteError `invalid_option` */
export function checkApplied({ recordedAt, cause = 'source_change' }: ApplyOptions): void {
  checkRecordedAt(recordedAt);
  checkOneOf('cause', cause, IMPORT_CAUSES);
}

/** @throws GazetteError `invalid_parameter` */
export function checkHistoryRange({ offset, limit }: { readonly offset: number; readonly limit: number }): void {
  checkWhole('limit', limit, 1, VERSIONS_PAGE_SIZE);
  checkOffset(offset);
}

/** @throws GazetteError `invalid_parameter`, `log_restarted` */
export function checkChangesRange(head: RegisterRow, { since, log, limit }: ChangesRange): void {
  checkWhole('limit', limit, 1, VERSIONS_PAGE_SIZE);
  // Nobody knows of which register a number is that comes without its log, if there were several.
  const isOfThisLog = log === undefined ? since === 0 || !head.isSuccessor : log === logName(head);
  if (!isOfThisLog) {
    const feedId = definitionOf(head).id;
    throw new GazetteError(
      'log_restarted',
      `the changes of register ${quote(feedId)} are counted in another log since it was created again or restored from a backup: remove your copy and start over with since=0`,
      { details: { parameter: 'since', feed_id: feedId } },
    );
  }
  checkWhole('since', since, 0, head.change);
}

/** The statement that remembers the removal of registers, of which this condition selects the rows. */
export function rememberRemoval(prefix: string, condition: string): string {
  return `INSERT INTO ${prefix}removed_registers (id, last_modified)
    SELECT id, last_modified FROM ${prefix}registers WHERE ${condition}
    ON CONFLICT (id) DO UPDATE SET last_modified = excluded.last_modified`;
}

/** @returns the exclusive upper bound of the positions. @throws GazetteError `invalid_parameter` */
export function checkIdsRange({ below, limit }: { readonly below?: number; readonly limit: number }): number {
  checkWhole('limit', limit, 1, IDS_PAGE_SIZE);
  if (below !== undefined) checkWhole('below', below, 0, SLOT_SPAN);
  return below ?? SLOT_SPAN;
}

/** @throws GazetteError `invalid_parameter` */
export function checkRegistersRange({ offset, limit }: RegistersRange): void {
  checkWhole('limit', limit, 1, REGISTERS_PAGE_SIZE);
  checkOffset(offset);
}

/** @throws GazetteError `invalid_parameter` */
export function checkImportsLimit(limit: number): void {
  checkWhole('limit', limit, 1, IMPORTS_PAGE_SIZE);
}

/** @throws GazetteError `invalid_parameter` */
export function checkValuesLimit(limit: number): void {
  checkWhole('limit', limit, 1, VALUES_PAGE_SIZE);
}

/** @throws GazetteError `invalid_parameter` */
export function checkNearLimit(limit: number): void {
  checkWhole('limit', limit, 1, NEAR_IDS_PAGE_SIZE);
}

/** The error for a register that does not exist. */
export function unknownFeed(feedId: string): GazetteError {
  return new GazetteError('unknown_feed', `there is no register ${quote(feedId)}`, { details: { feed_id: feedId } });
}

/** The error for a record that does not exist. `hint` goes on with the sentence. */
export function unknownRecord(recordId: string, hint = ''): GazetteError {
  return new GazetteError('unknown_record', `there is no record ${quote(recordId)}${hint}`, {
    details: { id: recordId },
  });
}

/** The error for a register id that is already taken. */
export function registerExists(feedId: string): GazetteError {
  return new GazetteError('register_exists', `register ${quote(feedId)} exists already`, {
    details: { feed_id: feedId },
  });
}

function checkWhole(name: string, value: number, min: number, max: number): void {
  checkInteger({ kind: 'integer', name, minimum: min, maximum: max }, value);
}
