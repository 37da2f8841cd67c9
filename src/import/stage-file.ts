// Reads and checks a whole file into the staging area.
import { GazetteError, quote } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { counted } from '../register/counted.ts';
import { recordKey } from '../register/identity.ts';
import { OrderFinder } from '../register/sources/order.ts';
import { prepareRecord, statedIn } from '../stores/rows/prepare.ts';
import type { PreparedRecord, PublishedRecord } from '../stores/contract/prepared-record.ts';
import type { FoundRecord, NamedRecord, RecordKeys } from '../stores/contract/record-keys.ts';
import type { RegisterEntry } from '../stores/contract/registers.ts';
import { duplicateId } from './duplicate-id.ts';
import type { ImportOptions } from './import-options.ts';
import type { OpenedRecords } from './opened-records.ts';
import type { RawRecord } from './readers/raw-record.ts';
import { bareName } from './rows/ignored-columns.ts';
import { FileValues } from './proposals/file-values.ts';
import type { Staging } from './staging.ts';

/** The result of reading a file. */
export interface Staged {
  readonly refused: number;
  /** The number of refused records without a readable id. */
  readonly nameless: number;
  readonly dates: OrderFinder;
  /** What is odd in its values. */
  readonly values: FileValues;
}

/** A record of the file, with what it is named by. */
interface Stated extends NamedRecord {
  readonly statement: PublishedRecord;
  readonly record: PreparedRecord;
  readonly raw: RawRecord;
}

/** How the records that are meant are found. */
interface Keys {
  /** Whether records of the register have other keys than those of their ids. */
  readonly isRenumbered: boolean;
  readonly find: (names: readonly NamedRecord[]) => ReturnType<RecordKeys['find']>;
}

/** Reads and checks the whole file. */
export async function stageFile(
  opened: OpenedRecords,
  staging: Staging,
  options: ImportOptions,
  { isRenumbered, find }: Keys,
): Promise<Staged> {
  const { map, plan } = opened;
  const { reader } = plan;
  const dates = new OrderFinder();
  const values = new FileValues(plan, (options.now ?? Date.now)());
  let refused = 0;
  let nameless = 0;
  const refuse = async (at: number, error: unknown, record: unknown): Promise<void> => {
    await opened.refuse(at, error, record);
    refused++;
  };
  const erased = new Set<string>();
  const stage = ({ statement, record }: Pick<Stated, 'statement' | 'record'>, at: number): void => {
    dates.add(statement);
    values.see(statement);
    staging.add({ record, at }, statement.published_at);
  };
  let read = 0;
  for await (const { records } of opened.batches(options.signal)) {
    const stated: Stated[] = [];
    const mentioned: NamedRecord[] = [];
    for (const raw of records) {
      try {
        const statement = map.toStatement(raw);
        const record = prepareRecord(statement, plan.where(raw.at));
        map.learn();
        values.seeTexts(raw);
        // Those behind one that is looked up wait for it.
        if (!isRenumbered && stated.length === 0 && statement.key == null) stage({ statement, record }, raw.at);
        else stated.push({ id: record.id, isId: map.isNamedById, statement, record, raw });
      } catch (error) {
        await refuse(raw.at, error, raw.value);
        values.refuse(error, raw);
        const id = map.idOf(raw);
        if (id === null) nameless++;
        else mentioned.push({ id, isId: map.isNamedById });
      }
    }
    const found = stated.length === 0 ? [] : await find(stated);
    for (const { id, state } of found) if (state === 'redacted') erased.add(id);
    for (const [at, one] of stated.entries()) {
      try {
        stage(renamed(one, found[at]!, plan.where(one.raw.at)), one.raw.at);
      } catch (error) {
        await refuse(one.raw.at, error, one.raw.value);
        values.refuse(error, one.raw);
        staging.mention(found[at]!.id);
      }
    }
    for (const { id } of isRenumbered ? await find(mentioned) : mentioned) staging.mention(id);
    read += records.length;
    options.onProgress?.({ phase: 'reading', records: read, of: null });
  }
  staging.seal();
  for (const { record, at, earlierAt } of staging.dropDuplicates()) {
    const statement = statedIn(record);
    // Several keys may have been those of one erased record.
    if (!erased.has(record.id)) await refuse(at, duplicateId(statement.id, reader, at, earlierAt), statement);
  }
  return { refused, nameless, dates, values };
}

/** A record under the id and the key of that which is meant. @throws GazetteError `invalid_record` where it states another key than that */
function renamed(one: Stated, { id, key, state }: FoundRecord, where: string): Pick<Stated, 'statement' | 'record'> {
  const { statement } = one;
  const said = statement.key ?? null;
  const has = state === null && said !== null ? said : key;
  if (said !== null && said !== has) {
    const message = `${where}: key must be ${quote(has ?? recordKey(id))}, as record ${quote(id)} has it, or absent, got ${quote(said)}; records get other keys by gazette record renumber`;
    throw new GazetteError('invalid_record', message, { details: { where, field: 'key' } });
  }
  if (id === statement.id && has === said) return one;
  const renamed = { ...statement, id, key: has };
  return { statement: renamed, record: prepareRecord(renamed) };
}

/** @throws GazetteError `invalid_option` for the name of a column to be ignored that the file does not have */
export function checkIgnored({ columns, plan }: OpenedRecords, { ignore = [] }: ImportOptions): void {
  const name = ignore.find((each) => plan.ignored.unmet.includes(bareName(each)));
  if (name === undefined || columns.length === 0) return;
  const near = nearest(name, columns);
  const meant = near.length === 0 ? '' : `; nearest to it: ${near.map(quote).join(', ')}`;
  throw new GazetteError('invalid_option', `ignore: ${quote(name)} is not a column of the file${meant}`, {
    details: { option: 'ignore' },
  });
}

/** Missing records must be known for certain: a file that is empty, or partly unreadable, withdraws nothing. */
export function checkWithdrawal(
  entry: RegisterEntry,
  staging: Staging,
  { nameless }: Staged,
  name: string,
  { accept = [] }: ImportOptions,
): void {
  const reason =
    nameless > 0 && staging.lacking > 0 && !accept.includes('absences')
      ? `${counted(nameless, 'record')} ${nameless === 1 ? 'has' : 'have'} no id that can be read, so which records are missing is not known; --accept absences withdraws those that no other row is of`
      : staging.count === 0 && entry.total > 0
        ? `there are no records: all ${entry.total} of register ${quote(entry.definition.id)} would be withdrawn`
        : null;
  if (reason !== null) {
    throw new GazetteError('invalid_input', `${name}: nothing was withdrawn or changed; ${reason}`, {
      details: { input: name },
    });
  }
}
