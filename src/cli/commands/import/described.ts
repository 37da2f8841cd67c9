// How a CSV is read where somebody describes it: `--schema`, or the datapackage.json beside it.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { GazetteError, quote } from '../../../errors.ts';
import { systemReason } from '../../../files/output-failed.ts';
import type { FileOptions } from '../../../import/from-file/file-options.ts';
import { chosenFormat } from '../../../import/from-file/open-file.ts';
import { type DescribedFile, describedFile } from '../../../import/from-file/table-schema.ts';
import type { Io } from '../../io/io.ts';
import { say } from '../../io/say.ts';
import { parseJson } from '../../options/definition-file.ts';

/** The description that publishers put beside a file (Frictionless, Data Package). */
const BESIDE = 'datapackage.json';

/**
 * What is said of a file; null: nothing. It is told when nobody named the description.
 *
 * @throws GazetteError `invalid_input` for a description that cannot be read, or is not of this file
 */
export async function describedBy(
  file: string,
  { schema, format }: FileOptions & { readonly schema?: string },
  io: Io,
): Promise<DescribedFile | null> {
  const path = schema ?? join(dirname(file), BESIDE);
  const isBeside = schema === undefined;
  if (isBeside && (chosenFormat(file, format, '--format') !== 'csv' || !existsSync(path))) return null;
  const refuse = (reason: string, cause?: unknown): GazetteError =>
    new GazetteError('invalid_input', `${path} ${reason}`, { cause, details: { input: path } });
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw refuse(`cannot be read: ${systemReason(cause)}`, cause);
  });
  const described = describedFile(parseJson(path, text, refuse), basename(file), { where: path, isNamed: !isBeside });
  if (described === null && !isBeside) throw refuse(`describes no file ${quote(basename(file))}`);
  if (described !== null && isBeside)
    say(io, `the file is read as ${path} describes it; what an option says is read so`);
  return described;
}

/** Options, and what is said of the file where they say nothing. */
export function readAs<Read extends FileOptions>(options: Read, described: DescribedFile | null): Read {
  if (described === null) return options;
  const { missing, headerRow, ...reading } = described.reading;
  const said = Object.entries(options).filter(([name, value]) => value !== undefined && (name !== 'header' || !value));
  return {
    ...(headerRow === undefined || options.header === false ? reading : { ...reading, headerRow }),
    ...(Object.fromEntries(said) as unknown as Read),
    missing: [...missing, ...(options.missing ?? [])],
  };
}
