// Which transaction last changed a register, and an account or key: what nodes ask for instead of reading all of them again
// after every commit. Rows carry the number of their transaction, and not one of a sequence, because transactions need not
// commit in the order of such numbers. Triggers write it, so that also code that does not know of it does.
import type { SqlRow } from '../../rows/columns.ts';

/** So many changed registers are named; above that, it is only said that there are more. */
export const MOST_NAMED = 1000;

/**
 * The triggers of the columns `written`, and their indexes. The use of a key changes nothing that its look-up says. What is
 * deleted leaves its mark elsewhere: a register among those removed, accounts in a row that says nothing else.
 *
 * @param schema the PostgreSQL schema of the tables, quoted
 */
export function writtenSql(schema: string): string {
  const marked = (table: string, when = 'INSERT OR UPDATE'): string => `
CREATE INDEX ${table}_written ON ${schema}.${table} (written);
CREATE TRIGGER mark_written BEFORE ${when} ON ${schema}.${table} FOR EACH ROW EXECUTE FUNCTION ${schema}.mark_written();`;
  const ofKeys = [
    ...['account_id', 'product', 'name', 'ends_at', 'revoked_at', 'expires_at', 'scopes', 'feeds', 'limit_requests'],
    ...['limit_seconds', 'budget', 'per_day', 'spent', 'spent_day', 'spent_on_day'],
  ];
  return `
CREATE FUNCTION ${schema}.mark_written() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.written := pg_current_xact_id();
  RETURN NEW;
END $$;
${marked('registers')}${marked('removed_registers')}${marked('accounts')}
${marked('api_keys', `INSERT OR UPDATE OF ${ofKeys.join(', ')}`)}
CREATE TABLE ${schema}.removed_accounts (written xid8 NOT NULL PRIMARY KEY);
CREATE FUNCTION ${schema}.mark_removal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ${schema}.removed_accounts (written) VALUES (pg_current_xact_id()) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER mark_removal AFTER DELETE ON ${schema}.accounts
  FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.mark_removal();`;
}

/**
 * Asks what can be seen, and what has changed since: the server (with its table of registers, as another one counts its
 * transactions on its own), the snapshot, a list of the registers, and whether there are accounts or keys. Two equal
 * snapshots see the same rows of every table. A replica's snapshot does not list what still runs, so that its server is null.
 *
 * @param prefix of the tables: the quoted schema and a dot
 * @param since an earlier snapshot of the same server; null: none, and nothing is said of changes
 */
export async function askWritten(
  query: (text: string, values: readonly unknown[]) => Promise<readonly SqlRow[]>,
  prefix: string,
  since: string | null,
): Promise<readonly SqlRow[]> {
  const changed = (columns: string, table: string): string => `SELECT ${columns} FROM ${prefix}${table}
    WHERE written >= pg_snapshot_xmin($1::pg_snapshot) AND NOT pg_visible_in_snapshot(written, $1::pg_snapshot)`;
  const sql = `SELECT
    CASE WHEN NOT pg_is_in_recovery()
      THEN extract(epoch FROM pg_postmaster_start_time())::text || ' ' || '${prefix}registers'::regclass::oid END,
    pg_current_snapshot()::text,
    to_json(ARRAY(${changed('id', 'registers')} UNION ALL ${changed('id', 'removed_registers')} LIMIT ${MOST_NAMED + 1}))::text,
    ${['accounts', 'api_keys', 'removed_accounts'].map((table) => `EXISTS (${changed('', table)})`).join(' OR ')}`;
  return query(sql, [since]);
}
