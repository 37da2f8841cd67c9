// `gazette import`: imports a publisher's file into a register of the store, after checking all of it.
import { basename } from 'node:path';
import { GazetteError, isGazetteError } from '../../errors.ts';
import type { ImportResult } from '../../import/import-options.ts';
import { type FileOptions, importAs } from '../../import/from-file/file-options.ts';
import { type Accepted, ACCEPTED } from '../../import/proposals/finding-codes.ts';
import { counted } from '../../register/counted.ts';
import type { Order } from '../../register/sources/order.ts';
import {
  FEED_ID,
  choice,
  type Undescribed,
  command,
  type Configuration,
  type ConfiguredRegister,
  flag,
  JSON_OUTPUT,
  type Options,
  text,
} from '../command.ts';
import { openInput } from '../io/input.ts';
import { describedBy, readAs } from './import/described.ts';
import { isAddress, type NamedFile, takeFrom } from './import/places.ts';
import { checkWatched, watch } from './import/watch.ts';
import { asKept, FILE_OPTIONS, readerOf } from './import/file-options.ts';
import { ImportLine } from './import/import-line.ts';
import { guessFile } from './import/guess.ts';
import type { ImportReport, ReportedFinding } from '../../import/proposals/report.ts';
import {
  checkTaken,
  tellAccumulation,
  tellCorrected,
  tellFindings,
  tellOrder,
  tellStaying,
  findingAnswer,
} from './import/report.ts';
import { tellFound, tellNotes } from '../io/notes.ts';
import { openRejects, REJECTS, type RejectsFile } from '../io/rejects-file.ts';
import { printJson, say } from '../io/say.ts';
import { userName } from '../io/user-name.ts';
import { CHANGE_CAUSES } from '../../stores/contract/imports/causes.ts';
import type { ImportCounts } from '../../stores/contract/imports/counts.ts';
import type { RegisterStore } from '../../stores/contract/registers.ts';
import { STORE, type StoreOptions, withStore } from '../options/store.ts';
import { completeIndex } from '../process/indexing.ts';
import type { InspectedStore } from '../../stores/contract/inspection.ts';
import { WAIT, waitOptions } from '../options/wait.ts';
import type { Io } from '../io/io.ts';
import { CONFIGURATION_NAME } from '../program.ts';

/** What the command is told. */
export interface ImportCommandOptions extends StoreOptions, FileOptions {
  readonly schema?: string;
  readonly cause: (typeof CHANGE_CAUSES)[number];
  readonly accept: readonly Accepted[];
  readonly propose?: true;
  readonly dryRun?: true;
  readonly rejects?: string;
  readonly wait?: true;
  readonly guess?: true;
  readonly watch?: true;
  readonly json?: true;
}

/** The same, and whether gazette.json says how the register's files are read. */
type ImportFileOptions = ImportCommandOptions & { readonly isConfigured?: boolean };

/** What `--json` prints: schemas/import.schema.json. */
interface ImportAnswer extends ImportCounts {
  readonly feed_id: string;
  readonly dry_run: boolean;
  readonly import: number | null;
  readonly proposed: boolean;
  readonly changed_fields: Readonly<Record<string, number>>;
  readonly corrected: ImportReport['corrected'] | null;
  readonly findings: readonly Pick<ReportedFinding, 'code' | 'stops' | 'message' | 'records'>[];
  readonly order: Order;
  readonly rejects: string | null;
}

const OPTIONS: Options<ImportCommandOptions> = {
  store: STORE,
  ...FILE_OPTIONS,
  schema: text(
    '<file>',
    'a Table Schema or Data Package (Frictionless) that describes the CSV (default: datapackage.json beside the file, if it names the file)',
  ),
  cause: choice('<cause>', 'why changed records changed', CHANGE_CAUSES, 'source_change'),
  accept: {
    value: '<code,…>',
    description: `what is meant although it stops the import: ${ACCEPTED.join(', ')}`,
    default: [],
    defaultText: 'nothing',
    isList: true,
    // The import names those that there are.
    read: (codes, before) => [...before, ...codes.split(',').map((code) => code.trim() as Accepted)],
  },
  propose: flag('write nothing: keep what would happen as a proposal, for gazette imports'),
  dryRun: flag('say what would happen and change nothing'),
  rejects: REJECTS,
  wait: WAIT,
  guess: flag(
    'write nothing: print a mapping and a definition to edit, and the first records as they would be published',
  ),
  watch: flag('keep running, and take in what changes: of a file, a folder or an address'),
  json: JSON_OUTPUT,
};

/** `gazette import`. */
export const importCommand: Undescribed = command({
  arguments: [
    [FEED_ID, 'the register'],
    ['[file]', 'the file, its https address, or - for standard input (default: that of the register in gazette.json)'],
  ],
  options: OPTIONS,
  alsoFrom: (configuration, [feedId]) => registerIn(configuration, feedId)?.reading,
  run: async ([feedId, named], options, { io, signal, configuration }) => {
    const file = named ?? fileOf(feedId, configuration);
    if (options.watch === true) checkWatched(file, options);
    if (options.guess === true) return guessFile(feedId, file, options, io, signal);
    const isConfigured = (registerIn(configuration, feedId)?.reading.size ?? 0) > 0;
    const take = (found: NamedFile): Promise<void> =>
      importFile(feedId, found, { ...options, isConfigured }, io, signal);
    if (options.watch === true) return watch({ feedId, where: file, options, take }, io, signal);
    return takeFrom(file, take, signal);
  },
});

/** @throws GazetteError `usage` where gazette.json names none */
function fileOf(feedId: string, configuration: Configuration | null): string {
  const file = registerIn(configuration, feedId)?.file;
  if (file !== undefined && file !== null) return file;
  const whose =
    configuration === null
      ? `there is no ${CONFIGURATION_NAME} that names one`
      : `${configuration.path} names none for this register`;
  throw new GazetteError('usage', `name the file: gazette import ${feedId} FILE; ${whose}`);
}

function registerIn(configuration: Configuration | null, feedId: string): ConfiguredRegister | undefined {
  return configuration?.registers.find(({ definition }) => definition.id === feedId);
}

/**
 * Imports a file, and says what it did.
 *
 * @throws GazetteError the errors of the import and of the store
 */
export async function importFile(
  feedId: string,
  { path: file, name = file }: NamedFile,
  options: ImportFileOptions,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  // Loaded only here: it loads SQLite, which other commands do not need.
  const { importRecords } = await import('../../import/importer.ts');
  const input = openInput(file, io, name);
  // What is said wrongly is told before a store is opened.
  importAs(options);
  const described = await describedBy(file, options, io);
  let reader = readerOf(input, readAs(options, described));
  // Of an address, in the folder where the command runs.
  const rejects = openRejects(isAddress(name) ? basename(file) : file, options, io);
  const progress = new ImportLine(input, io);
  let isTold = false;
  const take = async (store: RegisterStore): Promise<void> => {
    try {
      const read = options.isConfigured === true ? null : await asKept(store, feedId, options, io);
      const how = readAs(read ?? options, described);
      if (read !== null) reader = readerOf(input, how);
      const result = await importRecords(store, feedId, reader, {
        ...importAs(how),
        ...(described === null ? {} : { describedTypes: described.types }),
        cause: options.cause,
        accept: options.accept,
        propose: options.propose ?? false,
        dryRun: options.dryRun ?? false,
        ...(rejects === null
          ? {}
          : {
              onRefused: (refused) => rejects.add(refused),
              // On disk before anything is committed: no rejected record is lost, however the process ends.
              onChecked: () => rejects.commit(),
            }),
        onProgress: (state) => {
          progress.update(state);
        },
        ...waitOptions(options, io, signal),
        origin: { who: userName(), watch: input.watch.bind(input) },
      });
      progress.clear();
      isTold = true;
      tell(feedId, result, rejects, { ...options, ...read }, io);
      checkTaken(input.name, result);
      if (result.refusal !== null && options.dryRun === true) throw result.refusal;
    } catch (error) {
      progress.clear();
      if (!isTold) tellFound(reader.notes?.() ?? [], io.stderr);
      throw withHint(error);
    } finally {
      await rejects?.discard();
    }
  };
  // This process does nothing else.
  const takeAndIndex = async (store: InspectedStore): Promise<void> => {
    await take(store);
    if (options.dryRun !== true) await completeIndex(io, store.finding, feedId, signal);
  };
  await withStore(options, io, takeAndIndex, { bulk: true, readOnly: options.dryRun ?? false });
}

function withHint(error: unknown): unknown {
  if (isGazetteError(error, 'duplicate_id')) {
    const { code, message, details } = error;
    const hint = 'if no column and no few columns identify the records, --key row makes their keys of their rows';
    return new GazetteError(code, `${message}; ${hint}`, { cause: error, details });
  }
  if (!isGazetteError(error, 'unknown_feed')) return error;
  return new GazetteError(
    error.code,
    `${error.message}; create it with: gazette register add ${String(error.details.feed_id)} --title TITLE`,
    {
      cause: error,
      details: error.details,
    },
  );
}

function tell(
  feedId: string,
  result: ImportResult,
  rejects: RejectsFile | null,
  options: ImportCommandOptions,
  io: Io,
): void {
  tellFound(result.notes.found, io.stderr);
  tellNotes(result.notes, io.stderr);
  tellOrder(io, result);
  if (options.key === 'row' && options.withdrawMissing !== true) tellAccumulation(io, result);
  const dryRun = options.dryRun ?? false;
  const { added, changed, unchanged, withdrawn, restored, refused, redacted, order, number, isProposal } = result;
  const counts = { added, changed, unchanged, withdrawn, restored, refused };
  const fields = result.report.fields.map(({ field, changed }) => [field, changed] as const);
  rejects?.tell();
  tellFindings(io, result);
  tellStaying(io, result, dryRun);
  tellCorrected(io, result);
  if (redacted > 0) say(io, `skipped ${counted(redacted, 'record')} whose content was erased permanently`);
  if (options.json === true) {
    const answer: ImportAnswer = {
      feed_id: feedId,
      dry_run: dryRun,
      ...counts,
      redacted,
      import: number,
      proposed: isProposal,
      changed_fields: Object.fromEntries(fields),
      corrected: result.report.corrected ?? null,
      findings: result.report.findings.map(findingAnswer),
      order,
      rejects: refused > 0 ? rejects!.path : null,
    };
    printJson(io, answer);
    return;
  }
  const words = Object.entries(counts).map(([name, count]) => `${name} ${format(count)}`);
  const isDone = !dryRun && !isProposal;
  io.stdout.write(`${feedId}: ${isDone ? '' : 'would be '}${words.join(', ')}\n`);
  if (isProposal) tellProposal(io, feedId, result);
  if (isDone || fields.length === 0) return;
  io.stdout.write(`${feedId}: would change ${fields.map(([name, count]) => `${name} ${format(count)}`).join(', ')}\n`);
}

/** What was kept, and what can be done with it. */
function tellProposal(io: Io, feedId: string, { number, report }: ImportResult): void {
  for (const { message } of report.findings.filter(({ stops }) => stops)) say(io, message);
  say(
    io,
    `kept as proposal ${number}: gazette imports show ${feedId} ${number}, then approve or discard in place of show`,
  );
}

function format(count: number): string {
  return count.toLocaleString('en-US');
}
