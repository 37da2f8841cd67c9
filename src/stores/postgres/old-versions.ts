// Completes the log of a store that older code wrote, as in SQLite.
import { SLOT_SPAN, selectVersions, type SqlRow } from '../rows/columns.ts';
import { Committer, LOG } from '../rows/commitment.ts';
import { withoutOwnKey } from '../rows/old-rows.ts';
import { OLD_VERSIONS_READ, oldCommitment } from '../rows/old-rows.ts';

/** Texts compare by bytes. */
export const TEXT = 'text COLLATE "C"';

/** The columns of a content, in the first stores. */
export const CONTENT = `
  document_type text COLLATE "C",
  facility_id text COLLATE "C",
  content_type text COLLATE "C",
  published_at text COLLATE "C",
  observed_at text COLLATE "C",
  observed_is_stated smallint,
  title text COLLATE "C",
  author text COLLATE "C",
  source_url text COLLATE "C",
  summary text COLLATE "C",
  content text COLLATE "C",
  data text COLLATE "C"`;

/** The columns of a record, in the first stores, without its content. */
export const RECORD = `
  slot bigint PRIMARY KEY,
  id text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  content_version integer NOT NULL,
  updated_at text COLLATE "C" NOT NULL,
  digest bytea NOT NULL`;

/** Runs `work` in one transaction that holds the lock of migrations. */
export type RunTransaction = <T>(
  work: (query: (text: string, values?: readonly unknown[]) => Promise<SqlRow[]>) => Promise<T>,
) => Promise<T>;

/** Makes the commitments that are missing. @param prefix of the tables' names */
export async function commitOldVersions(prefix: string, transaction: RunTransaction): Promise<void> {
  const read = `${selectVersions(prefix)} WHERE v.entry > $1 AND v.log IS NULL
    ORDER BY v.entry LIMIT ${OLD_VERSIONS_READ}`;
  const complete = `UPDATE ${prefix}versions v SET salt = n.salt, commitment = n.commitment, log = n.log
    FROM unnest($1::bigint[], $2::bytea[], $3::bytea[], $4::integer[]) AS n (entry, salt, commitment, log)
    WHERE v.entry = n.entry`;
  let last: number | null = 0;
  while (last !== null) {
    const after: number = last;
    last = await transaction(async (query) => {
      const logs = await query(`SELECT ${LOG.columns.join(', ')}, register FROM ${prefix}logs`);
      const logOf = new Map(logs.map((row) => [row.at(-1) as number, LOG.read(row)]));
      const rows = await query(read, [after]);
      const made = rows.map((row) => {
        const log = logOf.get(Math.floor(Number(row[0]) / SLOT_SPAN))!;
        return { entry: row[0], ...oldCommitment(row, new Committer(log, 1)) };
      });
      await query(complete, [
        made.map(({ entry }) => entry),
        made.map(({ salt }) => salt),
        made.map(({ commitment }) => commitment),
        made.map(({ log }) => log),
      ]);
      return rows.length === OLD_VERSIONS_READ ? Number(rows.at(-1)![0]) : null;
    });
  }
}

/** Renames an own field `key` in the definitions. Several processes may do it at once. @param prefix of the tables' names */
export async function renameOldKeys(prefix: string, transaction: RunTransaction): Promise<void> {
  await transaction(async (query) => {
    for (const [number, definition] of await query(`SELECT number, definition FROM ${prefix}registers`)) {
      const renamed = withoutOwnKey(definition as string);
      if (renamed === null) continue;
      await query(`UPDATE ${prefix}registers SET definition = $1 WHERE number = $2`, [renamed, number]);
    }
  });
}
