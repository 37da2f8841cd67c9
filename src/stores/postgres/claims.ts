// Claims deliveries in a PostgreSQL database to be sent, for PostgresDeliveries.
import { SLOT_SPAN, type SqlRow } from '../rows/columns.ts';
import * as rows from '../rows/deliveries.ts';
import type { ClaimOptions } from '../contract/sending.ts';
import type { ClaimedDelivery, EventVersion } from '../contract/deliveries.ts';
import type { ClaimedEndpoint } from '../contract/endpoints.ts';
import type { Share } from '../logic/webhooks/claims.ts';
import type { PostgresConnection } from './connection.ts';

/** As {@link DeliveryHooks.take}. */
export async function takeDeliveries(
  connection: PostgresConnection,
  shares: readonly Share[],
  { now, lease, until }: Pick<ClaimOptions, 'now' | 'lease' | 'until'>,
): Promise<readonly ClaimedDelivery[]> {
  const p = connection.prefix;
  // Rows that another process has locked are skipped.
  const taken = await connection.query(
    `WITH due AS MATERIALIZED (
        SELECT d.number, d.due_at FROM unnest($4::bigint[], $5::integer[]) AS s (endpoint, most)
        CROSS JOIN LATERAL (
          SELECT number, due_at FROM ${p}webhook_deliveries
          WHERE endpoint = s.endpoint AND state = 'pending' AND due_at <= $1
          ORDER BY due_at, number LIMIT s.most FOR UPDATE SKIP LOCKED
        ) d
      )
      UPDATE ${p}webhook_deliveries d SET lease = $2, due_at = $3 FROM due WHERE d.number = due.number
      RETURNING d.number, d.entry, d.event_id, d.type, d.created_at, d.base_url, d.tries, due.due_at, d.endpoint, d.about`,
    [now, lease, until, shares.map(({ endpoint }) => endpoint), shares.map(({ most }) => most)],
  );
  if (taken.length === 0) return [];
  const numbers = [...new Set(taken.map((row) => Number(row[8])))];
  const [endpoints, versions] = await Promise.all([
    connection.query(`${rows.selectClaimedEndpoints(p)} WHERE e.number = ANY ($1)`, [numbers]),
    eventVersions(
      connection,
      taken.flatMap(([, entry]) => (entry === null ? [] : [entry!])),
    ),
  ]);
  const byNumber = new Map(endpoints.map(rows.claimedEndpointOf));
  return taken
    .flatMap((row) => {
      const endpoint = byNumber.get(Number(row[8]));
      // It was removed between the two queries, with its deliveries.
      return endpoint === undefined ? [] : [claimedOf(row, endpoint, versions)];
    })
    .sort((a, b) => rows.deliveryNumber(a.id) - rows.deliveryNumber(b.id));
}

async function eventVersions(
  connection: PostgresConnection,
  entries: readonly unknown[],
): Promise<ReadonlyMap<number, EventVersion>> {
  if (entries.length === 0) return new Map();
  const sql = `${rows.selectEventVersions(connection.prefix)}
    JOIN ${connection.prefix}registers g ON g.number = v.entry / ${SLOT_SPAN} WHERE v.entry = ANY ($1::bigint[])`;
  const found = await connection.query(sql, [entries]);
  return new Map(found.map((row) => [Number(row[0]), rows.eventVersionOf(row)]));
}

function claimedOf(
  row: SqlRow,
  endpoint: ClaimedEndpoint,
  versions: ReadonlyMap<number, EventVersion>,
): ClaimedDelivery {
  const [number, entry, id, type, createdAt, baseUrl, tries, dueAt, , about] = row;
  return {
    id: rows.deliveryId(Number(number)),
    endpoint,
    event: { id: id as string, type: type as string },
    createdAt: createdAt as string,
    baseUrl: baseUrl as string | null,
    version: versions.get(Number(entry)) ?? null,
    ...rows.aboutOf(entry, about),
    tries: tries as number,
    dueAt: dueAt as string,
  };
}
