// The record that a proved version makes, as services show it: what a proved copy is compared with.
import { isObject } from '../../../checks.ts';
import { recordKey } from '../../../register/identity.ts';
import type { JsonValue } from '../../../register/canonical-json.ts';
import { PROVABLE_MEMBERS } from '../../../mirror/joiners.ts';
import type { Field, RegisterRecord } from '../../../register/record.ts';
import { showData } from '../../../register/declared-values.ts';
import type { ProvedChange } from './version.ts';

/**
 * The record after a version; null when it is none.
 *
 * @param fields those of the definition, which the log does not have
 * @param observedAt since when it is known, where its publisher does not say so
 */
export function recordAfter(
  { position, version, recorded_at, record_id: id, statement }: ProvedChange,
  fields: readonly Field[],
  observedAt: () => string,
): RegisterRecord | null {
  if (id === null || !isObject(statement)) return null;
  const stated = statement as Readonly<Record<string, JsonValue>>;
  const shown: Record<string, unknown> = {};
  for (const name of PROVABLE_MEMBERS) shown[name] = stated[name] ?? null;
  const feed_id = id.slice(0, id.indexOf(':'));
  const data = isObject(stated.data) ? showData(fields, stated.data) : {};
  const key = stated.key ?? recordKey(id);
  const observed_at = stated.observed_at ?? observedAt();
  const own = { id, feed_id, key, observed_at, updated_at: recorded_at, version, position, data };
  return { ...shown, ...own } as unknown as RegisterRecord;
}

/** The records that versions make, which have to come in their order. */
export class ProvedRecords {
  readonly #fields: readonly Field[];
  /** Since when records are known whose publisher does not say it. Most are of one import, and share its time. */
  readonly #observed = new Map<number, string>();
  #time = '';

  /** @param fields those of the definition, which the log does not have */
  constructor(fields: readonly Field[]) {
    this.#fields = fields;
  }

  /** The record after a version; null when it is none. */
  after(change: ProvedChange): object | null {
    const { position, cause, recorded_at: recordedAt } = change;
    if (cause === 'redacted') this.#observed.delete(position);
    return recordAfter(change, this.#fields, () => this.#since(position, recordedAt));
  }

  #since(position: number, recordedAt: string): string {
    const known = this.#observed.get(position);
    if (known !== undefined) return known;
    if (recordedAt !== this.#time) this.#time = recordedAt;
    this.#observed.set(position, this.#time);
    return this.#time;
  }
}
