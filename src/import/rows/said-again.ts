// Looks for what records that would be withdrawn say among those that are new: a source that numbers its records anew, or rows whose
// columns have other names.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { canonicalJson } from '../../register/canonical-json.ts';
import { recordKey } from '../../register/identity.ts';
import { STATED_FIELDS } from '../../register/fields.ts';
import { throwIfAborted } from '../../register/sources/source.ts';
import type { PublishedRecord } from '../../stores/contract/prepared-record.ts';
import { BATCH_SIZE } from '../../stores/contract/registers.ts';
import { statedIn } from '../../stores/rows/prepare.ts';
import type { WholeFile } from '../proposals/absences.ts';

/** How many withdrawn records are looked for among the new ones, which come again if more than half of these do. */
export const LOOKED_FOR = 100;

/** How many new records show which values they have. */
const SHOWN = 1000;

/** The values of a statement as texts, by name: tables and JSON write the same value in two ways. */
export type Values = ReadonlyMap<string, string>;

/** What a record states. */
export interface Stated {
  readonly id: string;
  readonly key: string;
  readonly values: Values;
}

/** What records of these ids state. */
export async function statedBefore(
  { store, options, hold }: WholeFile,
  ids: readonly string[],
): Promise<readonly Stated[]> {
  throwIfAborted(options.signal);
  const found = await hold.ask(() => store.imports.byHand.find(ids));
  return ids.map((id) => {
    const statement = found.get(id)?.statement ?? null;
    return { id, key: statement?.key ?? recordKey(id), values: statement === null ? new Map() : valuesOf(statement) };
  });
}

/** What the first of the records that would be written state. */
export function statedFirst({ staging }: WholeFile): readonly Stated[] {
  const [first = []] = staging.batches('oldest-first', SHOWN);
  return first.map((record) => ({ id: record.id, key: recordKey(record.id), values: valuesOf(statedIn(record)) }));
}

/**
 * Where texts come again among the records that would be written.
 *
 * @param sought as `textOf` makes them
 * @returns the ids of the records that each comes in, two at most
 */
export async function findAgain(
  { staging, options }: WholeFile,
  sought: Iterable<string>,
  textOf: (values: Values) => string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>([...sought].map((text) => [text, []]));
  for (const batch of staging.batches('oldest-first', BATCH_SIZE)) {
    throwIfAborted(options.signal);
    for (const record of batch) {
      const ids = found.get(textOf(valuesOf(statedIn(record))));
      if (ids !== undefined && ids.length < 2) ids.push(record.id);
    }
    // An embedded store answers without waiting: here other tasks of this process, and Ctrl-C, get their turn.
    await nextTurn();
  }
  return found;
}

/** What a statement says. */
export function valuesOf({ data, ...core }: PublishedRecord): Values {
  const own = Object.entries(data).map(([name, value]) => [name, value ?? null] as const);
  const all = [...STATED_FIELDS.map((name) => [name, core[name] ?? null] as const), ...own];
  const stated = all.filter(([, value]) => value !== null);
  return new Map(stated.map(([name, value]) => [name, typeof value === 'string' ? value : canonicalJson(value)]));
}
