// Reads the log of a register in the order of the changes, each version with all it depends on (version-rules.ts checks
// it), and sums up what follows from the whole log: its density and the counters of the register.
import type { Finding } from '../../contract/inspection.ts';
import {
  CONTENT_AT,
  CONTENT_COLUMNS,
  SLOT_SPAN,
  slotOf,
  type SqlRow,
  versionContent,
  versionTables,
} from '../../rows/columns.ts';
import { Fragment, type Shape, shape, table } from '../../rows/sql.ts';
import type { Rule, Sql } from '../rule.ts';
import { findingAt, mustBe } from './forms.ts';
import { VERSIONS } from '../schema/register-tables.ts';
import { READABLE_LOG } from './registers.ts';
import { readable } from './table-rules.ts';
import {
  type CheckedVersion,
  type FoundRegister,
  type InspectedRegister,
  isAside,
  versionFindings,
} from './version-rules.ts';

/** What the log said up to a change. */
export interface LogSums {
  /** The last change that was checked. */
  readonly change: number;
  readonly recordedAt: string | null;
  readonly live: number;
  readonly top: number;
}

/** What the log of a register says before its first change. */
export const NO_SUMS: LogSums = { change: 0, recordedAt: null, live: 0, top: 0 };

const REGISTERS = table('registers');
const LOGS = table('logs');

const PREVIOUS = ['content_version', 'cause'];

/** How many versions are read at once; each may have several long texts. */
const VERSIONS_READ = 50;

const INTEGERS = ['entry', 'slot', 'version', 'content_version', 'log'];

const INTRODUCED = 'v.version = v.content_version';

const SELECTED = new Fragment((dialect) => {
  const own = INTEGERS.map((name) => readable(VERSIONS, name, 'v'));
  const record = ['version', 'content_version'].map((name) => `CAST(coalesce(r.${name}, w.${name}) AS text)`);
  const previous = PREVIOUS.map((name) => readable(VERSIONS, name, 'p'));
  const state = `CASE WHEN r.slot IS NULL AND w.slot IS NULL THEN 'missing' WHEN w.slot IS NULL THEN 'live'
    WHEN r.slot IS NOT NULL THEN 'both' WHEN w.is_redacted = 0 THEN 'withdrawn' ELSE 'redacted' END`;
  const schema = dialect.table('');
  return `${[
    ...own,
    ...['v.cause', 'v.recorded_at', 'v.changed', 'v.salt', 'v.commitment', 'coalesce(r.id, w.id)', state],
    ...[...record, 'coalesce(r.updated_at, w.updated_at)', ...previous],
    // A content that is put back has the time that we observed it at, whatever was stated of those between.
    `CASE WHEN ${INTRODUCED} AND pc.title IS NOT NULL THEN coalesce((SELECT o.observed_at FROM ${schema}contents o
      WHERE o.slot = v.slot AND o.version < v.version AND o.observed_is_stated = 0 ORDER BY o.version LIMIT 1), pc.observed_at) END`,
    ...CONTENT_COLUMNS.map((name, at) => {
      return at === CONTENT_AT.observedIsStated ? `CAST(${versionContent(name)} AS text)` : versionContent(name);
    }),
  ].join(', ')} ${versionTables(schema)}
    LEFT JOIN ${schema}versions p ON p.slot = v.slot AND p.version = v.version - 1
    LEFT JOIN ${schema}contents pc ON pc.slot = p.slot AND pc.version = p.content_version`;
});

const CONTENT_FROM = 18;

const VERSION: Shape<CheckedVersion> = shape([], (row) => {
  const [entry, slot, version, contentVersion, log] = row.map(Number);
  const [cause, recordedAt, changed, salt, commitment, recordId, state] = row.slice(5);
  return {
    entry: row[0] as string,
    change: entry! % SLOT_SPAN,
    position: slot! - Math.floor(entry! / SLOT_SPAN) * SLOT_SPAN,
    version: version!,
    contentVersion: contentVersion!,
    log: log!,
    cause: cause as string,
    recordedAt: recordedAt as string,
    changed: changed as string | null,
    salt: salt as Uint8Array | null,
    commitment: commitment as Uint8Array,
    recordId: recordId as string | null,
    state: state as CheckedVersion['state'],
    record: { version: Number(row[12]), contentVersion: Number(row[13]), updatedAt: row[14] as string },
    previous: row[16] === null ? null : { contentVersion: Number(row[15]), cause: row[16] as string },
    observedBefore: row[17] as string | null,
    content: contentIn(row),
  };
});

/** The content, with the flag as a number where it is one. */
function contentIn(row: SqlRow): SqlRow {
  const content = row.slice(CONTENT_FROM);
  const flag = content[CONTENT_AT.observedIsStated];
  return typeof flag === 'string' ? content.with(CONTENT_AT.observedIsStated, Number(flag)) : content;
}

const HEAD = shape(
  ['CAST(change AS text)', 'last_change', 'CAST(live AS text)', 'CAST(top AS text)'],
  ([change, lastChange, live, top]) => ({
    change: Number(change),
    lastChange: lastChange as string | null,
    live: Number(live),
    top: Number(top),
  }),
);

/** The result of {@link checkVersions}. */
export interface CheckedVersions {
  readonly findings: readonly Finding[];
  readonly sums: LogSums;
  /** How many were checked. */
  readonly versions: number;
  /** Whether these were the last. */
  readonly isEnd: boolean;
}

/** Checks some versions of a register, those after the sums. */
export function* checkVersions(sql: Sql, register: FoundRegister, sums: LogSums): Rule<CheckedVersions> {
  const { number } = register;
  const head = yield* sql.one(HEAD)`SELECT ${HEAD} FROM ${REGISTERS} WHERE number = ${number}`;
  const versions = yield* sql.all(VERSION)`SELECT ${SELECTED}
    WHERE v.entry >= ${slotOf(number, sums.change + 1)} AND v.entry < ${slotOf(number + 1, 0)}
    ORDER BY v.entry LIMIT ${VERSIONS_READ}`;
  const logs = yield* sql.all(READABLE_LOG)`SELECT ${READABLE_LOG} FROM ${LOGS} WHERE register = ${number}`;
  // Removed meanwhile.
  if (head === null) return { findings: [], sums, versions: 0, isEnd: true };
  const now = { ...register, ...head, logs: new Map(logs.map((log) => [log.number, log.uuid])) };
  const findings: Finding[] = [];
  let { change, recordedAt, live, top } = sums;
  for (const version of versions) {
    if (version.change > change + 1) findings.push(gap(now, change + 1, version.change - 1));
    findings.push(...versionFindings(version, now, recordedAt));
    change = version.change;
    recordedAt = version.recordedAt;
    top += Number(version.cause === 'first_observed');
    live += difference(version);
  }
  const isEnd = versions.length < VERSIONS_READ;
  if (isEnd && change < now.change) findings.push(gap(now, change + 1, now.change));
  const after = { change, live, top };
  if (isEnd) findings.push(...counterFindings(now, after));
  return { findings, sums: { ...after, recordedAt }, versions: versions.length, isEnd };
}

/** By how many live records a version leaves the register with more. */
function difference({ cause, previous }: CheckedVersion): number {
  if (cause === 'first_observed' || cause === 'restored') return 1;
  if (cause === 'withdrawn') return -1;
  return cause === 'redacted' && !isAside(previous?.cause ?? '') ? -1 : 0;
}

/** What is wrong with the counters of a register after its last change. */
function counterFindings(
  register: InspectedRegister & { readonly live: number; readonly top: number },
  sums: Pick<LogSums, 'change' | 'live' | 'top'>,
): Finding[] {
  const place = { table: 'registers', row: `number ${register.number}`, feedId: register.id };
  return (['change', 'live', 'top'] as const)
    .filter((name) => register[name] !== sums[name])
    .map((name) => findingAt(place, mustBe(name, `${sums[name]}, by the log of the register`, register[name])));
}

function gap({ number, id, change: last }: InspectedRegister, from: number, to: number): Finding {
  const which = from === to ? `change ${from} is` : `changes ${from} to ${to} are`;
  return findingAt(
    { table: 'versions', row: `entry ${slotOf(number, from)}`, feedId: id },
    `${which} missing: the log of register ${id} must have every change from 1 to ${last}`,
  );
}
