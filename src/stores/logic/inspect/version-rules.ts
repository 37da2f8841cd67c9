// What a version of the log must be: after the version before it, beside its record, and by its commitment to its salt
// and its statement.
import { isObject } from '../../../checks.ts';
import { STATED_FIELDS } from '../../../register/fields.ts';
import { recordIdOrNull } from '../../../register/identity.ts';
import { isDate, isDateTime, toEpochMs } from '../../../register/time.ts';
import type { Finding } from '../../contract/inspection.ts';
import { CONTENT_AT, contentValues, SLOT_SPAN, slotOf, type SqlRow, storedContentOf } from '../../rows/columns.ts';
import { commitmentOf } from '../../rows/commitment.ts';
import { canonicalStatement } from '../../rows/published-record.ts';
import { jsonIn } from '../../rows/table.ts';
import { findingAt, mustBe } from './forms.ts';

/** A register whose log can be checked. */
export interface FoundRegister {
  readonly number: number;
  readonly id: string;
  readonly change: number;
}

/** A register whose log is checked. */
export interface InspectedRegister extends FoundRegister {
  readonly lastChange: string | null;
  /** The UUIDs of its logs by their numbers. */
  readonly logs: ReadonlyMap<number, string>;
}

/** A version as it lies in its columns, with what it is checked against. */
export interface CheckedVersion {
  readonly entry: string;
  readonly change: number;
  readonly position: number;
  readonly version: number;
  readonly contentVersion: number;
  readonly log: number;
  readonly cause: string;
  readonly recordedAt: string;
  readonly changed: string | null;
  readonly salt: Uint8Array | null;
  readonly commitment: Uint8Array;
  readonly recordId: string | null;
  readonly state: 'missing' | 'both' | 'live' | 'withdrawn' | 'redacted';
  readonly record: { readonly version: number; readonly contentVersion: number; readonly updatedAt: string };
  readonly previous: { readonly contentVersion: number; readonly cause: string } | null;
  /** When the content before this one was observed. */
  readonly observedBefore: string | null;
  readonly content: SqlRow;
}

/** Whether a record is not live after a version of this cause. */
export function isAside(cause: string): boolean {
  return cause === 'withdrawn' || cause === 'redacted';
}

/** What is wrong with a version. @param recordedBefore when the change before it was recorded */
export function versionFindings(
  version: CheckedVersion,
  register: InspectedRegister,
  recordedBefore: string | null,
): Finding[] {
  const { recordId, entry } = version;
  const place = {
    feedId: register.id,
    recordId: recordId?.startsWith(`${register.id}:`) === true ? recordId : null,
    version: version.version,
  };
  const slot = slotOf(register.number, version.position);
  const inRecord = { ...place, table: version.state === 'live' ? 'records' : 'withdrawn', row: `slot ${slot}` };
  return [
    ...[
      ...placeProblems(version, register, recordedBefore),
      ...causeProblems(version),
      ...contentProblems(version, register),
    ].map((problem) => findingAt({ ...place, table: 'versions', row: `entry ${entry}` }, problem)),
    ...recordProblems(version, register).map((problem) => findingAt(inRecord, problem)),
  ];
}

/** What is wrong with its numbers and times. */
function placeProblems(
  { change, position, version, previous, recordedAt, changed, log }: CheckedVersion,
  register: InspectedRegister,
  recordedBefore: string | null,
): string[] {
  const problems: string[] = [];
  if (change > register.change) problems.push(mustBe('entry', `at most change ${register.change}`, change));
  if (position < 1 || position >= SLOT_SPAN) problems.push(mustBe('slot', `a position of register ${register.id}`));
  if (!Number.isInteger(version) || version < 1 || version > 1 !== (previous !== null)) {
    problems.push(mustBe('version', 'dense: the version before it is missing', version));
  }
  if (!register.logs.has(log)) problems.push(mustBe('log', `one of register ${register.id}`, log));
  if (!isChanged(changed)) problems.push(mustBe('changed', 'a JSON array of names of fields, or null'));
  if (!isDateTime(recordedAt)) return [...problems, mustBe('recorded_at', 'an RFC 3339 date-time', recordedAt)];
  const isOrdered =
    recordedBefore === null || !isDateTime(recordedBefore) || toEpochMs(recordedBefore) <= toEpochMs(recordedAt);
  if (!isOrdered)
    problems.push(mustBe('recorded_at', `${recordedBefore} or later, as in the change before`, recordedAt));
  const { lastChange } = register;
  if (lastChange !== null && isDateTime(lastChange) && toEpochMs(lastChange) < toEpochMs(recordedAt)) {
    problems.push(mustBe('recorded_at', `at most ${lastChange}, the last change of the register`, recordedAt));
  }
  return problems;
}

/** Whether a column contains names of changed fields as they are written. */
function isChanged(changed: string | null): boolean {
  if (changed === null) return true;
  const names = jsonIn(changed);
  return (
    Array.isArray(names) &&
    names.length > 0 &&
    JSON.stringify(names) === changed &&
    names.every((name: unknown) => typeof name === 'string' && (name.startsWith('data.') || STATED.has(name)))
  );
}

const STATED: ReadonlySet<string> = new Set([...STATED_FIELDS, 'key']);

/** What is wrong with its cause, and with which content it has, after the version before it. */
function causeProblems(checked: CheckedVersion): string[] {
  const { cause, previous, version, contentVersion, content, salt, changed } = checked;
  const before = previous?.cause ?? null;
  const isErased = content[CONTENT_AT.title] === null;
  const isNew = contentVersion === version;
  const isKept = contentVersion === previous?.contentVersion;
  const mayFollow: Readonly<Record<string, boolean>> = {
    first_observed: version === 1,
    source_change: before !== null && !isAside(before),
    extraction_correction: before !== null && !isAside(before),
    renumbered: before !== null && !isAside(before) && (salt === null || changed === '["key"]'),
    withdrawn: before !== null && !isAside(before),
    restored: before !== null && isAside(before),
    redacted: before !== null,
  };
  const problems: string[] = [];
  if (mayFollow[cause] !== true) {
    problems.push(mustBe('cause', before === null ? 'first_observed' : `one that can follow ${before}`, cause));
  }
  const mayHave = cause === 'restored' ? isNew || isKept : isAside(cause) ? isKept : isNew;
  // A redaction that was lifted leaves one empty content for all versions before.
  if (!isErased && !mayHave) {
    problems.push(mustBe('content_version', isAside(cause) ? 'that of the version before' : 'its own', contentVersion));
  }
  if (cause !== 'redacted' && (salt === null) !== isErased) {
    problems.push(mustBe('salt', isErased ? 'erased, as its content is' : 'kept, as its content is'));
  }
  if (cause === 'redacted' && !isErased) problems.push(mustBe('cause', 'another one: it has a content', cause));
  if (salt === null && changed !== null) problems.push(mustBe('changed', 'erased, as its content is'));
  return problems;
}

/** What is wrong with its content and its commitment. */
function contentProblems(checked: CheckedVersion, register: InspectedRegister): string[] {
  const { recordId, version, contentVersion, cause, salt, commitment, log, content, recordedAt, observedBefore } =
    checked;
  const wrong = [
    ...(commitment.length === 32 ? [] : [mustBe('commitment', '32 bytes')]),
    ...(salt === null || salt.length === 32 ? [] : [mustBe('salt', '32 bytes, or null')]),
  ];
  if (wrong.length > 0) return wrong;
  const uuid = register.logs.get(log);
  if (recordId === null || uuid === undefined) return [];
  const isErased = content[CONTENT_AT.title] === null;
  if (isErased && content.some((value) => value !== null))
    return ['its content must be erased: some of its columns are not null'];
  const stored = isErased ? null : readContent(register.id, recordId, content);
  if (stored === undefined)
    return ['its content cannot be read: a column does not have the form in which it is written'];
  const statement = stored === null || isAside(cause) ? null : canonicalStatement(stored.statement);
  const problems: string[] = [];
  if (salt !== null && !commitmentOf(salt, { id: recordId, log: uuid, version }, statement).equals(commitment)) {
    problems.push(
      mustBe('commitment', `that of its salt and of what record ${recordId} said in content ${contentVersion}`),
    );
  }
  const isObservedByUs = stored !== null && stored.statement.observed_at === null;
  if (isObservedByUs && contentVersion === version) {
    const expected = observedBefore ?? recordedAt;
    if (stored.observedAt !== expected) problems.push(mustBe('observed_at', expected, stored.observedAt));
  }
  return problems;
}

/** A content; undefined where a column is not as it would be written. */
function readContent(feedId: string, id: string, content: SqlRow): ReturnType<typeof storedContentOf> | undefined {
  try {
    const stored = storedContentOf(feedId, [id, ...content], 0, 1);
    const { data, key = null } = stored.statement;
    if (!isObject(data) || (key !== null && recordIdOrNull(feedId, key) === id)) return undefined;
    const written = contentValues(stored.statement, stored.observedAt);
    return written.every((value, at) => value === content[at]) && isTime(stored.observedAt) ? stored : undefined;
  } catch {
    return undefined;
  }
}

function isTime(text: string): boolean {
  return isDateTime(text) || isDate(text);
}

/** What is wrong with the record of which it is the current version. */
function recordProblems(checked: CheckedVersion, { id }: InspectedRegister): string[] {
  const { recordId, state, record, version, contentVersion, recordedAt, cause } = checked;
  if (state === 'missing') return [`the record is missing: version ${version} of the log must have one`];
  if (state === 'both') return ['the record must be either in records or in withdrawn, and is in both'];
  if (recordId?.startsWith(`${id}:`) !== true) return [mustBe('id', `that of a record of register ${id}`, recordId)];
  if (version > record.version) return [mustBe('version', `at least ${version}`, record.version)];
  if (version < record.version) return [];
  const problems: string[] = [];
  if (record.contentVersion !== contentVersion) {
    problems.push(mustBe('content_version', `${contentVersion}, as in its version ${version}`, record.contentVersion));
  }
  if (record.updatedAt !== recordedAt)
    problems.push(mustBe('updated_at', `${recordedAt}, when its version ${version} was recorded`, record.updatedAt));
  // A lifted redaction is no version.
  const states = cause === 'redacted' ? ['withdrawn', 'redacted'] : [cause === 'withdrawn' ? 'withdrawn' : 'live'];
  if (!states.includes(state))
    problems.push(`the record must be ${states.join(' or ')} after its version ${version} (${cause}), and is ${state}`);
  return problems;
}
