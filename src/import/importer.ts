// Imports a publisher's file into a store. It first reads and checks everything; only then it commits, oldest record
// first, each batch in one transaction. If the process is killed, the same import run again completes the work.
import { isDeepStrictEqual } from 'node:util';
import type { ImportOptions, ImportResult } from './import-options.ts';
import { type OpenedRecords, openRecords } from './opened-records.ts';
import type { RecordReader } from './readers/raw-record.ts';
import { defineRegister } from '../register/definition.ts';
import type { Field } from '../register/record.ts';
import type { ImportBasis, ImportEntry } from '../stores/contract/imports/log.ts';
import type { ProposedSettings } from '../stores/contract/imports/proposals.ts';
import type { RegisterEntry, RegisterStore } from '../stores/contract/registers.ts';
import type { HeldRegister } from '../stores/lease/held-register.ts';
import { holdRegister } from '../stores/lease/hold-register.ts';
import { findAbsent } from './proposals/absences.ts';
import { HandReport } from './proposals/by-hand.ts';
import { compareStaged, exampleOf } from './proposals/comparison.ts';
import type { FoundField } from './mapping/columns.ts';
import { checkSaidTypes } from './fields/said-types.ts';
import { settler } from './fields/settle.ts';
import type { ExaminedImport } from './proposals/examined-import.ts';
import { findingsOf, refusalOf, reported } from './proposals/findings.ts';
import { commit, type HeldImport, proposedIn, timeOf } from './held-import.ts';
import { loggedImport, type Outcome } from './logged-import.ts';
import { checkOptions } from './check-options.ts';
import { fileReading } from './proposals/file-reading.ts';
import { keepProposal } from './proposals/proposing.ts';
import { takenBackIn } from './taken-back.ts';
import { EXAMPLES, outlineOf, RefusedList } from './proposals/report.ts';
import { findSimilar } from './proposals/similar-ids.ts';
import { ignoredNames } from './rows/ignored-columns.ts';
import { findCorrected } from './rows/corrected-rows.ts';
import { findOtherKeys } from './rows/other-keys.ts';
import { findOtherColumns } from './rows/other-columns.ts';
import { findRenamed } from './rows/renamed-columns.ts';
import { checkFields, findRegister, withHeldNames } from './settle-fields.ts';
import { checkIgnored, checkWithdrawal, stageFile } from './stage-file.ts';
import { Staging } from './staging.ts';

/**
 * Imports a file into a register, while no other process works on it, and logs the import.
 *
 * @throws GazetteError `unknown_feed`; `register_busy` when another process works on the register; `invalid_mapping` for
 *   a rule to `version` or `updated_at`; the errors of the reader, the mapping and the checks of records,
 *   `duplicate_id` for two records with the same id, `invalid_option` for a file whose dates run both ways where no
 *   order is known, and `store_busy` where the register got other fields meanwhile, with the store unchanged; `import_stopped` for what
 *   its caller must say that it is meant, with a proposal kept, whose number is `details.import`;
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
    return (
      await importHeld({
        ...{ store, feedId, reader, options, hold: UNHELD, number: null },
        ...{ count: () => undefined, digest: () => null },
      })
    ).result(null);
  const { origin, cause = 'source_change', now } = options;
  const result = await holdRegister(store, feedId, { ...options, what: `import ${reader.name}` }, (hold) => {
    const logged = {
      ...{ store, feedId, hold, watch: origin?.watch, what: { file: reader.name, cause, who: origin?.who ?? null } },
      ...(now === undefined ? {} : { now }),
    };
    return loggedImport(logged, (number, count, digest) =>
      importHeld({ store, feedId, reader, options, hold, number, count, digest }),
    );
  });
  if (result.refusal !== null && options.propose !== true) throw result.refusal;
  return result;
}

/** A dry run needs no lease, and writes nothing. */
const UNHELD: HeldRegister = { ask: (question) => question(), write: (send) => send({}) };

async function importHeld(held: HeldImport): Promise<Outcome<ImportResult>> {
  const { store, feedId, reader, options, hold, number } = held;
  const entry = await hold.ask(() => findRegister(store, feedId));
  const basis = await hold.ask(() => store.imports.basis(feedId));
  const ignored = ignoredNames([...(options.ignore ?? basis.ignored), ...(options.leftOut ?? [])]);
  const isOtherIgnored = !isDeepStrictEqual(ignored, basis.ignored);
  const refusedList = new RefusedList();
  const opened = await open(entry, { ...basis, ignored }, reader, {
    ...options,
    ...listing(options, reader, refusedList),
  });
  const said = options.order ?? entry.order;
  const staging = new Staging({ isSorted: said === 'by-date' });
  try {
    const staged = await stageFile(opened, staging, options, {
      isRenumbered: basis.isRenumbered,
      find: (names) => hold.ask(() => store.recordKeys.find(feedId, names)),
    });
    checkIgnored(opened, options);
    const { refused, dates, values } = staged;
    if (said === null && dates.found === 'both-ways') throw dates.refusal(reader.name, WAYS);
    const orderOfDates = dates.direction;
    await options.onChecked?.(refused);
    const hand = new HandReport(await hold.ask(() => store.imports.byHand.numbers(feedId)), options);
    let [live, staying] = [entry.total, 0];
    if (options.withdrawMissing === true || staging.hasMentioned) {
      ({ live, staying } = await findAbsent({ ...held, staging }, hand));
    }
    if (options.withdrawMissing === true) {
      checkWithdrawal(entry, staging, staged, reader.name, options);
    }
    const order = said ?? orderOfDates ?? 'oldest-first';
    const { plan, map } = opened;
    const fields = plan.found()?.map(asFound) ?? null;
    const named = withHeldNames(plan.definition.fields, map.heldNames);
    const definition = defineRegister({ ...plan.definition, fields: fields ?? named });
    const how = { fields: definition.fields, ignored: plan.ignored.filled(plan) };
    const foreseen = await compareStaged({ ...held, staging }, entry, how, { hand, values });
    const { added, restored, changed, unchanged } = foreseen.counts;
    // A column that is ignored from the first file that has it is no part of any key.
    const isOther = entry.total > 0 && isOtherIgnored && added + restored > changed + unchanged;
    const isRenumbered = options.key === 'row' && isOther;
    const whole = { ...held, staging };
    const renamed = isRenumbered ? null : await findRenamed(whole, opened, live);
    const isKnown = entry.top > 0 && fields === null;
    const isRekeyed = isRenumbered || renamed !== null || options.accept?.includes('renumbered') === true;
    const comparison = { ...how, order, added: added + restored + changed };
    const corrected = isRekeyed ? null : await findCorrected(whole, comparison, foreseen.fields);
    const examined: ExaminedImport = {
      ...{ feedId, file: reader.name, options, columns: opened.columns, plan, foreseen, refused, values },
      ...{ absent: staging.lacking, live, isRenumbered, renamed, corrected, notes: opened.notes() },
      otherKeys: await findOtherKeys(whole, entry, foreseen),
      otherColumns: isRekeyed ? null : await findOtherColumns(whole, foreseen),
      lostTypes: isKnown ? values.lostTypes(staging) : [],
      similar: await findSimilar(whole, foreseen.addedKeys, entry.total),
      earlier: await filesBefore(held),
      digest: held.digest(),
    };
    const { notes } = examined;
    const findings = findingsOf(examined, basis.findings);
    const refusal = refusalOf(findings, examined);
    const settle = settler(fields ?? [], plan);
    // Kept: a later file with few records may show none, or another.
    const isNewOrder = order !== entry.order && (options.order ?? orderOfDates) !== null;
    const counts = { ...foreseen.counts, refused, withdrawn: staging.lacking };
    const [first = []] = entry.top === 0 ? staging.batches(order, EXAMPLES) : [];
    const [withdrawn = []] = staging.lacked(EXAMPLES);
    const absent = options.withdrawMissing === true ? 0 : entry.total - changed - unchanged - staying;
    const report = {
      ...{ counts, fields: foreseen.fields.list(), refused: refusedList.list },
      findings: [...reported(findings), ...hand.findings()],
      ...{ added: entry.top === 0 ? first.map(exampleOf) : foreseen.added, withdrawn },
      ...(absent > 0 && { staying: absent }),
      ...(corrected !== null && { corrected }),
      ...(hand.asked > 0 && { by_hand: hand.differences }),
      reading: fileReading(opened, options, order),
    };
    const changes: ProposedSettings['sets'] = {
      ...(isNewOrder && { order }),
      ...(isOtherIgnored && { ignored }),
      ...(!isDeepStrictEqual(definition.fields, entry.definition.fields) && { fields: definition.fields }),
    };
    const settings: ProposedSettings = {
      cause: options.cause ?? 'source_change',
      indifferent: [...how.ignored],
      fields: entry.definition.fields,
      isWhole: options.withdrawMissing === true,
      sets: { ...changes, ...(options.reading !== undefined && { reading: options.reading }) },
      replaces: {},
      ...(hand.asked > 0 && { asked: hand.becomes }),
    };
    const isSettled = (options.accept ?? []).length === 0 && Object.keys(changes).length === 0;
    const isNothing = isSettled && refused === 0 && absent <= 0 && added + changed + restored + staging.lacking === 0;
    // Nobody need approve what changes nothing.
    const isProposal = number !== null && (refusal !== null || (options.propose === true && !isNothing));
    const records = proposedIn(staging, order, settle);
    const proposal = isProposal
      ? await keepProposal({
          ...{ store, hold, number, settings, records, report: () => report, signal: options.signal },
          ...{ change: entry.change, unchanged: foreseen.unchanged },
        })
      : null;
    await hold.ask(() => checkFields(store, entry, definition));
    const isWritten = number !== null && !isProposal;
    const done = isWritten
      ? await commit({ ...held, number, staging }, { settings, records, foreseen: counts })
      : counts;
    const result = (kept: number | null): ImportResult => ({
      ...{
        ...done,
        refusal: refusal?.(kept) ?? null,
        report,
        number: kept,
        isProposal,
        staying,
        keptByHand: hand.kept,
      },
      nameless: live > changed + unchanged + staying + staging.lacking ? staged.nameless : 0,
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
      notes,
    });
    // Where nothing is written, what was found is all that there is to tell.
    const isToTell = isNothing && options.propose === true;
    const outline = outlineOf(report);
    return {
      result,
      proposal,
      report: JSON.stringify(isToTell ? { ...outline, findings: report.findings } : outline),
    };
  } finally {
    staging.close();
    await opened.close();
  }
}

/** How many imports are looked at for a file that came before. */
const LOOKED_AT = 100;

/** The imports of files that were completed and stand, newest first. */
async function filesBefore({ store, feedId, hold }: HeldImport): Promise<readonly ImportEntry[]> {
  const imports = await hold.ask(() => store.imports.list(feedId, { limit: LOOKED_AT }));
  return imports.filter((one) => {
    return one.kind === 'file' && one.state === 'completed' && !takenBackIn(imports, one).isWhole;
  });
}

/** A field whose name and label are the publisher's words is marked as such; those of a rule are the operator's. */
function asFound({ field, path }: FoundField): Field {
  return path === null ? field : { ...field, from_file: true };
}

/** Lists the first refused records in the report. */
function listing(
  { onRefused }: ImportOptions,
  { name }: RecordReader,
  refused: RefusedList,
): Pick<ImportOptions, 'onRefused'> {
  if (onRefused === undefined) return {};
  return {
    onRefused: (record) => {
      const { where, error } = record;
      const place = `${name}: ${where}: `;
      const { code, message, details } = error;
      const reason = message.startsWith(place) ? message.slice(place.length) : message;
      const { field } = details;
      refused.add({ where, reason, code, ...(typeof field === 'string' && { field }) });
      return onRefused(record);
    },
  };
}

/** A register without fields that has no record (any more) gets the fields that its next import finds. */
async function open(
  entry: RegisterEntry,
  { secret, ignored }: ImportBasis,
  reader: RecordReader,
  options: ImportOptions,
): Promise<OpenedRecords> {
  const { definition } = entry;
  const { fields, ...constants } = definition;
  const findsFields = fields.length === 0 && entry.total === 0;
  const { mapping = [], types = new Map(), describedTypes = new Map(), decimalComma = false, missing = [] } = options;
  const { dateFormat, signal, now } = options;
  if (!findsFields) checkSaidTypes(types, definition);
  return openRecords(reader, {
    ...(findsFields ? { constants, findsFields, types, describedTypes } : { definition }),
    // The fields that a first import found are named after the publisher's properties, which are their labels.
    takesLabels: true,
    keepsUndeclared: true,
    ...(options.key === 'row' ? { rowSecret: secret } : {}),
    ignore: ignored,
    observedAt: timeOf(now),
    mapping,
    decimalComma,
    missing,
    ...(options.onRefused === undefined ? {} : { onRefused: options.onRefused }),
    ...(dateFormat === undefined ? {} : { dateFormat }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** What a caller can do about dates that run both ways. */
const WAYS =
  'say it with --order newest-first, --order oldest-first, or --order by-date, which sorts by publication date';
