// `gazette export -`: a publisher's records, from a file or standard input, as one document; it uses no store.
import { GazetteError, isGazetteError } from '../../../errors.ts';
import type { Format } from '../../../formats/format.ts';
import { registerSchema } from '../../../formats/xml/xsd.ts';
import type { FoundField } from '../../../import/mapping/columns.ts';
import { findFields } from '../../../import/fields/find-fields.ts';
import { type MappingRule, parseMapping } from '../../../import/mapping/mapping.ts';
import type { RecordStreamOptions } from '../../../import/opened-records.ts';
import { openRecordStream, type RecordStream } from '../../../import/record-stream.ts';
import { type DefinitionInput, defineRegister } from '../../../register/definition.ts';
import { type Order, OrderFinder } from '../../../register/sources/order.ts';
import type { RegisterStream } from '../../../register/sources/source.ts';
import { readAuthority, readDefinition } from '../../options/definition-file.ts';
import { chooseFormat, type DocumentOptions, encodeText, writeAll, writeRegister } from '../../io/document.ts';
import { type ReadingOptions, textForms } from '../../../import/from-file/file-options.ts';
import { type Input, openReader, type ReaderOptions } from '../../../import/from-file/open-file.ts';
import { openInput } from '../../io/input.ts';
import { allRefused, openRejects, type RejectsFile, type RejectsOptions } from '../../io/rejects-file.ts';
import { checkNotSameFile } from '../../io/same-file.ts';
import { newestFirst, withPages } from '../../io/newest-first.ts';
import { tellFound, tellNotes, tellUndeclared, tellOldestFirst } from '../../io/notes.ts';
import type { Io } from '../../io/io.ts';

/** The options of the command. */
export interface FileExportOptions extends DocumentOptions, ReaderOptions, ReadingOptions, RejectsOptions {
  readonly input?: string;
  readonly definition?: string;
  readonly map: readonly string[];
  readonly key?: 'row';
  readonly ignore?: readonly string[];
  readonly observedAt?: string;
  readonly feedId?: string;
  readonly authority?: string;
  readonly order?: Order;
}

/** Writes the records of a file or standard input as one document, or prints the schema of its XML. */
export async function exportFile(options: FileExportOptions, io: Io, signal: AbortSignal): Promise<void> {
  const format = await chooseFormat(options, io);
  checkNotSameFile(options.input, options.output, io);
  const mapping = parseMapping(options.map);
  const constants = readConstants(options);
  const definition = options.definition === undefined ? undefined : await readDefinition(options.definition, constants);
  if (format === null && definition !== undefined) {
    await writeAll([encodeText(registerSchema(definition))], options.output, io, signal);
    return;
  }
  const input = openInput(options.input, io);
  const rejects = openRejects(options.input ?? '-', options, io);
  const reader = openReader(input, { ...options, keepsFaults: rejects !== null });
  const fields = definition === undefined ? await fieldsOf(input, mapping, options, io, signal) : null;
  try {
    const stream = await openRecordStream(reader, {
      ...(definition === undefined ? { constants } : { definition }),
      ...(options.observedAt === undefined ? {} : { observedAt: options.observedAt }),
      ...(fields === null ? {} : { fields }),
      mapping,
      ...rowOptions(options),
      ...textForms(options),
      ...(rejects === null ? {} : { onRefused: (refused) => rejects.add(refused) }),
      signal,
    });
    await writeStream(stream, input, rejects, format, options, io, signal);
    await rejects?.commit();
    rejects?.tell();
  } catch (error) {
    throw isOfOtherRegister(error) ? withFeedIdHint(error) : error;
  } finally {
    await rejects?.discard();
    tellFound(reader.notes?.() ?? [], io.stderr);
  }
}

/** There is no store, and so no secret: whoever sees a key can try out of which row it is. */
function rowOptions({ key, ignore }: FileExportOptions): Pick<RecordStreamOptions, 'rowSecret' | 'ignore'> {
  return { ...(key === undefined ? {} : { rowSecret: null }), ...(ignore === undefined ? {} : { ignore }) };
}

/** Whether a record was refused because it says that it is of another register. */
function isOfOtherRegister(error: unknown): error is GazetteError {
  return isGazetteError(error, 'invalid_record') && error.details.field === 'feed_id';
}

function withFeedIdHint({ code, message, details }: GazetteError): GazetteError {
  return new GazetteError(code, `${message}; --feed-id ID says which register the records are of`, { details });
}

/** The fields of a file, from all of its records; null for an input that can be read only once. */
async function fieldsOf(
  { size, name }: Input,
  mapping: readonly MappingRule[],
  options: FileExportOptions,
  io: Io,
  signal: AbortSignal,
): Promise<readonly FoundField[] | null> {
  if (size === null || options.input === undefined || options.input === '-') return null;
  const keepsFaults = options.skipInvalid ?? false;
  const reader = openReader(openInput(name, io), { ...options, keepsFaults });
  try {
    return await findFields(reader, { mapping, ...rowOptions(options), ...textForms(options), signal });
  } catch (error) {
    tellFound(reader.notes?.() ?? [], io.stderr);
    throw error;
  }
}

async function writeStream(
  stream: RecordStream,
  input: Input,
  rejects: RejectsFile | null,
  format: Format | null,
  options: FileExportOptions,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  try {
    if (format === null) await writeAll([encodeText(registerSchema(stream.definition))], options.output, io, signal);
    else {
      const progress = {
        totalBytes: input.size,
        state: () => ({ bytesRead: input.bytesRead }),
        authorityHint: 'give --authority NAME,YEAR, or in a definition its uuid, or its authority and year',
      };
      const dates = new OrderFinder();
      const isDated =
        options.observedAt !== undefined || parseMapping(options.map).some(({ target }) => target === 'observed_at');
      const register = notEmpty(stream, input.name, isDated, rejects);
      await writeRegister(inOrder(register, format, options.order, dates), format, options, progress, io, signal);
      tellUndeclared(stream.notes(), io.stderr);
      tellNotes(stream.notes(), io.stderr);
      if (dates.direction === 'oldest-first') tellOldestFirst(io.stderr);
    }
  } finally {
    await stream.close();
  }
}

/**
 * A file without records must not pass if the same file with records, which have no dates, would be refused; nor one of
 * which all were.
 */
function notEmpty(stream: RegisterStream, name: string, isDated: boolean, rejects: RejectsFile | null): RegisterStream {
  return withPages(stream, async function* (pages) {
    for await (const page of pages) {
      if (page.records.length === 0 && rejects !== null && rejects.count > 0) {
        await rejects.commit();
        throw allRefused(name, rejects.count);
      }
      if (page.records.length === 0 && !isDated) {
        throw new GazetteError(
          'invalid_option',
          `${name}: there are no records, and so no observed_at; give --observed-at, or --map observed_at=SOURCE`,
          { details: { option: 'observed_at' } },
        );
      }
      yield page;
    }
  });
}

/**
 * The stream in the order for writing. Readers of a feed look for the newest record first, so if the options do not
 * state the file's direction, `dates` determines it. A feed's head says when the last of its records changed, so that all
 * are read before the first is written.
 */
function inOrder(
  stream: RegisterStream,
  { isDated = false }: Format,
  order: Order | undefined,
  dates: OrderFinder,
): RegisterStream {
  const read = isDated && order === undefined ? watched(stream, dates) : stream;
  const given = order ?? 'newest-first';
  return isDated || given !== 'newest-first' ? newestFirst(read, given) : read;
}

/** The stream; passes its dates to `dates`. */
function watched(stream: RegisterStream, dates: OrderFinder): RegisterStream {
  return withPages(stream, async function* (pages) {
    for await (const page of pages) {
      for (const record of page.records) dates.add(record);
      yield page;
    }
  });
}

/** The register's definition from the command line. @throws GazetteError `usage`, naming the option. */
function readConstants(options: FileExportOptions): Partial<DefinitionInput> {
  const constants = {
    ...(options.feedId === undefined ? {} : { id: options.feedId }),
    ...(options.authority === undefined ? {} : readAuthority(options.authority)),
  };
  try {
    // Checked here, so that the error can name the option.
    defineRegister({ id: 'records', title: 'records', created_at: '1970-01-01T00:00:00Z', ...constants });
  } catch (error) {
    if (!isGazetteError(error, 'invalid_definition')) throw error;
    const option = error.details.member === 'id' ? '--feed-id' : '--authority';
    throw new GazetteError('usage', `${option}: ${error.message}`, { cause: error });
  }
  return constants;
}
