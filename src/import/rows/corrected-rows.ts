// Under `--key row` a corrected row is a withdrawn record and a new one, and nothing says that they belong together. So that a person
// sees what is another, and findings are made of it, each withdrawn record is compared with the new one that differs least from it.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Field } from '../../register/record.ts';
import type { Order } from '../../register/sources/order.ts';
import { throwIfAborted } from '../../register/sources/source.ts';
import type { PublishedRecord } from '../../stores/contract/prepared-record.ts';
import { BATCH_SIZE } from '../../stores/contract/registers.ts';
import { statedIn } from '../../stores/rows/prepare.ts';
import { changedFields } from '../../stores/rows/published-record.ts';
import type { WholeFile } from '../proposals/absences.ts';
import type { FieldReports } from '../proposals/report.ts';
import { type Values, valuesOf } from './said-again.ts';

/** So many withdrawn records are compared, however many there are, so many at once, and so many characters of what they say. */
const [COMPARED, AT_ONCE, MOST_TEXT] = [1000, 50, 8_388_608];

/** Where many say the same, so many of them are compared with a new record: those that are nearest to its place. */
const AROUND = 16;

/** In so many values they differ at most, and in a third of all. */
const MOST_DIFFERENT = 3;

/** Withdrawn records that come anew with other values. */
export interface CorrectedRows {
  /** How many withdrawn records were compared. */
  readonly compared: number;
  /** How many of them come anew: they differ in {@link MOST_DIFFERENT} values at most, and in a third. */
  readonly found: number;
}

/** A withdrawn record. */
interface Withdrawn {
  readonly statement: PublishedRecord;
  readonly values: Values;
  /** Where it is among all that are withdrawn: 0 is the first, 1 behind the last. */
  readonly place: number;
  /** The new record that differs least from it so far. */
  after: (Difference & { readonly statement: PublishedRecord }) | null;
}

/** How far a new record is from a withdrawn one: in so many values, and then by their places. */
interface Difference {
  readonly values: number;
  readonly distance: number;
}

/** How they are compared. */
interface Comparison {
  readonly fields: readonly Field[];
  readonly ignored: ReadonlySet<string>;
  /** The order in which the new ones get their positions. */
  readonly order: Order;
  /** How many are new. */
  readonly added: number;
}

/** Compares withdrawn records with those that are new. @param differences takes what is another */
export async function findCorrected(
  whole: WholeFile,
  { fields, ignored, order, added }: Comparison,
  differences: FieldReports,
): Promise<CorrectedRows | null> {
  const { staging, options } = whole;
  if (options.key !== 'row' || staging.lacking === 0) return null;
  const withdrawn = await withdrawnRecords(whole);
  const holders = holdersOf(withdrawn);
  let read = 0;
  let room = MOST_TEXT;
  for (const batch of staging.batches(order, BATCH_SIZE)) {
    throwIfAborted(options.signal);
    for (const record of batch) {
      const statement = statedIn(record);
      const values = valuesOf(statement);
      const found = nearest(values, read++ / added, holders);
      if (found === null || room <= 0) continue;
      found.one.after = { ...found.difference, statement };
      room -= lengthOf(values);
    }
    // An embedded store answers without waiting: here other tasks of this process, and Ctrl-C, get their turn.
    await nextTurn();
  }
  let found = 0;
  for (const { statement: before, after } of withdrawn) {
    if (after === null) continue;
    found++;
    const changed = changedFields(before, after.statement, fields).filter((name) => !ignored.has(name));
    differences.add(before, { ...after.statement, id: before.id }, changed);
  }
  return found === 0 ? null : { compared: withdrawn.length, found };
}

/** Some of the records that the file lacks, from all of the register, the oldest first. */
async function withdrawnRecords({ store, staging, hold }: WholeFile): Promise<readonly Withdrawn[]> {
  const withdrawn: Withdrawn[] = [];
  const every = Math.ceil(staging.lacking / COMPARED);
  // They were found newest first.
  const ids = Array.from(staging.lacked(every), ([first]) => first!).toReversed();
  let room = MOST_TEXT;
  for (let from = 0; from < ids.length && room > 0; from += AT_ONCE) {
    const some = ids.slice(from, from + AT_ONCE);
    const found = await hold.ask(() => store.imports.byHand.find(some));
    for (const [at, id] of some.entries()) {
      const statement = found.get(id)?.statement ?? null;
      if (statement === null) continue;
      const values = valuesOf(statement);
      room -= lengthOf(values);
      withdrawn.push({ statement, values, place: (from + at) / ids.length, after: null });
    }
  }
  return withdrawn;
}

/** Who says what, the oldest first. */
function holdersOf(withdrawn: readonly Withdrawn[]): ReadonlyMap<string, readonly Withdrawn[]> {
  const holders = new Map<string, Withdrawn[]>();
  for (const one of withdrawn) {
    for (const [name, text] of one.values) {
      const said = saying(name, text);
      const known = holders.get(said);
      if (known === undefined) holders.set(said, [one]);
      else known.push(one);
    }
  }
  return holders;
}

/** The record that differs least from these values, if no other new one differs less from it. Null: all differ in too much. */
function nearest(
  values: Values,
  place: number,
  holders: ReadonlyMap<string, readonly Withdrawn[]>,
): { readonly one: Withdrawn; readonly difference: Difference } | null {
  const lists = Array.from(values, ([name, text]) => holders.get(saying(name, text)) ?? []);
  const rarest = lists.filter((list) => list.length > 0).sort((a, b) => a.length - b.length);
  let best: ReturnType<typeof nearest> = null;
  // Of those that differ in so few values, one of so many lists has it.
  for (const list of rarest.slice(0, MOST_DIFFERENT + 1)) {
    for (const one of around(list, place)) {
      const difference = { values: differing(one.values, values), distance: Math.abs(one.place - place) };
      const isNear =
        difference.values <= MOST_DIFFERENT && difference.values * 3 <= Math.max(one.values.size, values.size);
      if (isNear && isLess(difference, one.after) && isLess(difference, best?.difference ?? null))
        best = { one, difference };
    }
  }
  return best;
}

function isLess(one: Difference, other: Difference | null): boolean {
  if (other === null) return true;
  return one.values === other.values ? one.distance < other.distance : one.values < other.values;
}

function differing(one: Values, other: Values): number {
  let count = 0;
  for (const [name, text] of one) if (other.get(name) !== text) count++;
  for (const name of other.keys()) if (!one.has(name)) count++;
  return count;
}

/** Those of a list that are nearest to a place. */
function around(list: readonly Withdrawn[], place: number): readonly Withdrawn[] {
  if (list.length <= AROUND) return list;
  let [from, to] = [0, list.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (list[middle]!.place < place) from = middle + 1;
    else to = middle;
  }
  const first = Math.max(0, from - AROUND / 2);
  return list.slice(first, first + AROUND);
}

function lengthOf(values: Values): number {
  let length = 0;
  for (const text of values.values()) length += text.length;
  return length;
}

function saying(name: string, text: string): string {
  return `${name}\0${text}`;
}
