// Stages a file that an editor uploaded, as `gazette import --propose` would: read as gazette.json says of the register's files,
// or else as is guessed, as `gazette init` guesses.
import { GazetteError, isGazetteError } from '../../errors.ts';
import { type FileOptions, importAs, omit } from '../../import/from-file/file-options.ts';
import { guessOf, readingFound } from '../../import/from-file/guess-file.ts';
import { type Input, openFile, openReader } from '../../import/from-file/open-file.ts';
import { keptOf, keptReading, otherwise, targetOf } from '../../import/from-file/kept-reading.ts';
import { planFor, type RegisterPlan } from '../../import/from-file/register-plan.ts';
import { importRecords } from '../../import/importer.ts';
import type { RecordReader } from '../../import/readers/raw-record.ts';
import type { RegisterDefinition } from '../../register/record.ts';
import type { RegisterEntry, RegisterStore } from '../../stores/contract/registers.ts';
import { unknownFeed } from '../../stores/rows/register.ts';
import type { Chosen } from './upload-folder.ts';
import type { PlannedUpload, StagedUpload, UploadWork } from './upload-work.ts';

/** What staging is told besides the file. */
export interface StageOptions extends UploadWork {
  /** How the files of this register are read. Null: nothing says it. */
  readonly usual: FileOptions | null;
}

/**
 * Stages a file as a proposal.
 *
 * @returns its number; where it has nothing new, that of the import, which is done
 * @throws GazetteError the errors of `importRecords()`; `invalid_input` where no record can be taken
 */
export async function stageUpload(
  store: RegisterStore,
  { feedId, path, file, who, chosen, reading, maxUnpacked }: StagedUpload,
  { usual, signal, onProgress }: StageOptions,
): Promise<number> {
  const entry = await store.register(feedId);
  if (entry === null) throw unknownFeed(feedId);
  const open = (): Input => openFile(path, file, maxUnpacked);
  const { reading: kept } = await store.imports.basis(feedId);
  const said: Chosen = otherwise(keptReading(kept), chosen);
  const settled =
    reading ?? (usual === null ? await guessed(entry, file, open, said, signal) : otherwise(usual, chosen));
  const options = usual === null ? withoutFound(settled, said) : settled;
  const guard = options.formulas === undefined ? {} : { inputFormulas: options.formulas };
  // A person decides, and sees what was refused.
  const format = { ...options, ...guard, inputFormat: options.format, keepsFaults: true };
  // What is no file of records is no import, either.
  if (!(await hasRecords(openReader(open(), format, '--format'), signal))) throw nothingTaken(file, 0, null);
  const input = open();
  let read = 0;
  let first: string | null = null;
  const { number } = await importRecords(store, feedId, openReader(input, format, '--format'), {
    ...importAs(options),
    ...(usual === null && { reading: JSON.stringify(keptOf(options, said)) }),
    ...(chosen.leftOut !== undefined && { leftOut: chosen.leftOut }),
    propose: true,
    onRefused: ({ error }) => {
      first ??= error.message;
    },
    onChecked: (refused) => {
      if (refused === read) throw nothingTaken(file, refused, first);
    },
    onProgress: ({ phase, records }) => {
      if (phase !== 'reading') return;
      read = records;
      onProgress(records);
    },
    wait: true,
    signal,
    origin: { who, watch: input.watch.bind(input) },
  });
  return number!;
}

/** Whether a file has a record. @throws GazetteError `invalid_input` for what is no file of records */
async function hasRecords(reader: RecordReader, signal: AbortSignal): Promise<boolean> {
  for await (const { records } of reader.batches(signal)) return records.length > 0;
  return false;
}

/** The error for a file of which no record can be taken. */
function nothingTaken(file: string, refused: number, first: string | null): GazetteError {
  const were = refused === 1 ? 'its only record was refused' : `all ${refused} records were refused, the first`;
  const reason = first === null ? 'there are no records' : `${were}: ${first}`;
  return new GazetteError('invalid_input', `${file}: ${reason}`, { details: { input: file } });
}

/** How a file is read of which nothing is known but the register. */
async function guessed(
  { definition, order, top }: RegisterEntry,
  file: string,
  input: () => Input,
  chosen: Chosen,
  signal: AbortSignal,
): Promise<FileOptions> {
  const guess = (said: Chosen): ReturnType<typeof guessOf> =>
    guessOf(definition.id, file, { map: [], type: [], ...said }, { input, signal });
  const first = await guess(chosen).catch((error: unknown) => {
    // A sheet, or the place in a document, may have another name by now.
    if (chosen.pick === undefined || !isGazetteError(error, 'invalid_input')) throw error;
    return guess(omit(chosen, ['pick']));
  });
  // The columns may have other names by now: then they are looked for anew.
  const isMisread = first.answer.records > 0 && first.answer.refused === first.answer.records;
  const { answer, options } = isMisread ? await guess({}) : first;
  const known = definition.fields.length > 0 || top > 0 ? answer.map.filter(isOf(definition)) : answer.map;
  const { order: found, ...others } = readingFound(file, { ...answer, map: known }, options);
  // The order of a register stays.
  const newOrder = chosen.order ?? (order === null ? found : undefined);
  return newOrder === undefined ? others : { ...others, order: newOrder };
}

/** What the reader finds by itself it also tells, for the page of the proposal: only what was chosen is said to it. */
function withoutFound(found: FileOptions, { encoding, delimiter, decimalComma }: Chosen): FileOptions {
  const others = omit(found, ['encoding', 'delimiter', 'headerRow']);
  return {
    ...others,
    ...(encoding !== undefined && { encoding }),
    ...(delimiter !== undefined && { delimiter }),
    // That it is a point is no usual option, and yet was said.
    ...(decimalComma !== undefined && { decimalComma }),
  };
}

/** What becomes of a file that an editor uploaded, as one of which a register may be made. */
export function planUpload(
  { path, file, chosen, maxUnpacked }: PlannedUpload,
  { signal }: Pick<UploadWork, 'signal'>,
): Promise<RegisterPlan> {
  return planFor(file, { map: [], type: [], ...chosen }, { input: () => openFile(path, file, maxUnpacked), signal });
}

/** A field that a register has is filled from the column of its label; a guess may call it otherwise. */
function isOf({ fields }: RegisterDefinition): (rule: string) => boolean {
  const names = new Set(fields.map(({ name }) => `data.${name}`));
  return (rule) => {
    const target = targetOf(rule);
    return !target.startsWith('data.') || names.has(target);
  };
}
