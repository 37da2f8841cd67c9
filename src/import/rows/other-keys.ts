// Whether records come anew because the publisher gives them other keys: what the file lacks says the same as what is new, but for
// what is made of the keys.
import { STATED_DATES } from '../proposals/file-values.ts';
import { recordKey } from '../../register/identity.ts';
import { statementNames } from '../../register/declared-values.ts';
import { IDS_PAGE_SIZE, type RegisterEntry } from '../../stores/contract/registers.ts';
import type { WholeFile } from '../proposals/absences.ts';
import type { Foreseen } from '../proposals/comparison.ts';
import { namesOf } from './renamed-columns.ts';
import { findAgain, LOOKED_FOR, type Stated, statedBefore, statedFirst, type Values } from './said-again.ts';

/** So many records come anew at least. */
const LEAST = 11;

/** In so much of the records, in percent, a value that is made of the key has the key in it. */
const MORE_THAN_PERCENT = 90;

/** Records that come anew under other keys. */
export interface OtherKeys {
  /** How many records that the file lacks were looked for. */
  readonly lookedFor: number;
  /** Those of them that come again, and the keys under which they do. */
  readonly again: readonly { readonly id: string; readonly key: string }[];
}

/**
 * The records that come anew under other keys. Null where at most half of those that were looked for do, or so few that no rule can be
 * made of it.
 */
export async function findOtherKeys(
  whole: WholeFile,
  { total, definition }: RegisterEntry,
  { counts: { added } }: Pick<Foreseen, 'counts'>,
): Promise<OtherKeys | null> {
  const { options } = whole;
  if (options.key === 'row' || added < LEAST) return null;
  // What is absent from a file that need not be whole is looked for only where it brings a second half of the register.
  if (options.withdrawMissing !== true && added * 2 < total) return null;
  const ids = await lacked(whole);
  if (ids.length < LEAST) return null;
  const before = await statedBefore(whole, ids);
  const first = statedFirst(whole);
  const dates = definition.fields.filter(({ type }) => type === 'date' || type === 'datetime').flatMap(statementNames);
  // Where a key is a date, that of the record is no part of it.
  const kept = new Set([...STATED_DATES, ...dates]);
  const later = namesOf(first).all;
  const names = [...namesOf(before).all].filter((name) => {
    const isOfKey = !kept.has(name) && [before, first].every((records) => isMadeOfKey(name, records));
    return later.has(name) && !isOfKey;
  });
  const textOf = (values: Values): string => JSON.stringify(names.map((name) => values.get(name) ?? null));
  const texts = before.map(({ id, values }) => [textOf(values), id] as const);
  // What several records say identifies none of them.
  const counts = new Map<string, number>();
  for (const [text] of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const sought = texts.filter(([text]) => counts.get(text) === 1);
  const found = await findAgain(
    whole,
    sought.map(([text]) => text),
    textOf,
  );
  const again = sought.flatMap(([text, id]) => {
    const [one, other] = found.get(text)!;
    return one === undefined || other !== undefined ? [] : [{ id, key: recordKey(one) }];
  });
  return again.length >= LEAST && again.length * 2 > ids.length ? { lookedFor: ids.length, again } : null;
}

/** Live records that the file lacks, the newest first. */
async function lacked({ store, feedId, staging, options, hold }: WholeFile): Promise<readonly string[]> {
  if (options.withdrawMissing === true) return [...staging.lacked(LOOKED_FOR)].slice(0, 1).flat();
  const newest = await hold.ask(() => store.ids(feedId, { limit: IDS_PAGE_SIZE }));
  const ids = newest.map(({ id }) => id).filter((id) => staging.find(id) === null);
  return ids.slice(0, LOOKED_FOR);
}

function isMadeOfKey(name: string, records: readonly Stated[]): boolean {
  const made = records.filter(({ key, values }) => values.get(name)?.includes(key) === true);
  return made.length * 100 > records.length * MORE_THAN_PERCENT;
}
