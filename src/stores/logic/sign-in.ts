// The rules for sign-in links and sessions, of accounts and of editors. A rule that changes those of somebody locks the
// account or the editor first.
import type {
  MailLimit,
  NewSession,
  NewSignInLink,
  SignInKind,
  SignInOwner,
  SignInStore,
} from '../contract/sign-in.ts';
import { checkDigest, keptTime, unknownAccount, unknownEditor } from '../rows/accounts.ts';
import { FOR_UPDATE, fragment, numberIn, table, withoutNul } from '../rows/sql.ts';
import { bytes, index, oneOf, orNull, small, Table, TEXT, TIME, unique } from '../rows/table.ts';
import type { Engine, Rule, Sql } from './rule.ts';

const ACCOUNTS = table('accounts');
const EDITORS = table('editors');

const KIND = oneOf<SignInKind>(['account', 'editor']);

/** Everybody has one link. The row remains when it is used, for the number of links that were sent by e-mail. */
const LINKS = new Table(
  'sign_in_links',
  {
    kind: KIND,
    owner: TEXT,
    digest: orNull(unique(bytes(32, 32))),
    ends_at: TIME,
    mails: small(0),
    mails_since: TIME,
  },
  { key: ['kind', 'owner'] },
);

const SESSIONS = new Table(
  'sessions',
  { digest: bytes(32, 32), kind: KIND, owner: TEXT, created_at: TIME, ends_at: TIME },
  { key: ['digest'], indexes: [index('sessions_owner', '(kind, owner)'), index('sessions_end', '(ends_at)')] },
);

/** The tables of links and sessions. */
export const SIGN_IN_TABLES: readonly Table[] = [LINKS, SESSIONS];

const ONE = numberIn('1');

const OWNER = LINKS.shape({ owner: 'owner' }).map(({ owner }) => owner);

const MAILS = LINKS.shape({ mails: 'mails', since: 'mails_since' });

/** The links and sessions of a store. */
export function signInsOn(engine: Engine): SignInStore {
  return {
    keepLink: async (link, { mail } = {}) => {
      const kept = keptLink(link);
      if (mail === undefined) return engine.write(keepLink, kept, null);
      return engine.write(keepLink, kept, { ...mail, since: keptTime('since', mail.since) });
    },
    findLink: async (kind, digest, { at }) => engine.read(findLink, kind, digest, keptTime('at', at)),
    useLink: async (kind, digest, session) => engine.write(useLink, kind, digest, keptSession(session)),
    findSession: async (kind, digest, { at }) => engine.read(findSession, kind, digest, keptTime('at', at)),
    endSession: (kind, digest) => engine.write(endSession, kind, digest),
    endSessions: (owner) => engine.write(endSessions, owner),
    prune: async ({ before }) => {
      const time = keptTime('before', before);
      await engine.write(pruneLinks, time);
      await engine.write(pruneSessions, time);
    },
  };
}

/** Locks an account, or an editor who was not removed. @returns whether there is one */
function* lockOwner(sql: Sql, { kind, id }: SignInOwner): Rule<boolean> {
  const known = withoutNul(id);
  const found =
    kind === 'account'
      ? yield* sql.one(ONE)`SELECT ${ONE} FROM ${ACCOUNTS} WHERE id = ${known} ${FOR_UPDATE}`
      : yield* sql.one(ONE)`SELECT ${ONE} FROM ${EDITORS} WHERE name = ${known} AND removed_at IS NULL ${FOR_UPDATE}`;
  return found !== null;
}

function* keepLink(sql: Sql, link: NewSignInLink, mail: MailLimit | null): Rule<boolean> {
  const { owner, digest, createdAt, endsAt } = link;
  const { kind, id } = owner;
  if (!(yield* lockOwner(sql, owner))) throw kind === 'account' ? unknownAccount(id) : unknownEditor(id);
  const counted = yield* sql.one(MAILS)`SELECT ${MAILS} FROM ${LINKS} WHERE kind = ${kind} AND owner = ${id}`;
  const isBegun = counted !== null && (mail === null || counted.since > mail.since);
  const { mails, since } = isBegun ? counted : { mails: 0, since: createdAt };
  if (mail !== null && mails >= mail.most) return false;
  const sent = mails + (mail === null ? 0 : 1);
  yield* sql.run`INSERT INTO ${LINKS} (kind, owner, digest, ends_at, mails, mails_since)
    VALUES (${kind}, ${id}, ${digest}, ${endsAt}, ${sent}, ${since})
    ON CONFLICT (kind, owner) DO UPDATE SET digest = excluded.digest, ends_at = excluded.ends_at,
      mails = excluded.mails, mails_since = excluded.mails_since`;
  return true;
}

function* findLink(sql: Sql, kind: SignInKind, digest: Uint8Array, at: string): Rule<string | null> {
  return yield* sql.one(OWNER)`SELECT ${OWNER} FROM ${LINKS}
    WHERE digest = ${digest} AND kind = ${kind} AND ends_at > ${at}`;
}

function* useLink(sql: Sql, kind: SignInKind, digest: Uint8Array, session: NewSession): Rule<string | null> {
  const id = yield* sql.one(OWNER)`SELECT ${OWNER} FROM ${LINKS} WHERE digest = ${digest} AND kind = ${kind}`;
  if (id === null) return null;
  const isThere = yield* lockOwner(sql, { kind, id });
  const used = yield* sql.run`UPDATE ${LINKS} SET digest = NULL
    WHERE digest = ${digest} AND ends_at > ${session.createdAt}`;
  if (!isThere || used === 0) return null;
  yield* sql.run`INSERT INTO ${SESSIONS} (digest, kind, owner, created_at, ends_at)
    VALUES (${session.digest}, ${kind}, ${id}, ${session.createdAt}, ${session.endsAt})`;
  return id;
}

function* findSession(sql: Sql, kind: SignInKind, digest: Uint8Array, at: string): Rule<string | null> {
  return yield* sql.one(OWNER)`SELECT ${OWNER} FROM ${SESSIONS}
    WHERE digest = ${digest} AND kind = ${kind} AND ends_at > ${at}`;
}

function* endSession(sql: Sql, kind: SignInKind, digest: Uint8Array): Rule<void> {
  yield* sql.run`DELETE FROM ${SESSIONS} WHERE digest = ${digest} AND kind = ${kind}`;
}

/** Ends the sessions of somebody and the link, which would begin another one. Also before the account or the editor is removed. */
export function* endSessions(sql: Sql, owner: SignInOwner): Rule<number> {
  const { kind, id } = owner;
  if (!(yield* lockOwner(sql, owner))) return 0;
  yield* sql.run`UPDATE ${LINKS} SET digest = NULL WHERE kind = ${kind} AND owner = ${id}`;
  return yield* sql.run`DELETE FROM ${SESSIONS} WHERE digest IN (
    SELECT digest FROM ${SESSIONS} WHERE kind = ${kind} AND owner = ${id} ${IN_ORDER})`;
}

/** Ends the sessions of somebody who is being removed, and deletes what is kept of the links. */
export function* forgetSignIns(sql: Sql, owner: SignInOwner): Rule<void> {
  yield* endSessions(sql, owner);
  yield* sql.run`DELETE FROM ${LINKS} WHERE kind = ${owner.kind} AND owner = ${owner.id}`;
}

function* pruneLinks(sql: Sql, before: string): Rule<void> {
  yield* sql.run`DELETE FROM ${LINKS} WHERE (kind, owner) IN (SELECT kind, owner FROM ${LINKS}
    WHERE ends_at <= ${before} AND mails_since <= ${before} ORDER BY kind, owner ${FOR_UPDATE})`;
}

function* pruneSessions(sql: Sql, before: string): Rule<void> {
  yield* sql.run`DELETE FROM ${SESSIONS} WHERE digest IN (
    SELECT digest FROM ${SESSIONS} WHERE ends_at <= ${before} ${IN_ORDER})`;
}

/** Several sessions are locked in one order, so that two processes cannot wait for each other. */
const IN_ORDER = fragment`ORDER BY digest ${FOR_UPDATE}`;

/** The stored form of a new link. @throws GazetteError `invalid_option` */
function keptLink({ owner, digest, createdAt, endsAt }: NewSignInLink): NewSignInLink {
  return { owner, ...keptSession({ digest, createdAt, endsAt }) };
}

/** The stored form of a new session. @throws GazetteError `invalid_option` */
function keptSession({ digest, createdAt, endsAt }: NewSession): NewSession {
  checkDigest(digest);
  return { digest, createdAt: keptTime('createdAt', createdAt), endsAt: keptTime('endsAt', endsAt) };
}
