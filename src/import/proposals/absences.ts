// The live records that a whole file lacks: found before anything is written.
import { throwIfAborted } from '../../register/sources/source.ts';
import type { LiveId } from '../../stores/contract/record-keys.ts';
import { IDS_PAGE_SIZE, type RegisterStore } from '../../stores/contract/registers.ts';
import type { HandFate } from '../../stores/contract/imports/by-hand.ts';
import type { HeldRegister } from '../../stores/lease/held-register.ts';
import type { ImportOptions } from '../import-options.ts';
import type { Staging } from '../staging.ts';
import type { HandReport } from './by-hand.ts';

/** Where absent records are looked for. */
export interface WholeFile {
  readonly store: RegisterStore;
  readonly feedId: string;
  /** What the file has; it keeps what the file lacks. */
  readonly staging: Staging;
  readonly options: ImportOptions;
  readonly hold: HeldRegister;
}

/** The live records, seen beside a file. */
export interface LiveRecords {
  /** How many there are. */
  readonly live: number;
  /** How many of them stay as they are because the file's rows for them were refused. */
  readonly staying: number;
}

const NONE: ReadonlyMap<string, HandFate> = new Map();

/** Finds the live records that a file lacks, and keeps their ids in the staging area where they are to be withdrawn. */
export async function findAbsent(whole: WholeFile, hand: HandReport): Promise<LiveRecords> {
  const { store, feedId, staging, options, hold } = whole;
  let live = 0;
  let staying = 0;
  for await (const page of liveIds(whole)) {
    const ids = page.map(({ id }) => id);
    const fates = ids.map((id) => [id, staging.find(id)] as const);
    if (options.withdrawMissing === true) {
      const absent = fates.filter(([, fate]) => fate === null).map(([id]) => id);
      const isAsked = hand.numbers.size > 0 && absent.length > 0;
      const byHand = isAsked ? await hold.ask(() => store.imports.byHand.absent(feedId, absent)) : NONE;
      const lacked = absent.map((id) => [id, hand.decide(id, byHand.get(id) ?? null)] as const);
      for (const [id, decided] of lacked) if (decided === 'asked') hand.ask(id, 'withdrawn');
      // What was remembered before is not done again.
      staging.lack(lacked.filter(([id]) => byHand.get(id) !== 'kept'));
    }
    staying += fates.filter(([, fate]) => fate === 'refused').length;
    live += ids.length;
    options.onProgress?.({ phase: 'comparing', records: live, of: null });
  }
  return { live, staying };
}

/** The ids of all live records, some thousand at a time. */
export async function* liveIds({
  store,
  feedId,
  options,
  hold,
}: WholeFile): AsyncGenerator<readonly LiveId[], void, undefined> {
  let below: number | undefined;
  for (let isEnd = false; !isEnd;) {
    throwIfAborted(options.signal);
    const range = { limit: IDS_PAGE_SIZE, ...(below === undefined ? {} : { below }) };
    const page = await hold.ask(() => store.ids(feedId, range));
    yield page;
    below = page.at(-1)?.position;
    isEnd = page.length < IDS_PAGE_SIZE;
  }
}
