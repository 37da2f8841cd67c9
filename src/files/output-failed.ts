// The error for a file or folder that cannot be written.
import { GazetteError, isGazetteError } from '../errors.ts';

/** The error for a destination that cannot be written: `output_failed`, in words that name the path. */
export function outputFailed(path: string, error: unknown): GazetteError {
  return new GazetteError(
    'output_failed',
    `${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
    { cause: error, details: { output: path } },
  );
}

/**
 * Does work that writes to a path.
 *
 * @throws GazetteError `output_failed` for what the file system refuses; a GazetteError of the work as it is.
 */
export async function writing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isGazetteError(error) ? error : outputFailed(path, error);
  }
}
