// What `gazette doctor` finds of payments on chain.
import { aboutStore, type Examination } from '../../../operate/doctor.ts';
import { toEpochMs } from '../../../register/time.ts';
import type { Finding } from '../../../stores/contract/inspection.ts';
import { SELLING } from '../stores/plugin.ts';

/** How many payments are read from the store at once. */
const HOLDS_AT_ONCE = 100;

/** An authorization is valid for minutes, and what became of it is known soon after. */
const UNENDED_AFTER_MS = 86_400_000;

/** Payments on chain of which nobody knows the end, long after they could have been made. */
export const unendedPayments: Examination = async (store, { now = Date.now }) => {
  const findings: Finding[] = [];
  for (let above = 0; ;) {
    const holds = await store.part(SELLING).openHolds({ above, limit: HOLDS_AT_ONCE });
    for (const { number, openedAt, payer, item } of holds) {
      if (now() - toEpochMs(openedAt) < UNENDED_AFTER_MS) continue;
      const problem = `the payment of entry ${number}, by ${payer}, has not ended since ${openedAt}: run \`gazette reconcile\`. If it stays, its nonce was used on the chain, and no transfer was found that explains it: look it up there`;
      findings.push(aboutStore(problem, { table: 'holds', feedId: item.feedId, recordId: item.recordId }));
    }
    if (holds.length < HOLDS_AT_ONCE) return findings;
    above = holds.at(-1)!.number;
  }
};
