// The error for a file or folder that cannot be written.
import { GazetteError, isGazetteError } from '../errors.ts';

/** The error `output_failed` for a destination that cannot be written, with the path in its message. */
export function outputFailed(path: string, error: unknown): GazetteError {
  return new GazetteError(
    'output_failed',
    `${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
    { cause: error, details: { output: path } },
  );
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
