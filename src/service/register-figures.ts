// Figures of single registers for the operator's monitoring, by their ids.
import type { RegisterFigure } from '../http/metrics-source.ts';
import { overdueRegisters } from '../operate/registers/overdue.ts';
import type { ServiceStore } from '../stores/contract/accounts.ts';

/** For how long registers have waited for a file, which proposals wait, and how far mirrors are behind. @param now milliseconds since 1970 */
export function registerFigures(
  store: Parameters<typeof overdueRegisters>[0] & Pick<ServiceStore, 'imports' | 'mirrors'>,
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
    {
      name: 'gazette_mirror_changes_behind',
      help: 'Changes that a mirror lacked when its source was asked last.',
      async read() {
        const mirrors = (await store.mirrors?.all()) ?? [];
        return new Map(mirrors.map(({ feedId, behind }) => [feedId, behind]));
      },
    },
    {
      name: 'gazette_mirror_asked_seconds',
      help: 'When the source of a mirror was asked last, in seconds since 1970.',
      async read() {
        const mirrors = (await store.mirrors?.all()) ?? [];
        return new Map(mirrors.map(({ feedId, askedAt }) => [feedId, Date.parse(askedAt) / 1000]));
      },
    },
  ];
}
