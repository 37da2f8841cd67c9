// `gazette import`: imports a publisher's file into a register of the store, after checking all of it.
import { userInfo } from 'node:os';
import { GazetteError, isGazetteError } from '../../errors.ts';
import type { ImportFinding, ImportProgress, ImportResult } from '../../import/import-options.ts';
import { parseTypes } from '../../import/fields/said-types.ts';
import { parseMapping } from '../../import/mapping/mapping.ts';
import { counted } from '../../register/counted.ts';
import type { Order } from '../../register/sources/order.ts';
import { choice, type Command, command, flag, JSON_OUTPUT, type Options, text } from '../command.ts';
import { type Input, openInput, openReader } from '../io/input.ts';
import { FILE_OPTIONS, type FileOptions } from './import/file-options.ts';
import { guessFile } from './import/guess.ts';
import { tellFound, tellNotes } from '../io/notes.ts';
import { Progress } from '../io/progress.ts';
import { RejectsFile, rejectsPath } from '../io/rejects-file.ts';
import { printJson, say } from '../io/say.ts';
import { IMPORT_CAUSES, type NewImport } from '../../stores/contract/imports.ts';
import type { RegisterStore } from '../../stores/contract/registers.ts';
import { textForms } from '../options/reading.ts';
import { STORE, type StoreOptions, withStore } from '../options/store.ts';
import { completeIndex } from '../process/indexing.ts';
import type { InspectedStore } from '../../stores/contract/inspection.ts';
import { WAIT, waitOptions } from '../options/wait.ts';
import type { Io } from '../io/io.ts';

/** What the command is told. */
export interface ImportCommandOptions extends StoreOptions, FileOptions {
  readonly cause: NewImport['cause'];
  readonly withdrawMissing?: true;
  readonly accept: readonly ImportFinding[];
  readonly dryRun?: true;
  readonly rejects?: string;
  readonly wait?: true;
  readonly guess?: true;
  readonly json?: true;
}

/** What `--json` prints: schemas/import.schema.json. */
interface ImportAnswer {
  readonly feed_id: string;
  readonly dry_run: boolean;
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly withdrawn: number;
  readonly restored: number;
  readonly refused: number;
  readonly redacted: number;
  /** Null unless it was a dry run. */
  readonly changed_fields: Readonly<Record<string, number>> | null;
  readonly order: Order;
  readonly rejects: string | null;
}

const OPTIONS: Options<ImportCommandOptions> = {
  store: STORE,
  ...FILE_OPTIONS,
  cause: choice('<cause>', 'why changed records changed', IMPORT_CAUSES, 'source_change'),
  withdrawMissing: flag('withdraw every record that the file does not contain'),
  accept: {
    value: '<code,…>',
    description: 'what is meant although it stops the import: absences',
    default: [],
    defaultText: 'nothing',
    isList: true,
    // The import names those that there are.
    read: (codes, before) => [...before, ...codes.split(',').map((code) => code.trim() as ImportFinding)],
  },
  dryRun: flag('say what would happen and change nothing'),
  rejects: text('<file>', 'the file for skipped records (default: FILE.rejects.ndjson)'),
  wait: WAIT,
  guess: flag(
    'write nothing: print a mapping and a definition to edit, and the first records as they would be published',
  ),
  json: JSON_OUTPUT,
};

/** `gazette import`. */
export const importCommand: Command = command({
  description: 'Load a file into a register. Only new and changed records are added.',
  arguments: [
    ['<feed_id>', 'the register'],
    ['<file>', 'the file, or - for standard input'],
  ],
  options: OPTIONS,
  alsoFrom: ({ registers }, [feedId]) => registers.find(({ definition }) => definition.id === feedId)?.reading,
  run: ([feedId, file], options, { io, signal }) =>
    options.guess === true
      ? guessFile(feedId, file, options, io, signal)
      : importFile(feedId, file, options, io, signal),
});

/**
 * Imports a file, and says what it did.
 *
 * @throws GazetteError the errors of the import and of the store
 */
export async function importFile(
  feedId: string,
  file: string,
  options: ImportCommandOptions,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  // Loaded only here: it loads SQLite, which other commands do not need.
  const { importRecords } = await import('../../import/importer.ts');
  const mapping = parseMapping(options.map);
  const types = parseTypes(options.type);
  const input = openInput(file, io);
  const { format, formulas, skipInvalid = false } = options;
  const guard = formulas === undefined ? {} : { inputFormulas: formulas };
  const reader = openReader(input, { ...options, ...guard, inputFormat: format, keepsFaults: skipInvalid }, '--format');
  const rejects = skipInvalid ? new RejectsFile(rejectsPath(file, options.rejects), io) : null;
  if (rejects === null && options.rejects !== undefined) {
    throw new GazetteError('usage', '--rejects needs --skip-invalid');
  }
  const progress = new ImportLine(input, io);
  let isTold = false;
  const take = async (store: RegisterStore): Promise<void> => {
    try {
      const result = await importRecords(store, feedId, reader, {
        mapping,
        types,
        ...textForms(options),
        cause: options.cause,
        ...(options.order === undefined ? {} : { order: options.order }),
        withdrawMissing: options.withdrawMissing ?? false,
        accept: options.accept,
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
      tell(feedId, result, rejects, options, io);
      checkTaken(input.name, result);
      if (result.refusal !== null) throw result.refusal;
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

/** The user of the operating system, for the log of imports. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return `user ${process.getuid?.() ?? 'without a name'}`;
  }
}

function withHint(error: unknown): unknown {
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
  tellNotes(result.notes, 'kept, not shown', io.stderr);
  tellOrder(io, result);
  const dryRun = options.dryRun ?? false;
  const { added, changed, unchanged, withdrawn, restored, refused, redacted, order } = result;
  const counts = { added, changed, unchanged, withdrawn, restored, refused };
  const fields = [...result.changedFields].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  if (refused > 0) say(io, `refused ${counted(refused, 'record')}; see ${rejects!.path} for the reasons`);
  if (redacted > 0) say(io, `skipped ${counted(redacted, 'record')} whose content was erased permanently`);
  if (options.json === true) {
    const answer: ImportAnswer = {
      feed_id: feedId,
      dry_run: dryRun,
      ...counts,
      redacted,
      changed_fields: dryRun ? Object.fromEntries(fields) : null,
      order,
      rejects: refused > 0 ? rejects!.path : null,
    };
    printJson(io, answer);
    return;
  }
  const text = Object.entries(counts).map(([name, count]) => `${name} ${format(count)}`);
  io.stdout.write(`${feedId}: ${dryRun ? 'would be ' : ''}${text.join(', ')}\n`);
  if (fields.length === 0) return;
  io.stdout.write(`${feedId}: would change ${fields.map(([name, count]) => `${name} ${format(count)}`).join(', ')}\n`);
}

/** A file of which nothing could be used is an error, also for a script that skips some invalid records. */
function checkTaken(name: string, { refused, added, changed, unchanged, restored, redacted }: ImportResult): void {
  if (refused === 0 || added + changed + unchanged + restored + redacted > 0) return;
  const all = refused === 1 ? 'the only record' : `all ${counted(refused, 'record')}`;
  throw new GazetteError('invalid_input', `${name}: ${all} of the file ${refused === 1 ? 'was' : 'were'} refused`, {
    details: { input: name, refused },
  });
}

function tellOrder(io: Io, { order, orderFrom, orderOfDates }: ImportResult): void {
  if (orderFrom === 'nothing') {
    say(io, 'no two dates in the file differ; it is read oldest first (use --order to change this)');
  } else if (orderFrom === 'dates') {
    say(io, `the file is read ${order}, as its dates show; later imports do the same (use --order to change this)`);
  } else if (order !== 'by-date' && orderOfDates !== null && orderOfDates !== order) {
    say(io, `warning: the file is read ${order}, but its dates run ${orderOfDates} (use --order to choose)`);
  }
}

function format(count: number): string {
  return count.toLocaleString('en-US');
}

/** A line of progress for each phase of an import. */
class ImportLine {
  readonly #input: Input;
  readonly #io: Io;
  #phase: ImportProgress['phase'] | null = null;
  #line: Progress | null = null;

  constructor(input: Input, io: Io) {
    this.#input = input;
    this.#io = io;
  }

  update({ phase, records, of }: ImportProgress): void {
    if (phase !== this.#phase) {
      this.clear();
      this.#phase = phase;
      this.#line = new Progress(this.#io.stderr, phase === 'reading' ? this.#input.size : null, undefined, phase);
    }
    this.#line!.update({ records, bytesRead: phase === 'reading' ? this.#input.bytesRead : 0, of });
  }

  clear(): void {
    this.#line?.clear();
  }
}
