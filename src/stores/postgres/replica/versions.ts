// Versions of a register, from the replica if it is as far as the primary is known to be.
import { selectVersions, type SqlRow, VERSION_AT } from '../../rows/columns.ts';
import type { PostgresConnection } from '../connection.ts';
import { type AskedRegister, type Head, type ReplicaReads, sendStatement } from './replica-reads.ts';

/** Versions of a register that are read. */
export interface VersionsAsked {
  readonly feedId: string;
  readonly number: number;
  readonly values: readonly unknown[];
  /** Which, of `v`. */
  readonly condition: string;
  /** Their order, and how many. */
  readonly ending: string;
  /** Whether there are none, by what was read of the register. */
  readonly isNone: boolean;
  /** The version that the first one has. Default: any. */
  readonly first?: number;
  /** The register as it has just been read on the primary. */
  readonly head?: Head;
}

/** Their rows, as `selectVersions()` has them. */
export async function versionsIn(
  connection: PostgresConnection,
  replica: ReplicaReads | null,
  { feedId, number, values, condition, ending, isNone, first, head }: VersionsAsked,
): Promise<SqlRow[]> {
  const { prefix } = connection;
  const select = `${selectVersions(prefix)} WHERE ${condition} ${ending}`;
  // No row of a replica says that it is behind.
  if (replica === null || isNone) return connection.query(select, values);
  const text = ({ from, columns }: AskedRegister): string =>
    `SELECT f.*${columns} FROM ${from}, LATERAL (${select}) f WHERE g.number = ${number}`;
  const isThere = (rows: readonly SqlRow[]): boolean => first === undefined || Number(rows[0]![VERSION_AT]) === first;
  return replica.rows({
    feedId,
    number,
    text,
    values,
    send: sendStatement,
    isThere,
    ...(head === undefined ? {} : { head }),
  });
}
