// What errors of the file system mean, and the error for a file or folder that cannot be written.
import { GazetteError, isGazetteError } from '../errors.ts';

/** The usual errors of the system, in plain words. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EISDIR: 'it is a folder',
  EEXIST: 'a file of that name is there already',
  ENOTDIR: 'a part of the path is no folder',
  EACCES: 'this user has no permission',
  ENOSPC: 'the disk is full',
};

/** Why the system could not do something with a file, for messages that name the file. */
export function systemReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return ('code' in error ? REASONS[String(error.code)] : undefined) ?? error.message;
}

/** The error `output_failed` for a destination that cannot be written, with the path in its message. */
export function outputFailed(path: string, error: unknown): GazetteError {
  return new GazetteError('output_failed', `${path} cannot be written: ${systemReason(error)}`, {
    cause: error,
    details: { output: path },
  });
}

/**
 * Runs work that writes to a path.
 *
 * @throws GazetteError `output_failed` for errors of the file system; a GazetteError of the work unchanged.
 */
export async function writing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isGazetteError(error) ? error : outputFailed(path, error);
  }
}
