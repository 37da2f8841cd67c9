// What an import made of records, what they were before, and what they are now: so that it can be taken back.
import type { VersionCause } from '../../../register/record.ts';
import type { MadeVersion } from '../../contract/imports/log.ts';
import { CONTENT_AT, CONTENT_COLUMNS, SLOT_SPAN, slotOf, type SqlRow, STATES, storedContentOf, versionContent } from '../../rows/columns.ts'; // prettier-ignore
import { prepareStored } from '../../rows/prepare.ts';
import { feedIdOf } from '../../rows/register.ts';
import { asNumber, asText, Fragment, shape, table } from '../../rows/sql.ts';
import type { Rule, Sql } from '../rule.ts';

const VERSIONS = table('versions');
const RECORDS = table('records');
const WITHDRAWN = table('withdrawn');
const CONTENTS = table('contents');
const IMPORTS = table('imports');
const PROPOSED = table('proposed_records');

const HEAD = [
  ...['v.entry', 'coalesce(r.id, w.id)', 'v.cause', 'CASE WHEN r.slot IS NOT NULL THEN 0 ELSE 1 + w.is_redacted END'],
  ...['p.cause', 'v.slot', 'CASE WHEN u.undoes = v.import AND u.number > v.import THEN 1 ELSE 0 END'],
];

/** The content of the version, of the one before, and of the record now. A replaced content is in a table of its own. */
const CONTENT_OF = [
  CONTENT_COLUMNS.map((name) => versionContent(name, 'c')),
  CONTENT_COLUMNS.map((name) => versionContent(name, 'b')),
  CONTENT_COLUMNS.map((name) => `CASE WHEN r.slot IS NOT NULL THEN r.${name} ELSE w.${name} END`),
];

const MADE = shape([...HEAD, ...CONTENT_OF.flat()], madeVersionOf);

function madeVersionOf(row: SqlRow): MadeVersion {
  const [entry, recordId, cause, state, causeBefore, slot, isTakenBack] = row;
  const id = asText(recordId);
  const feedId = id.slice(0, id.indexOf(':'));
  const [made, before, now] = CONTENT_OF.map((columns, at) => {
    const from = HEAD.length + at * columns.length;
    return row[from + CONTENT_AT.title] === null ? null : storedContentOf(feedId, row, 1, from);
  });
  const wasLive = causeBefore !== null && causeBefore !== 'withdrawn' && causeBefore !== 'redacted';
  return {
    change: asNumber(entry) % SLOT_SPAN,
    id,
    position: asNumber(slot) % SLOT_SPAN,
    cause: asText(cause) as VersionCause,
    state: STATES[asNumber(state) as 0 | 1 | 2],
    made: made?.statement ?? null,
    before: wasLive && before != null ? prepareStored(before) : null,
    wasLive,
    now: now?.statement ?? null,
    isTakenBack: asNumber(isTakenBack) === 1,
  };
}

/** The versions of an import behind a change, up to another. */
export function* madeVersions(
  sql: Sql,
  register: number,
  number: number,
  { after, until, limit }: { readonly after: number; readonly until: number; readonly limit: number },
): Rule<readonly MadeVersion[]> {
  return yield* sql.all(MADE)`SELECT ${MADE} FROM ${VERSIONS} v
    LEFT JOIN ${RECORDS} r ON r.slot = v.slot
    LEFT JOIN ${WITHDRAWN} w ON w.slot = v.slot
    LEFT JOIN ${VERSIONS} p ON p.slot = v.slot AND p.version = v.version - 1
    LEFT JOIN ${VERSIONS} l ON l.slot = v.slot AND l.version = coalesce(r.version, w.version)
    LEFT JOIN ${IMPORTS} u ON u.number = l.import
    LEFT JOIN ${CONTENTS} c ON c.slot = v.slot AND c.version = v.content_version
    LEFT JOIN ${CONTENTS} b ON b.slot = v.slot AND b.version = p.content_version
    WHERE v.entry > ${slotOf(register, after)} AND v.entry <= ${slotOf(register, until)} AND v.import = ${number}
    ORDER BY v.entry LIMIT ${limit}`;
}

const LIVE = shape(['entry', 'record_id', ...CONTENT_COLUMNS], (row): Pick<MadeVersion, 'change' | 'now'> => {
  const [entry, id] = row;
  const feedId = feedIdOf(asText(id));
  return { change: asNumber(entry) % SLOT_SPAN, now: storedContentOf(feedId, row, 1, 2).statement };
});

const CONTENT = new Fragment(() => CONTENT_COLUMNS.map((name) => `r.${name}`).join(', '));

/** What live records state by versions behind a change, without those of a proposal. */
export function* liveVersions(
  sql: Sql,
  register: number,
  proposal: number,
  { after, limit }: { readonly after: number; readonly limit: number },
): Rule<readonly Pick<MadeVersion, 'change' | 'now'>[]> {
  return yield* sql.all(LIVE)`SELECT v.entry, r.id AS record_id, ${CONTENT} FROM ${VERSIONS} v
    JOIN ${RECORDS} r ON r.slot = v.slot AND r.version = v.version
    WHERE v.entry > ${slotOf(register, after)} AND v.entry < ${slotOf(register + 1, 0)}
      AND NOT EXISTS (SELECT 1 FROM ${PROPOSED} p WHERE p.number = ${proposal} AND p.record_id = r.id)
    ORDER BY v.entry LIMIT ${limit}`;
}
