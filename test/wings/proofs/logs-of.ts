// The logs of a store.
import type { ServiceStore } from '../../../src/stores/contract/accounts.ts';
import type { LogStore } from '../../../src/wings/proofs/stores/contract/logs.ts';
import type { LogRecovery } from '../../../src/wings/proofs/stores/contract/recovery.ts';
import type { SnapshotLogs } from '../../../src/wings/proofs/snapshot/log-files.ts';
import { PROOFS } from '../../../src/wings/proofs/stores/plugin.ts';

export const logsOf = (store: Pick<ServiceStore, 'part'>): LogStore => store.part(PROOFS).logs;

export const recoveryOf = (store: Pick<ServiceStore, 'part'>): LogRecovery => store.part(PROOFS).recovery;

/** The store, with other logs. */
export function withLogs(store: ServiceStore, logs: SnapshotLogs | undefined): ServiceStore {
  return new Proxy(store, {
    get(target, name) {
      if (name === 'part') return () => ({ logs });
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
