// Imports a publisher's file into a store. It first reads and checks everything; only then it commits, oldest record
// first, each batch in one transaction. If the process is killed, the same import run again completes the work.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ErrorCode, GazetteError, isGazetteError, quote } from '../errors.ts';
import type { ImportOptions, ImportResult } from './import-options.ts';
import { type OpenedRecords, openRecords } from './opened-records.ts';
import type { RecordReader } from './readers/raw-record.ts';
import { counted } from '../register/counted.ts';
import { defineRegister } from '../register/definition.ts';
import type { Field } from '../register/record.ts';
import { type Order, OrderFinder } from '../register/sources/order.ts';
import { throwIfAborted } from '../register/sources/source.ts';
import { prepareRecord, statedIn } from '../stores/rows/prepare.ts';
import type { ImportCounts } from '../stores/contract/imports.ts';
import type { UnderLease } from '../stores/contract/leases.ts';
import { BATCH_SIZE, type RegisterEntry, type RegisterStore, type WriteOptions } from '../stores/contract/registers.ts';
import { type HeldRegister, holdRegister } from '../stores/lease/hold-register.ts';
import { findAbsent, withdrawAbsent } from './absences.ts';
import { compareStaged } from './comparison.ts';
import type { FoundField } from './mapping/columns.ts';
import { checkSaidTypes } from './fields/said-types.ts';
import { settler } from './fields/settle.ts';
import { loggedImport, NO_COUNTS } from './logged-import.ts';
import { checkOptions } from './check-options.ts';
import { findRegister, settleFields, withHeldNames } from './settle-fields.ts';
import { Staging } from './staging.ts';

/**
 * Imports a file into a register, while no other process works on it, and logs the import.
 *
 * @throws GazetteError `unknown_feed`; `register_busy` when another process works on the register; `invalid_mapping` for
 *   a rule to `version` or `updated_at`; the errors of the reader, the mapping and the checks of records,
 *   `duplicate_id` for two records with the same id, `invalid_option` for a file whose dates run both ways where no
 *   order is known, `absences` for a whole file that lacks many live records, and `store_busy` where the register got other fields meanwhile, with the store unchanged;
 *   `aborted`, `import_superseded` when this process was stopped for so long that another one took over, and the errors
 *   of the store, with whole batches committed.
 */
export async function importRecords(
  store: RegisterStore,
  feedId: string,
  reader: RecordReader,
  options: ImportOptions,
): Promise<ImportResult> {
  checkOptions(options);
  // A dry run writes nothing, not even that it runs.
  if (options.dryRun === true)
    return importHeld({ store, feedId, reader, options, hold: UNHELD, count: () => undefined });
  const what = `import ${reader.name}`;
  return holdRegister(store, feedId, { ...options, what }, (hold) =>
    loggedImport(store, feedId, hold, reader.name, options, (count) =>
      importHeld({ store, feedId, reader, options, hold, count }),
    ),
  );
}

/** A dry run needs no lease, and writes nothing. */
const UNHELD: HeldRegister = { ask: (question) => question(), write: (send) => send({}) };

/** An import while no other process works on the register. */
interface HeldImport {
  readonly store: RegisterStore;
  readonly feedId: string;
  readonly reader: RecordReader;
  readonly options: ImportOptions;
  readonly hold: HeldRegister;
  /** Takes the counts after every batch. */
  readonly count: (counts: ImportCounts) => void;
}

async function importHeld(held: HeldImport): Promise<ImportResult> {
  const { store, feedId, reader, options, hold } = held;
  const isDryRun = options.dryRun === true;
  const entry = await hold.ask(() => findRegister(store, feedId));
  const opened = await open(entry, reader, options);
  const said = options.order ?? entry.order;
  const staging = new Staging({ isSorted: said === 'by-date' });
  try {
    const staged = await stage(opened, staging, options);
    const { refused, dates } = staged;
    if (said === null && dates.found === 'both-ways') throw dates.refusal(reader.name, WAYS);
    const orderOfDates = dates.direction;
    await options.onChecked?.(refused);
    let refusal: GazetteError | null = null;
    if (options.withdrawMissing === true) {
      checkWithdrawal(entry, staging, staged, reader.name);
      refusal = await findAbsent({ ...held, staging }, reader.name);
      if (refusal !== null && !isDryRun) throw refusal;
    }
    const order = said ?? orderOfDates ?? 'oldest-first';
    const { plan, map } = opened;
    const fields = plan.found()?.map(asFound) ?? null;
    const named = withHeldNames(plan.definition.fields, map.heldNames);
    const definition = defineRegister({ ...plan.definition, fields: fields ?? named });
    const { counts, changedFields } = await compareStaged({ ...held, staging }, entry.top === 0, definition.fields);
    await hold.write((under) => {
      return settleFields(store, entry, definition, isDryRun ? null : writeOptions(held, under));
    });
    const settle = fields === null ? null : settler(fields, plan.forms);
    // Kept: a later file with few records may show none, or another.
    const isNewOrder = order !== entry.order && (options.order ?? orderOfDates) !== null;
    const foreseen = { ...counts, refused, withdrawn: staging.lacking };
    return {
      ...(isDryRun ? foreseen : await commit(held, staging, { order, isNewOrder, settle, foreseen })),
      changedFields: isDryRun ? changedFields : new Map(),
      refusal,
      order,
      orderFrom:
        options.order !== undefined
          ? 'option'
          : entry.order !== null
            ? 'register'
            : orderOfDates !== null
              ? 'dates'
              : 'nothing',
      orderOfDates,
      definition,
      notes: opened.notes(),
    };
  } finally {
    staging.close();
    await opened.close();
  }
}

/** A field whose name and label are the publisher's words is marked as such; those of a rule are the operator's. */
function asFound({ field, path }: FoundField): Field {
  return path === null ? field : { ...field, from_file: true };
}

/** The options of a write that is made now. */
function writeOptions({ options: { now } }: HeldImport, under: UnderLease): WriteOptions {
  return { recordedAt: timeOf(now), ...under };
}

function timeOf(now: () => number = Date.now): string {
  return new Date(now()).toISOString();
}

/** A register without fields that never had a record gets the fields that its first import finds. */
async function open(entry: RegisterEntry, reader: RecordReader, options: ImportOptions): Promise<OpenedRecords> {
  const { definition } = entry;
  const { fields, ...constants } = definition;
  const findsFields = fields.length === 0 && entry.top === 0;
  const { mapping = [], types = new Map(), decimalComma = false, dateFormat, signal, now } = options;
  if (!findsFields) checkSaidTypes(types, definition);
  return openRecords(reader, {
    ...(findsFields ? { constants, findsFields, types } : { definition }),
    // The fields that a first import found are named after the publisher's properties, which are their labels.
    takesLabels: true,
    keepsUndeclared: true,
    observedAt: timeOf(now),
    mapping,
    decimalComma,
    ...(dateFormat === undefined ? {} : { dateFormat }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** The result of reading a file. */
interface Staged {
  readonly refused: number;
  /** The number of refused records without a readable id. */
  readonly nameless: number;
  readonly dates: OrderFinder;
}

/** What a caller can do about dates that run both ways. */
const WAYS =
  'say it with --order newest-first, --order oldest-first, or --order by-date, which sorts by publication date';

/** The errors that concern a single record; `invalid_input` comes from its reader. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['invalid_record', 'duplicate_id', 'invalid_input']);

/** Reads and checks the whole file. */
async function stage(opened: OpenedRecords, staging: Staging, options: ImportOptions): Promise<Staged> {
  const { map, plan } = opened;
  const { reader } = plan;
  const dates = new OrderFinder();
  let refused = 0;
  let nameless = 0;
  const refuse = (at: number, error: unknown, record: unknown): void | Promise<void> => {
    if (options.onRefused === undefined || !isGazetteError(error) || !REFUSALS.has(error.code)) throw error;
    refused++;
    return options.onRefused({ where: reader.where(at), error, record });
  };
  let read = 0;
  for await (const { records } of opened.batches(options.signal)) {
    for (const raw of records) {
      try {
        const statement = map.toStatement(raw);
        const record = prepareRecord(statement, plan.where(raw.at));
        dates.add(statement);
        staging.add({ record, at: raw.at }, statement.published_at);
        map.learn();
      } catch (error) {
        await refuse(raw.at, error, raw.value);
        const id = map.idOf(raw);
        if (id === null) nameless++;
        else staging.mention(id);
      }
    }
    read += records.length;
    options.onProgress?.({ phase: 'reading', records: read, of: null });
  }
  staging.seal();
  for (const { record, at, earlierAt } of staging.dropDuplicates()) {
    const statement = statedIn(record);
    const message = `${plan.where(at)}: id ${quote(statement.id)} is also that of ${reader.where(earlierAt)}`;
    const details = { id: statement.id, where: reader.where(at), earlier: reader.where(earlierAt) };
    await refuse(at, new GazetteError('duplicate_id', message, { details }), statement);
  }
  return { refused, nameless, dates };
}

/** Missing records must be known for certain: a file that is empty, or partly unreadable, withdraws nothing. */
function checkWithdrawal(entry: RegisterEntry, staging: Staging, { nameless }: Staged, name: string): void {
  const reason =
    nameless > 0
      ? `${counted(nameless, 'record')} ${nameless === 1 ? 'has' : 'have'} no id that can be read, so which records are missing is not known`
      : staging.count === 0 && entry.total > 0
        ? `there are no records: all ${entry.total} of register ${quote(entry.definition.id)} would be withdrawn`
        : null;
  if (reason !== null) {
    throw new GazetteError('invalid_input', `${name}: nothing was withdrawn or changed; ${reason}`, {
      details: { input: name },
    });
  }
}

/** How the staged records are committed. */
interface Commitment {
  readonly order: Order;
  /** Whether the register is to keep it. */
  readonly isNewOrder: boolean;
  readonly settle: ReturnType<typeof settler>;
  /** What the import is expected to do. */
  readonly foreseen: ImportCounts;
}

async function commit(
  held: HeldImport,
  staging: Staging,
  { order, isNewOrder, settle, foreseen }: Commitment,
): Promise<ImportCounts> {
  const { store, feedId, options, hold } = held;
  if (isNewOrder) await hold.write((under) => store.setOrder(feedId, order, under));
  const { cause = 'source_change' } = options;
  const { unchanged, redacted, refused } = foreseen;
  const of = staging.count - unchanged - redacted;
  let total: ImportCounts = { ...NO_COUNTS, unchanged, redacted, refused };
  held.count(total);
  let done = 0;
  for (const batch of staging.batches(order, BATCH_SIZE)) {
    throwIfAborted(options.signal);
    const settled = settle === null ? batch : batch.map(settle);
    const result = await hold.write((under) => store.apply(feedId, settled, { ...writeOptions(held, under), cause }));
    total = {
      ...total,
      added: total.added + result.added,
      changed: total.changed + result.changed,
      unchanged: total.unchanged + result.unchanged,
      restored: total.restored + result.restored,
      redacted: total.redacted + result.redacted,
    };
    held.count(total);
    done += batch.length;
    options.onProgress?.({ phase: 'committing', records: done, of });
    // An embedded store answers without waiting: here other tasks of this process, and Ctrl-C, get their turn.
    await nextTurn();
  }
  const withdrawn = await withdrawAbsent(
    { ...held, staging },
    (under) => writeOptions(held, under),
    (count) => {
      held.count({ ...total, withdrawn: count });
    },
  );
  return { ...total, withdrawn };
}
