// The logs of a store.
import type { ServiceStore } from '../../../src/stores/contract/accounts.ts';
import type { LogStore } from '../../../src/wings/proofs/stores/contract/logs.ts';
import type { LogRecovery } from '../../../src/wings/proofs/stores/contract/recovery.ts';
import { PROOFS } from '../../../src/wings/proofs/stores/plugin.ts';

export const logsOf = (store: Pick<ServiceStore, 'part'>): LogStore => store.part(PROOFS).logs;

export const recoveryOf = (store: Pick<ServiceStore, 'part'>): LogRecovery => store.part(PROOFS).recovery;
