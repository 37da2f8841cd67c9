// Registers into which no file was taken for longer than their definitions say.
import { counted } from '../../register/counted.ts';
import type { RegisterDefinition } from '../../register/record.ts';
import { toEpochMs } from '../../register/time.ts';
import { Shared } from '../../shared.ts';
import type { ImportEntry } from '../../stores/contract/imports/log.ts';
import type { RegisterStore } from '../../stores/contract/registers.ts';

const HOUR = 3_600_000;
const HOURS: Readonly<Record<string, number>> = { h: 1, d: 24, w: 168 };

/** Among so many imports the last is looked for that took a file in. */
export const LATEST_IMPORTS = 20;

/** How a register waits for a file. */
export interface Overdue {
  /** For how long nothing was taken in, in milliseconds. */
  readonly sinceMs: number;
  /** How often a file is expected, in milliseconds. */
  readonly everyMs: number;
  /** When a file was last taken in, as far as is known. */
  readonly takenAt: string | null;
  /** Both in English: `last taken in 12 days ago, expected every 7 days`. */
  readonly words: string;
}

/** When a file was last taken in. @param latest the latest imports, newest first */
export function takenInAt(latest: readonly ImportEntry[]): string | null {
  return latest.find(({ kind, state }) => kind === 'file' && state === 'completed')?.endedAt ?? null;
}

/**
 * How a register is overdue. Null: it is not.
 *
 * @param takenAt when a file was last taken in; null: never, or so long ago that other imports came since
 * @param now milliseconds since 1970
 */
export function overdueOf(
  { every, created_at: createdAt }: Pick<RegisterDefinition, 'every' | 'created_at'>,
  takenAt: string | null,
  now: number,
): Overdue | null {
  if (every === undefined) return null;
  const everyMs = Number(every.slice(0, -1)) * HOURS[every.at(-1)!]! * HOUR;
  const sinceMs = now - toEpochMs(takenAt ?? createdAt);
  if (sinceMs <= everyMs) return null;
  const last = takenAt === null ? `nothing taken in for ${spanOf(sinceMs)}` : `last taken in ${spanOf(sinceMs)} ago`;
  return { sinceMs, everyMs, takenAt, words: `${last}, expected every ${spanOf(everyMs)}` };
}

function spanOf(ms: number): string {
  const { count, unit } = timeSpan(ms);
  return counted(count, unit);
}

/** A span of time as people count it: in hours up to two days. @example timeSpan(604_800_000) // { count: 7, unit: 'day' } */
export function timeSpan(ms: number): { readonly count: number; readonly unit: 'hour' | 'day' } {
  const hours = Math.floor(ms / HOUR);
  return hours < 48 ? { count: hours, unit: 'hour' } : { count: Math.floor(hours / 24), unit: 'day' };
}

/** For how many registers it is kept whether they are overdue, and for how long. */
const KEPT = 1000;
const MINUTE = 60_000;

/** Whether registers are overdue, looked up once a minute for all who ask. */
export class OverdueWatch {
  readonly #imports: RegisterStore['imports'];
  readonly #now: () => number;
  readonly #taken = new Shared<string, { readonly at: string | null }, number>({ capacity: KEPT });

  constructor({ imports }: Pick<RegisterStore, 'imports'>, now: () => number) {
    this.#imports = imports;
    this.#now = now;
  }

  /** Null: it is not, or does not say how often a file is expected. */
  async of(definition: RegisterDefinition): Promise<Pick<Overdue, 'everyMs' | 'takenAt'> | null> {
    if (definition.every === undefined) return null;
    const now = this.#now();
    const { value } = await this.#taken.of(definition.id, Math.floor(now / MINUTE), async () => {
      const at = takenInAt(await this.#imports.list(definition.id, { limit: LATEST_IMPORTS }));
      return { value: { at }, isLasting: true };
    });
    return overdueOf(definition, value.at, now);
  }
}

/** All registers that are overdue, by their ids. @param now milliseconds since 1970 */
export async function overdueRegisters(
  { catalogue, imports }: Pick<RegisterStore, 'catalogue' | 'imports'>,
  now: number,
): Promise<ReadonlyMap<string, Overdue>> {
  const overdue = new Map<string, Overdue>();
  for await (const entries of catalogue.walk()) {
    for (const { definition } of entries.filter((entry) => entry.definition.every !== undefined)) {
      const latest = await imports.list(definition.id, { limit: LATEST_IMPORTS });
      const one = overdueOf(definition, takenInAt(latest), now);
      if (one !== null) overdue.set(definition.id, one);
    }
  }
  return overdue;
}
