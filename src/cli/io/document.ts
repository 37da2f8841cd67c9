// The shared part of commands that write one document: the requested format, the filter, and a file that appears only
// once it is complete.
import { GazetteError, isGazetteError } from '../../errors.ts';
import { exportRegister } from '../../export/register.ts';
import type { Format } from '../../formats/format.ts';
import { findFormat, FORMATS } from '../../formats/index.ts';
import { referenceFormat } from '../../formats/reference/index.ts';
import { Report } from '../../formats/report.ts';
import { parseFields } from '../../register/finding/chosen-fields.ts';
import type { RegisterDefinition } from '../../register/record.ts';
import type { RegisterSource, RegisterStream } from '../../register/sources/source.ts';
import { compressed, isTextType } from '../../web/coding.ts';
import { readWriting, type WritingOptions } from '../options/document.ts';
import { type FilterOptions, readFilter } from '../options/filters.ts';
import { type FormatModuleOptions, withFormatModules } from '../options/format-module.ts';
import { compressorOf } from './compression.ts';
import { type Destination, isStandardOutput, openDestination } from './destination.ts';
import { tellWarnings } from './notes.ts';
import { type JobState, Progress } from './progress.ts';
import type { Io } from './io.ts';

/** The options that determine the document. */
export interface DocumentOptions extends FormatModuleOptions, WritingOptions, FilterOptions {
  readonly format?: string;
  readonly output?: string;
  /** The names of fields, with commas between them. */
  readonly fields?: string;
  readonly writer: string;
  /** Prints the schema of the XML instead of records. */
  readonly xsd?: true;
}

/**
 * The requested format; null for the schema of the XML.
 *
 * @throws GazetteError `usage` without a format, for a binary format on a terminal, for options without a value, or for
 *   one that does not apply to the format;
 *   `unknown_format`; `invalid_option` for a format module; `missing_peer`.
 */
export async function chooseFormat(options: DocumentOptions, { stdout }: Io): Promise<Format | null> {
  if (options.output === '') throw new GazetteError('usage', '--output must not be empty');
  readFilter(options);
  const formats = await withFormatModules(Object.values(FORMATS), options);
  if (options.xsd === true) {
    readWriting(options, 'XSD');
    if (options.format !== undefined && findFormat(options.format, formats).name !== 'xml') {
      throw new GazetteError('usage', `--xsd prints the schema of XML; ${options.format} has none`);
    }
    return null;
  }
  if (options.format === undefined) {
    const names = formats.map(({ name }) => name).join(', ');
    throw new GazetteError('usage', `--format is needed: one of ${names}`);
  }
  const format = findFormat(options.format, formats);
  readWriting(options, format.name);
  if (!isTextType(format.mediaType) && isStandardOutput(options.output) && stdout.isTTY === true) {
    throw new GazetteError('usage', `${format.name} cannot be shown in a terminal; use --output FILE or a pipe`);
  }
  if (options.writer !== 'reference') return format;
  if (!Object.hasOwn(FORMATS, format.name)) {
    throw new GazetteError('usage', `--writer reference is for gazette's own formats, not for ${format.name}`);
  }
  return referenceFormat(format.name);
}

/** What is known about the register, other than its records. */
export interface WriteOptions {
  /** The total size of the input in bytes; null if it is unknown or there is no input. */
  readonly totalBytes: number | null;
  /** The progress of the work. */
  readonly state: () => Omit<JobState, 'records'>;
  /** A hint for a feed without permanent ids; registers of a store always have them. */
  readonly authorityHint?: string;
}

/** Writes a whole register as the requested document, and reports what the format had to change. */
export async function writeRegister(
  register: RegisterSource | RegisterStream,
  format: Format,
  options: DocumentOptions,
  { totalBytes, state, authorityHint = '' }: WriteOptions,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  const filter = readFilter(options);
  const { formatOptions, links } = readWriting(options, format.name);
  const report = new Report();
  // On the same terminal, a line of progress would be mixed with the data.
  const isVisible = !isStandardOutput(options.output) || io.stdout.isTTY !== true;
  const progress = new Progress(isVisible ? io.stderr : { write: () => true }, totalBytes);
  let records = 0;
  const document = exportRegister(register, format, {
    formatOptions: { ...formatOptions, report },
    ...links,
    ...(filter === undefined ? {} : { filter }),
    ...(options.fields === undefined ? {} : { fields: parseFields(options.fields, register.definition) }),
    signal,
    reusesChunks: true,
    onPage: (count) => {
      records += count;
      progress.update({ records, ...state() });
    },
  });
  try {
    await writeAll(document, options.output, io, signal);
  } catch (error) {
    throw isGazetteError(error, 'authority_required') ? withHint(error, register.definition, authorityHint) : error;
  } finally {
    progress.clear();
  }
  tellWarnings(report.warnings, io.stderr);
}

/**
 * Writes all chunks, compressed if the file's name ends in `.gz` or `.zst`, or leaves no file behind.
 *
 * @throws GazetteError `output_failed`, `aborted`, `invalid_option`
 */
export async function writeAll(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  output: string | undefined,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  const compressor = compressorOf(output);
  const destination: Destination = await openDestination(output, io);
  let whole = false;
  try {
    for await (const chunk of compressor === null ? chunks : compressed(chunks, compressor)) {
      // The reader of standard output has closed it: the source is closed, and there is no error.
      if (!(await destination.write(chunk))) return;
      signal.throwIfAborted();
    }
    await destination.commit();
    whole = true;
  } finally {
    if (!whole) await destination.discard();
  }
}

/** A text as bytes of UTF-8. */
export function encodeText(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function withHint(error: GazetteError, { id }: RegisterDefinition, hint: string): GazetteError {
  return new GazetteError(error.code, `${error.message}; ${hint}`, {
    cause: error,
    details: { ...error.details, feed_id: id },
  });
}
