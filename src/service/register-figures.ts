// Figures of single registers for the operator's monitoring, by their ids.
import type { RegisterFigure } from '../http/metrics-source.ts';
import { overdueRegisters } from '../operate/registers/overdue.ts';
import type { RegisterStore } from '../stores/contract/registers.ts';

/** For how long registers have waited for a file, and which proposals wait. @param now milliseconds since 1970 */
export function registerFigures(
  store: Parameters<typeof overdueRegisters>[0] & Pick<RegisterStore, 'imports'>,
  now: () => number,
): readonly RegisterFigure[] {
  return [
    {
      name: 'gazette_register_overdue_seconds',
      help: 'For how long a register has waited for a file beyond what it says.',
      async read() {
        const overdue = await overdueRegisters(store, now());
        return new Map([...overdue].map(([feedId, { sinceMs, everyMs }]) => [feedId, (sinceMs - everyMs) / 1000]));
      },
    },
    {
      name: 'gazette_proposals_waiting',
      help: 'Proposals of a register that wait to be approved.',
      async read() {
        const waiting = Map.groupBy(await store.imports.proposals.waiting(), ({ feedId }) => feedId);
        return new Map([...waiting].map(([feedId, { length }]) => [feedId, length]));
      },
    },
  ];
}
