// The rules for the editors of the desk, and for the log of what was done.
import { checkOneOf, checkWhole } from '../../../checks.ts';
import {
  type ByActor,
  DESK_ACTIONS,
  DESK_LOG_PAGE_SIZE,
  type DeskEntry,
  type DeskLogRange,
  type Editor,
  EDITOR_ROLES,
  type EditorChange,
  type EditorStore,
  type NewDeskEntry,
  type NewEditor,
} from '../../contract/desk/editors.ts';
import { checkId, editorExists, EMAIL_COLUMN, ID_COLUMN, invalid, keptEmail, keptTime, unknownEditor } from '../../rows/accounts.ts'; // prettier-ignore
import { EACH_TEXT, FOR_UPDATE, type Shape, withoutNul } from '../../rows/sql.ts';
import { jsonText } from '../../rows/stored-json.ts';
import { index, oneOf, orNull, Table, TEXT, TEXT_LIST, TIME, whole } from '../../rows/table.ts';
import type { Engine, Rule, Sql } from '../rule.ts';
import { endSessions, forgetSignIns } from '../sign-in.ts';
import { existingRegisters } from '../webhooks/endpoints.ts';

/** The row of an editor who was removed remains without the address, so that the log can be read. */
const EDITORS = new Table(
  'editors',
  {
    name: ID_COLUMN,
    email: orNull(EMAIL_COLUMN),
    feeds: orNull(TEXT_LIST),
    role: oneOf(EDITOR_ROLES),
    created_at: TIME,
    removed_at: orNull(TIME),
  },
  { key: ['name'], isKeyed: true, indexes: [index('editors_email', '(email)')] },
);

const LOG = new Table(
  'desk_log',
  {
    number: whole(1),
    at: TIME,
    who: orNull(TEXT),
    role: oneOf([...EDITOR_ROLES, 'operator'] as const),
    action: oneOf(DESK_ACTIONS),
    feed: orNull(TEXT),
    subject: orNull(TEXT),
    told_until: orNull(TIME),
  },
  { key: ['number'], isCounted: true, indexes: [index('desk_log_told', '(told_until) WHERE told_until IS NOT NULL')] },
);

/** The tables. */
export const EDITOR_TABLES: readonly Table[] = [EDITORS, LOG];

const EDITOR: Shape<Editor> = EDITORS.shape({
  name: 'name',
  email: 'email',
  feeds: 'feeds',
  role: 'role',
  createdAt: 'created_at',
  removedAt: 'removed_at',
});

const ENTRY: Shape<DeskEntry> = LOG.shape({
  number: 'number',
  at: 'at',
  who: 'who',
  role: 'role',
  action: 'action',
  feed: 'feed',
  subject: 'subject',
});

/** The editors of a store. */
export function editorsOn(engine: Engine): EditorStore {
  return {
    add: async (editor, by) => engine.write(addEditor, keptEditor(editor), keptActor(by)),
    editor: (name) => engine.read(findEditor, name),
    editors: () => engine.read(allEditors),
    editorsOfEmail: (email) => engine.read(editorsOfEmail, email.toLowerCase()),
    change: async (name, change, by) => engine.write(changeEditor, name, keptChange(change), keptActor(by)),
    remove: async (name, by) => engine.write(removeEditor, name, keptActor(by)),
    note: async (entry) => engine.write(note, { ...entry, ...keptActor(entry) }),
    takeNotice: (options) => engine.write(takeNotice, options),
    endNotice: (number) => engine.write(endNotice, number),
    log: async (range) => {
      checkWhole('limit', range.limit, 1, DESK_LOG_PAGE_SIZE);
      return engine.read(logOf, range);
    },
  };
}

function* addEditor(sql: Sql, { name, email, feeds, role, createdAt }: NewEditor, by: ByActor): Rule<Editor> {
  yield* existingRegisters(sql, feeds);
  const editor = yield* sql.one(EDITOR)`INSERT INTO ${EDITORS} (name, email, feeds, role, created_at)
    VALUES (${name}, ${email}, ${jsonText(feeds)}, ${role}, ${createdAt})
    ON CONFLICT (name) DO UPDATE SET email = excluded.email, feeds = excluded.feeds, role = excluded.role,
      created_at = excluded.created_at, removed_at = NULL WHERE editors.removed_at IS NOT NULL
    RETURNING ${EDITOR}`;
  if (editor === null) throw editorExists(name);
  yield* noteEditor(sql, 'editor_added', name, by);
  return editor;
}

function* findEditor(sql: Sql, name: string): Rule<Editor | null> {
  return yield* sql.one(EDITOR)`SELECT ${EDITOR} FROM ${EDITORS}
    WHERE name = ${withoutNul(name)} AND removed_at IS NULL`;
}

function* allEditors(sql: Sql): Rule<readonly Editor[]> {
  return yield* sql.all(EDITOR)`SELECT ${EDITOR} FROM ${EDITORS} ORDER BY name`;
}

function* editorsOfEmail(sql: Sql, email: string): Rule<readonly Editor[]> {
  return yield* sql.all(EDITOR)`SELECT ${EDITOR} FROM ${EDITORS} WHERE email = ${withoutNul(email)} ORDER BY name`;
}

/** Locks an editor who was not removed. */
function* holdEditor(sql: Sql, name: string): Rule<Editor> {
  const editor = yield* sql.one(EDITOR)`SELECT ${EDITOR} FROM ${EDITORS}
    WHERE name = ${withoutNul(name)} AND removed_at IS NULL ${FOR_UPDATE}`;
  if (editor === null) throw unknownEditor(name);
  return editor;
}

function* changeEditor(sql: Sql, name: string, change: EditorChange, by: ByActor): Rule<Editor> {
  yield* existingRegisters(sql, change.feeds ?? null);
  const { email, feeds, role } = { ...(yield* holdEditor(sql, name)), ...change };
  const editor = yield* sql.one(
    EDITOR,
  )`UPDATE ${EDITORS} SET email = ${email}, feeds = ${jsonText(feeds)}, role = ${role}
    WHERE name = ${name} RETURNING ${EDITOR}`;
  yield* endSessions(sql, { kind: 'editor', id: name });
  yield* noteEditor(sql, 'editor_changed', name, by);
  return editor!;
}

function* removeEditor(sql: Sql, name: string, by: ByActor): Rule<void> {
  yield* holdEditor(sql, name);
  yield* forgetSignIns(sql, { kind: 'editor', id: name });
  yield* sql.run`UPDATE ${EDITORS} SET email = NULL, removed_at = ${by.at} WHERE name = ${name}`;
  yield* noteEditor(sql, 'editor_removed', name, by);
}

function* noteEditor(sql: Sql, action: NewDeskEntry['action'], subject: string, by: ByActor): Rule<void> {
  yield* note(sql, { ...by, action, feed: null, subject });
}

/** Notes something in the log. */
export function* note(sql: Sql, { at, who, role, action, feed, subject, isToTell = false }: NewDeskEntry): Rule<void> {
  yield* sql.run`INSERT INTO ${LOG} (at, who, role, action, feed, subject, told_until)
    VALUES (${at}, ${who}, ${role}, ${action}, ${feed}, ${subject}, ${isToTell ? at : null})`;
}

function* takeNotice(sql: Sql, { now, until }: Parameters<EditorStore['takeNotice']>[0]): Rule<DeskEntry | null> {
  const next = yield* sql.one(ENTRY)`SELECT ${ENTRY} FROM ${LOG} WHERE told_until <= ${now} ORDER BY number LIMIT 1`;
  if (next === null) return null;
  // Another process may have taken it meanwhile.
  return yield* sql.one(ENTRY)`UPDATE ${LOG} SET told_until = ${until}
    WHERE number = ${next.number} AND told_until <= ${now} RETURNING ${ENTRY}`;
}

function* endNotice(sql: Sql, number: number): Rule<void> {
  yield* sql.run`UPDATE ${LOG} SET told_until = NULL WHERE number = ${number}`;
}

function* logOf(
  sql: Sql,
  { limit, below = Number.MAX_SAFE_INTEGER, of, only }: DeskLogRange,
): Rule<readonly DeskEntry[]> {
  if (only !== undefined) {
    return yield* sql.all(ENTRY)`SELECT ${ENTRY} FROM ${LOG} WHERE number < ${below}
      AND feed = ${only.feed} AND action = ${only.action} ORDER BY number DESC LIMIT ${limit}`;
  }
  if (of === undefined) {
    return yield* sql.all(
      ENTRY,
    )`SELECT ${ENTRY} FROM ${LOG} WHERE number < ${below} ORDER BY number DESC LIMIT ${limit}`;
  }
  const isOfAll = of.feeds === null ? 1 : 0;
  return yield* sql.all(ENTRY)`SELECT ${ENTRY} FROM ${LOG} WHERE number < ${below}
    AND ((who = ${of.name} AND role <> 'operator')
      OR (feed IS NOT NULL AND ${isOfAll} = 1)
      OR feed IN (SELECT e.value FROM ${EACH_TEXT}(${JSON.stringify(of.feeds ?? [])}) AS e))
    ORDER BY number DESC LIMIT ${limit}`;
}

/** The stored form of a new editor. @throws GazetteError `invalid_option` */
function keptEditor({ name, createdAt, ...given }: NewEditor): NewEditor {
  checkId('editor', name);
  const { email, feeds, role } = { ...given, ...keptChange(given) };
  return { name, email, feeds, role, createdAt: keptTime('createdAt', createdAt) };
}

function keptChange({ email, feeds, role }: EditorChange): EditorChange {
  if (role !== undefined) checkOneOf('role', role, EDITOR_ROLES);
  // None would be nothing to work on; it must not be taken for all.
  if (feeds?.length === 0) throw invalid('feeds', 'at least one register, or null for all', 'none');
  return {
    ...(email === undefined ? {} : { email: keptEmail(email) }),
    ...(feeds === undefined ? {} : { feeds: feeds && [...new Set(feeds)] }),
    ...(role === undefined ? {} : { role }),
  };
}

function keptActor({ who, role, at }: ByActor): ByActor {
  return { who: who === null ? null : withoutNul(who), role, at: keptTime('at', at) };
}
