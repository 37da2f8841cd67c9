// Links and sessions in the form that every store uses: their tables, and the checks before a write.
import type { NewSession, NewSignInLink } from '../contract/sign-in.ts';
import { checkDigest, keptTime } from './accounts.ts';

/**
 * The tables of links and sessions with this prefix. An account has one link. The row remains when the link is used, for
 * the number of links that were sent by e-mail.
 *
 * @param text the type of a text, as `bytes` that of bytes
 */
export function signInTablesSql(prefix: string, text: string, bytes: string, options = ''): string {
  return `
CREATE TABLE ${prefix}sign_in_links (
  account_id ${text} PRIMARY KEY,
  digest ${bytes} UNIQUE,
  ends_at ${text} NOT NULL,
  mails integer NOT NULL,
  mails_since ${text} NOT NULL
)${options};
CREATE TABLE ${prefix}sessions (
  digest ${bytes} PRIMARY KEY,
  account_id ${text} NOT NULL,
  created_at ${text} NOT NULL,
  ends_at ${text} NOT NULL
)${options};
CREATE INDEX sessions_account ON ${prefix}sessions (account_id);
CREATE INDEX sessions_end ON ${prefix}sessions (ends_at);`;
}

/** The stored form of a new link. @throws GazetteError `invalid_option` */
export function keptLink({ accountId, digest, createdAt, endsAt }: NewSignInLink): NewSignInLink {
  return { accountId, ...keptSession({ digest, createdAt, endsAt }) };
}

/** The stored form of a new session. @throws GazetteError `invalid_option` */
export function keptSession({ digest, createdAt, endsAt }: NewSession): NewSession {
  checkDigest(digest);
  return { digest, createdAt: keptTime('createdAt', createdAt), endsAt: keptTime('endsAt', endsAt) };
}
