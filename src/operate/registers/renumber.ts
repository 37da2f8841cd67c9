// Gives records of a register the keys that their publisher gives them now. A record keeps its id, its position and its history;
// imports find it by the new key. All new keys are one change of the register: they are checked as a whole, and taken back as one.
import { GazetteError, quote } from '../../errors.ts';
import { keyOf, movesInBatches, type NewKeyOf, takenKeys, withKey } from '../../import/proposals/new-keys.ts';
import { keepProposal } from '../../import/proposals/proposing.ts';
import { FieldReports, type ImportReport, NAMED } from '../../import/proposals/report.ts';
import { counted } from '../../register/counted.ts';
import { isRecordId, recordIdOrNull } from '../../register/identity.ts';
import { type ImportCounts, NO_COUNTS } from '../../stores/contract/imports/counts.ts';
import type { ProposedRecord } from '../../stores/contract/imports/proposals.ts';
import type { FoundRecord } from '../../stores/contract/record-keys.ts';
import { BATCH_SIZE, type RegisterEntry, type RegisterStore } from '../../stores/contract/registers.ts';
import type { HeldRegister } from '../../stores/lease/held-register.ts';
import { holdRegister } from '../../stores/lease/hold-register.ts';
import { prepareRecord } from '../../stores/rows/prepare.ts';
import { changedFields } from '../../stores/rows/published-record.ts';
import { unknownFeed } from '../../stores/rows/register.ts';
import { type ImportDone, proposeOrDo, type UndoOptions } from './imports.ts';

/** A new key of a record. */
export interface NewKey {
  /** The key that the record has, or its id. */
  readonly from: string;
  readonly to: string;
  /** Its place, for messages: `map.csv: line 3`. */
  readonly where: string;
}

/** New keys, as they come from a file or a person. */
export interface KeyMap {
  /** The name of the file, for the log of imports. */
  readonly name: string;
  /** Of a first row that may hold names of columns `mayBeHeader` is true: where no record has its key, it is left out. */
  readonly rows: readonly (NewKey & { readonly mayBeHeader?: boolean })[];
}

/** A record that gets a new key. */
interface Move extends NewKeyOf {
  readonly id: string;
  readonly where: string;
}

/** What becomes of the rows. */
interface Moves {
  /** By the ids of the records. */
  readonly moves: ReadonlyMap<string, Move>;
  /** The ids of records that are not live, and keep their keys. */
  readonly aside: readonly string[];
}

/**
 * Gives records new keys.
 *
 * @returns the number of its import, and what it did or would do
 * @throws GazetteError `unknown_feed`; `unknown_record` for a row whose key no record has; `invalid_record` for one with a key that
 *   cannot be one; `duplicate_id` where a record or a new key comes twice; `key_taken` where another record keeps the new key, or an
 *   erased one had it; `invalid_option` where nothing would change; `register_busy`; `aborted`
 */
export async function renumber(
  store: RegisterStore,
  feedId: string,
  { name, rows }: KeyMap,
  { now = Date.now, ...options }: UndoOptions & { readonly now?: () => number },
): Promise<ImportDone> {
  return holdRegister(store, feedId, { ...options, what: `record renumber ${feedId}`, now }, async (hold) => {
    const entry = await hold.ask(() => store.register(feedId));
    if (entry === null) throw unknownFeed(feedId);
    const found = await movesOf({ store, feedId, hold }, rows);
    const what = { kind: 'hand', file: name, cause: 'renumbered', who: options.who } as const;
    return proposeOrDo({ store, feedId, hold, what, now }, options, (number) =>
      propose({ store, hold, number, entry, signal: options.signal }, found),
    );
  });
}

/** Finds the records of the rows, and checks the new keys. */
async function movesOf(
  held: { readonly store: RegisterStore; readonly feedId: string; readonly hold: HeldRegister },
  rows: KeyMap['rows'],
): Promise<Moves> {
  const { feedId } = held;
  const moves = new Map<string, Move>();
  const aside: string[] = [];
  const placeOf = new Map<string, string>();
  const placeOfKey = new Map<string, string>();
  const found = await recordsOf(held, rows);
  for (const [at, { from, to, where, mayBeHeader = false }] of rows.entries()) {
    const record = found[at] ?? null;
    if (record === null) {
      if (mayBeHeader) continue;
      const message = `${where}: no record of register ${quote(feedId)} has the key ${quote(from)}`;
      throw new GazetteError('unknown_record', message, { details: { feed_id: feedId, where, key: from } });
    }
    const { id, state } = record;
    if (isRecordId(feedId, to) || recordIdOrNull(feedId, to) === null) {
      const message = `${where}: the new key must be a key of 1..200 characters once encoded, got ${quote(to)}`;
      throw new GazetteError('invalid_record', message, { details: { where, field: 'key' } });
    }
    const [earlier, earlierKey] = [placeOf.get(id), placeOfKey.get(to)];
    if (earlier !== undefined || earlierKey !== undefined) {
      const [text, place] =
        earlier === undefined ? [`the new key ${quote(to)}`, earlierKey] : [`record ${quote(id)}`, earlier];
      throw new GazetteError('duplicate_id', `${where}: ${text} is also that of ${place}`, {
        details: { id, where, earlier: place! },
      });
    }
    placeOf.set(id, where);
    placeOfKey.set(to, where);
    if (state === 'live') moves.set(id, { id, from: keyOf(record), at, to, where });
    else aside.push(id);
  }
  const keys = new Map([...moves].map(([id, { to }]) => [id, to]));
  for (const [id, holder] of await takenKeys(held, keys)) throw keyTaken(moves.get(id)!, holder);
  return { moves, aside };
}

/** The records that have the keys, or are named by their ids. Null: none has it. */
async function recordsOf(
  { store, feedId, hold }: Parameters<typeof movesOf>[0],
  rows: KeyMap['rows'],
): Promise<readonly (FoundRecord | null)[]> {
  const records: (FoundRecord | null)[] = [];
  for (let at = 0; at < rows.length; at += BATCH_SIZE) {
    const batch = rows.slice(at, at + BATCH_SIZE).map(({ from }) => {
      return isRecordId(feedId, from) ? { id: from, isId: true } : recordIdOrNull(feedId, from);
    });
    const names = batch.flatMap((one) => (one === null ? [] : typeof one === 'string' ? { id: one } : one));
    const found = [...(await hold.ask(() => store.recordKeys.find(feedId, names)))];
    for (const one of batch) {
      const record = one === null ? null : found.shift()!;
      records.push(record?.state == null ? null : record);
    }
  }
  return records;
}

function keyTaken({ id, to, where }: Move, holder: FoundRecord): GazetteError {
  const whose =
    holder.state === 'redacted'
      ? `was a key of record ${quote(holder.id)}, which was erased permanently`
      : `is that of record ${quote(holder.id)}, which keeps it`;
  return new GazetteError('key_taken', `${where}: the new key ${quote(to)} of record ${quote(id)} ${whose}`, {
    details: { where, key: to, id: holder.id },
  });
}

interface Proposing {
  readonly store: RegisterStore;
  readonly hold: HeldRegister;
  readonly number: number;
  readonly entry: RegisterEntry;
  readonly signal?: AbortSignal | undefined;
}

async function propose(
  { store, hold, number, entry, signal }: Proposing,
  { moves, aside }: Moves,
): ReturnType<Parameters<typeof proposeOrDo>[2]> {
  const { definition, top, change } = entry;
  const fields = new FieldReports(definition.fields);
  const counts: { -readonly [K in keyof ImportCounts]: number } = { ...NO_COUNTS };
  const records = async function* (): AsyncGenerator<readonly ProposedRecord[], void, undefined> {
    for (const batch of movesInBatches([...moves.values()])) {
      const stored = await hold.ask(() => store.imports.byHand.find(batch.map(({ id }) => id)));
      const changed: ProposedRecord[] = [];
      for (const { id, to } of batch) {
        const statement = stored.get(id)!.statement!;
        if (keyOf(statement) === to) {
          counts.unchanged++;
          continue;
        }
        counts.changed++;
        const after = withKey(statement, to);
        fields.add(statement, after, changedFields(statement, after, definition.fields));
        changed.push({ id, record: prepareRecord(after) });
      }
      if (changed.length > 0) yield changed;
    }
  };
  let report: ImportReport | undefined;
  const proposal = await keepProposal({
    ...{ store, hold, number, change, signal, records: records(), unchanged: new Uint8Array((top >> 3) + 1) },
    settings: {
      ...{ cause: 'renumbered', indifferent: [], sets: {}, replaces: {} },
      ...{ fields: definition.fields, isWhole: false },
    },
    report: () => {
      if (counts.changed === 0) throw new GazetteError('invalid_option', 'the records have these keys already');
      const message = `${counted(aside.length, 'record')} of the map ${aside.length === 1 ? 'is not live, and keeps its key' : 'are not live, and keep their keys'}`;
      const findings =
        aside.length === 0 ? [] : [{ code: 'not-live', stops: false, message, records: aside.slice(0, NAMED) }];
      report = { counts, fields: fields.list(), findings, refused: [], added: [], withdrawn: [] };
      return report;
    },
  });
  return { proposal, report: report! };
}
