// The rules for sign-in links and sessions. A rule that changes those of an account locks the account first.
import type { Account } from '../contract/accounts.ts';
import type { MailLimit, NewSession, NewSignInLink, SignInStore } from '../contract/sign-in.ts';
import { ACCOUNT, checkDigest, keptTime, unknownAccount } from '../rows/accounts.ts';
import { asText, FOR_UPDATE, fragment, shape, table, withoutNul } from '../rows/sql.ts';
import { bytes, index, orNull, small, Table, TEXT, TIME, unique } from '../rows/table.ts';
import type { Engine, Rule, Sql } from './rule.ts';

const ACCOUNTS = table('accounts');

/** An account has one link. The row remains when it is used, for the number of links that were sent by e-mail. */
const LINKS = new Table(
  'sign_in_links',
  { account_id: TEXT, digest: orNull(unique(bytes(32, 32))), ends_at: TIME, mails: small(0), mails_since: TIME },
  { key: ['account_id'] },
);

const SESSIONS = new Table(
  'sessions',
  { digest: bytes(32, 32), account_id: TEXT, created_at: TIME, ends_at: TIME },
  { key: ['digest'], indexes: [index('sessions_account', '(account_id)'), index('sessions_end', '(ends_at)')] },
);

/** The tables of links and sessions. */
export const SIGN_IN_TABLES: readonly Table[] = [LINKS, SESSIONS];

const ACCOUNT_ID = shape(['account_id'], ([id]) => asText(id));

const MAILS = LINKS.shape({ mails: 'mails', since: 'mails_since' });

const OF_ACCOUNT = shape(
  ACCOUNT.columns.map((column) => `a.${column}`),
  ACCOUNT.read,
);

/** The links and sessions of a store. */
export function signInsOn(engine: Engine): SignInStore<Account> {
  return {
    keepLink: async (link, { mail } = {}) => {
      const kept = keptLink(link);
      if (mail === undefined) return engine.write(keepLink, kept, null);
      return engine.write(keepLink, kept, { ...mail, since: keptTime('since', mail.since) });
    },
    findLink: async (digest, { at }) => engine.read(findLink, digest, keptTime('at', at)),
    useLink: async (digest, session) => engine.write(useLink, digest, keptSession(session)),
    findSession: async (digest, { at }) => engine.read(findSession, digest, keptTime('at', at)),
    endSession: (digest) => engine.write(endSession, digest),
    endSessions: (accountId) => engine.write(endSessions, accountId),
    prune: async ({ before }) => {
      const time = keptTime('before', before);
      await engine.write(pruneLinks, time);
      await engine.write(pruneSessions, time);
    },
  };
}

function* lockAccount(sql: Sql, accountId: string): Rule<Account | null> {
  return yield* sql.one(ACCOUNT)`SELECT ${ACCOUNT} FROM ${ACCOUNTS} WHERE id = ${withoutNul(accountId)} ${FOR_UPDATE}`;
}

function* keepLink(sql: Sql, link: NewSignInLink, mail: MailLimit | null): Rule<boolean> {
  const { accountId, digest, createdAt, endsAt } = link;
  if ((yield* lockAccount(sql, accountId)) === null) throw unknownAccount(accountId);
  const counted = yield* sql.one(MAILS)`SELECT ${MAILS} FROM ${LINKS} WHERE account_id = ${accountId}`;
  const isBegun = counted !== null && (mail === null || counted.since > mail.since);
  const { mails, since } = isBegun ? counted : { mails: 0, since: createdAt };
  if (mail !== null && mails >= mail.most) return false;
  const sent = mails + (mail === null ? 0 : 1);
  yield* sql.run`INSERT INTO ${LINKS} (account_id, digest, ends_at, mails, mails_since)
    VALUES (${accountId}, ${digest}, ${endsAt}, ${sent}, ${since})
    ON CONFLICT (account_id) DO UPDATE SET digest = excluded.digest, ends_at = excluded.ends_at,
      mails = excluded.mails, mails_since = excluded.mails_since`;
  return true;
}

function* findLink(sql: Sql, digest: Uint8Array, at: string): Rule<Account | null> {
  return yield* sql.one(OF_ACCOUNT)`SELECT ${OF_ACCOUNT} FROM ${LINKS} l JOIN ${ACCOUNTS} a ON a.id = l.account_id
    WHERE l.digest = ${digest} AND l.ends_at > ${at}`;
}

function* useLink(sql: Sql, digest: Uint8Array, session: NewSession): Rule<Account | null> {
  const accountId = yield* sql.one(ACCOUNT_ID)`SELECT ${ACCOUNT_ID} FROM ${LINKS} WHERE digest = ${digest}`;
  if (accountId === null) return null;
  const account = yield* lockAccount(sql, accountId);
  const used = yield* sql.run`UPDATE ${LINKS} SET digest = NULL
    WHERE digest = ${digest} AND ends_at > ${session.createdAt}`;
  if (account === null || used === 0) return null;
  yield* sql.run`INSERT INTO ${SESSIONS} (digest, account_id, created_at, ends_at)
    VALUES (${session.digest}, ${accountId}, ${session.createdAt}, ${session.endsAt})`;
  return account;
}

function* findSession(sql: Sql, digest: Uint8Array, at: string): Rule<Account | null> {
  return yield* sql.one(OF_ACCOUNT)`SELECT ${OF_ACCOUNT} FROM ${SESSIONS} s JOIN ${ACCOUNTS} a ON a.id = s.account_id
    WHERE s.digest = ${digest} AND s.ends_at > ${at}`;
}

function* endSession(sql: Sql, digest: Uint8Array): Rule<void> {
  yield* sql.run`DELETE FROM ${SESSIONS} WHERE digest = ${digest}`;
}

/** Ends the sessions of an account and its link, which would begin another one. Also before the account is removed. */
export function* endSessions(sql: Sql, accountId: string): Rule<number> {
  const account = yield* lockAccount(sql, accountId);
  if (account === null) return 0;
  yield* sql.run`UPDATE ${LINKS} SET digest = NULL WHERE account_id = ${account.id}`;
  return yield* sql.run`DELETE FROM ${SESSIONS} WHERE digest IN (
    SELECT digest FROM ${SESSIONS} WHERE account_id = ${account.id} ${IN_ORDER})`;
}

function* pruneLinks(sql: Sql, before: string): Rule<void> {
  yield* sql.run`DELETE FROM ${LINKS} WHERE account_id IN (SELECT account_id FROM ${LINKS}
    WHERE ends_at <= ${before} AND mails_since <= ${before} ORDER BY account_id ${FOR_UPDATE})`;
}

function* pruneSessions(sql: Sql, before: string): Rule<void> {
  yield* sql.run`DELETE FROM ${SESSIONS} WHERE digest IN (
    SELECT digest FROM ${SESSIONS} WHERE ends_at <= ${before} ${IN_ORDER})`;
}

/** Several sessions are locked in one order, so that two processes cannot wait for each other. */
const IN_ORDER = fragment`ORDER BY digest ${FOR_UPDATE}`;

/** The stored form of a new link. @throws GazetteError `invalid_option` */
function keptLink({ accountId, digest, createdAt, endsAt }: NewSignInLink): NewSignInLink {
  return { accountId, ...keptSession({ digest, createdAt, endsAt }) };
}

/** The stored form of a new session. @throws GazetteError `invalid_option` */
function keptSession({ digest, createdAt, endsAt }: NewSession): NewSession {
  checkDigest(digest);
  return { digest, createdAt: keptTime('createdAt', createdAt), endsAt: keptTime('endsAt', endsAt) };
}
