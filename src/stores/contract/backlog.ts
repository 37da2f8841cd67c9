// What waits to be sent, for the operator's monitoring (deliveries.ts).
import type { DisabledReason } from './endpoints.ts';

/** The number up to which waiting deliveries are counted: a million of them must not make the answer slow. */
export const BACKLOG_COUNTED = 10_000;

/** What waits to be sent at one moment. */
export interface Backlog {
  /** The pending deliveries, whether they are due or not; {@link BACKLOG_COUNTED} if there are more. */
  readonly deliveries: number;
  /** The changes of registers for which no deliveries have been created yet. 0 while there is no endpoint. */
  readonly changes: number;
  /** Since when the oldest delivery is due that may be sent now. Null: none is due. */
  readonly oldestDueAt: string | null;
  /** How many endpoints are disabled, by the reason. */
  readonly disabledEndpoints: Readonly<Record<DisabledReason, number>>;
}
