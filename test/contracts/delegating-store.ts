// A store that hands every call to a store in memory. Tests extend it to count calls, to fail, or to let something happen
// in between.
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import type { ServiceStore, StorePart } from '../../src/stores/contract/accounts.ts';

type Of<Name extends keyof ServiceStore> = Extract<ServiceStore[Name], (...given: never[]) => unknown>;
type Given<Name extends keyof ServiceStore> = Parameters<Of<Name>>;
type Answer<Name extends keyof ServiceStore> = ReturnType<Of<Name>>;

/** A {@link ServiceStore} over `SqliteStore.open(':memory:')`. */
export class DelegatingStore implements ServiceStore {
  protected readonly store: SqliteStore = SqliteStore.open(':memory:');

  get accounts(): ServiceStore['accounts'] {
    return this.store.accounts;
  }

  get finding(): NonNullable<ServiceStore['finding']> {
    return this.store.finding;
  }

  get signIns(): ServiceStore['signIns'] {
    return this.store.signIns;
  }

  get editors(): ServiceStore['editors'] {
    return this.store.editors;
  }

  get mirrors(): NonNullable<ServiceStore['mirrors']> {
    return this.store.mirrors;
  }

  get catalogue(): ServiceStore['catalogue'] {
    return this.store.catalogue;
  }

  get leases(): ServiceStore['leases'] {
    return this.store.leases;
  }

  get imports(): ServiceStore['imports'] {
    return this.store.imports;
  }

  get purges(): ServiceStore['purges'] {
    return this.store.purges;
  }

  get recordKeys(): ServiceStore['recordKeys'] {
    return this.store.recordKeys;
  }

  get values(): ServiceStore['values'] {
    return this.store.values;
  }

  get configuration(): ServiceStore['configuration'] {
    return this.store.configuration;
  }

  get idempotency(): ServiceStore['idempotency'] {
    return this.store.idempotency;
  }

  get deliveries(): ServiceStore['deliveries'] {
    return this.store.deliveries;
  }

  part<Own>(plugin: StorePart<Own>): Own {
    return this.store.part(plugin);
  }

  stamp(): number {
    return this.store.stamp();
  }

  createRegister(...given: Given<'createRegister'>): Answer<'createRegister'> {
    return this.store.createRegister(...given);
  }

  updateRegister(...given: Given<'updateRegister'>): Answer<'updateRegister'> {
    return this.store.updateRegister(...given);
  }

  removeRegister(...given: Given<'removeRegister'>): Answer<'removeRegister'> {
    return this.store.removeRegister(...given);
  }

  completeRemovals(...given: Given<'completeRemovals'>): Answer<'completeRemovals'> {
    return this.store.completeRemovals(...given);
  }

  registers(): Answer<'registers'> {
    return this.store.registers();
  }

  register(...given: Given<'register'>): Answer<'register'> {
    return this.store.register(...given);
  }

  source(...given: Given<'source'>): Answer<'source'> {
    return this.store.source(...given);
  }

  record(...given: Given<'record'>): Answer<'record'> {
    return this.store.record(...given);
  }

  versionAt(...given: Given<'versionAt'>): Answer<'versionAt'> {
    return this.store.versionAt(...given);
  }

  history(...given: Given<'history'>): Answer<'history'> {
    return this.store.history(...given);
  }

  changes(...given: Given<'changes'>): Answer<'changes'> {
    return this.store.changes(...given);
  }

  ids(...given: Given<'ids'>): Answer<'ids'> {
    return this.store.ids(...given);
  }

  compare(...given: Given<'compare'>): Answer<'compare'> {
    return this.store.compare(...given);
  }

  apply(...given: Given<'apply'>): Answer<'apply'> {
    return this.store.apply(...given);
  }

  withdraw(...given: Given<'withdraw'>): Answer<'withdraw'> {
    return this.store.withdraw(...given);
  }

  redact(...given: Given<'redact'>): Answer<'redact'> {
    return this.store.redact(...given);
  }

  lift(...given: Given<'lift'>): Answer<'lift'> {
    return this.store.lift(...given);
  }

  close(): Answer<'close'> {
    return this.store.close();
  }
}
