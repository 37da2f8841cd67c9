// Which deliveries a claim takes: accounts in turn, and the endpoints of each account in turn, so that neither an
// account with a million due deliveries nor an endpoint that has them holds up others. Each database takes them in its
// own way (DeliveryHooks).
import type { ClaimOptions } from '../../contract/sending.ts';
import type { ClaimedDelivery } from '../../contract/deliveries.ts';
import { asFlag, asNumber, asText, FOR_UPDATE, type Shape, shape, table } from '../../rows/sql.ts';
import type { Rule, Sql } from '../rule.ts';

const ACCOUNTS = table('accounts');
const ENDPOINTS = table('webhook_endpoints');
const DELIVERIES = table('webhook_deliveries');

/** An endpoint that has deliveries to claim. */
export interface DueEndpoint {
  readonly number: number;
  readonly id: string;
  readonly accountId: string;
  /** Whether its last attempt failed. */
  readonly isFailing: boolean;
}

/** How many deliveries of an endpoint a claim takes at most. */
export interface Share {
  /** The number of the endpoint. */
  readonly endpoint: number;
  readonly most: number;
}

const DUE_ENDPOINT: Shape<DueEndpoint> = shape(
  ['e.number', 'e.id', 'e.account_id', 'e.failing_since IS NOT NULL'],
  ([number, id, accountId, isFailing]) => ({
    number: asNumber(number),
    id: asText(id),
    accountId: asText(accountId),
    isFailing: asFlag(isFailing),
  }),
);

/** The endpoints of accounts with access that have something due, in the order of their creation. */
export function* endpointsDue(sql: Sql, now: string): Rule<readonly DueEndpoint[]> {
  // LIMIT keeps PostgreSQL from joining: it looks once into the index for each endpoint, however many are due.
  return yield* sql.all(
    DUE_ENDPOINT,
  )`SELECT ${DUE_ENDPOINT} FROM ${ENDPOINTS} e JOIN ${ACCOUNTS} a ON a.id = e.account_id
    WHERE a.is_suspended = 0 AND a.access_until > ${now} AND (SELECT d.number FROM ${DELIVERIES} d WHERE d.endpoint = e.number AND d.state = 'pending' AND d.due_at <= ${now}
      ORDER BY d.due_at LIMIT 1) IS NOT NULL ORDER BY e.number`;
}

/** The mark of the sender that has claimed a delivery: its lease is `<mark>.<number>`. */
const MARK: Shape<string> = shape(['d.lease'], ([lease]) => asText(lease).split('.')[0]!);

/** The marks of the senders of claims that end by `until`. */
export function* claimants(
  sql: Sql,
  { now, until }: { readonly now: string; readonly until: string },
): Rule<readonly string[]> {
  const marks = yield* sql.all(MARK)`SELECT DISTINCT ${MARK} FROM ${ENDPOINTS} e CROSS JOIN ${DELIVERIES} d
    WHERE d.endpoint = e.number AND d.state = 'pending' AND d.due_at > ${now} AND d.due_at <= ${until}
      AND d.lease IS NOT NULL`;
  return [...new Set(marks)];
}

/** Makes what the sender of a mark has claimed due. */
export function* freeClaims(
  sql: Sql,
  mark: string,
  { now, until }: { readonly now: string; readonly until: string },
): Rule<void> {
  // Locked in the order of their numbers, like outcomes.
  yield* sql.run`UPDATE ${DELIVERIES} SET due_at = ${now}, lease = NULL WHERE number IN (SELECT number FROM ${DELIVERIES}
    WHERE endpoint IN (SELECT number FROM ${ENDPOINTS}) AND state = 'pending' AND due_at > ${now} AND due_at <= ${until}
      AND lease LIKE ${`${mark}.%`} ORDER BY number ${FOR_UPDATE})`;
}

/** How much a claim takes. */
type ClaimBounds = Pick<ClaimOptions, 'limit' | 'room' | 'limitPerEndpoint' | 'accountRoom'>;

/** Shares claims among accounts and endpoints. Remembers whose turn is next. */
export class ClaimTurns {
  #lastAccount = '';
  /** The last endpoint that was served, by account. */
  readonly #lastEndpoints = new Map<string, number>();

  /**
   * Claims deliveries of these endpoints: of those that answer and of the doubtful, each within their own bounds.
   *
   * @param take claims from each endpoint as much as its share, or less when there is less
   */
  async claim(
    due: readonly DueEndpoint[],
    options: ClaimBounds & Pick<ClaimOptions, 'doubtful'>,
    take: (shares: readonly Share[]) => Promise<readonly ClaimedDelivery[]>,
  ): Promise<readonly ClaimedDelivery[]> {
    const { doubtful } = options;
    if (doubtful === undefined) return this.#claim(due, options, take);
    const isDoubtful = ({ id, isFailing }: DueEndpoint): boolean => doubtful.endpoints.get(id) ?? isFailing;
    const others = due.filter((endpoint) => !isDoubtful(endpoint));
    return [
      ...(await this.#claim(others, options, take)),
      ...(await this.#claim(due.filter(isDoubtful), { ...options, ...doubtful }, take)),
    ];
  }

  async #claim(
    due: readonly DueEndpoint[],
    { limit, room, limitPerEndpoint, accountRoom }: ClaimBounds,
    take: (shares: readonly Share[]) => Promise<readonly ClaimedDelivery[]>,
  ): Promise<readonly ClaimedDelivery[]> {
    const claimed: ClaimedDelivery[] = [];
    const endpointLeft = new Map(due.map((endpoint) => [endpoint, room.get(endpoint.id) ?? limitPerEndpoint]));
    const accountLeft = new Map(due.map(({ accountId }) => [accountId, accountRoom.get(accountId) ?? limit]));
    // What an endpoint leaves of its share is shared again.
    for (let waiting = this.#inTurn(due); ;) {
      const shares = new Map<DueEndpoint, number>();
      let rest = limit - claimed.length;
      for (const endpoint of waiting) {
        const ofAccount = accountLeft.get(endpoint.accountId)!;
        const most = Math.min(endpointLeft.get(endpoint)!, ofAccount, rest);
        if (most <= 0) continue;
        shares.set(endpoint, most);
        accountLeft.set(endpoint.accountId, ofAccount - most);
        rest -= most;
      }
      if (shares.size === 0) return claimed;
      const taken = await take([...shares].map(([{ number }, most]) => ({ endpoint: number, most })));
      claimed.push(...taken);
      const counts = Map.groupBy(taken, ({ endpoint }) => endpoint.id);
      for (const [endpoint, most] of shares) {
        const { id, accountId, number } = endpoint;
        const count = counts.get(id)?.length ?? 0;
        endpointLeft.set(endpoint, count < most ? 0 : endpointLeft.get(endpoint)! - count);
        accountLeft.set(accountId, accountLeft.get(accountId)! + most - count);
        this.#lastEndpoints.set(accountId, number);
        this.#lastAccount = accountId;
      }
      waiting = waiting.filter((endpoint) => endpointLeft.get(endpoint)! > 0);
    }
  }

  /** The first endpoint of each account, then the second of each, and so on: each list begins after the last turn. */
  #inTurn(due: readonly DueEndpoint[]): readonly DueEndpoint[] {
    const accounts = [...Map.groupBy(due, ({ accountId }) => accountId)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([id, own]) => [id, rotated(own, ({ number }) => number > (this.#lastEndpoints.get(id) ?? 0))] as const);
    return rotated(accounts, ([id]) => id > this.#lastAccount)
      .flatMap(([, own]) => own.map((endpoint, rank) => ({ endpoint, rank })))
      .sort((a, b) => a.rank - b.rank)
      .map(({ endpoint }) => endpoint);
  }
}

/** The list from its first element that comes after the last turn, once around. */
function rotated<T>(list: readonly T[], isAfter: (element: T) => boolean): readonly T[] {
  const first = Math.max(0, list.findIndex(isAfter));
  return [...list.slice(first), ...list.slice(0, first)];
}
