// What a run says of what it could not write: failures that end it, and those of single registers, told once the others are written.
import { GazetteError, quote } from '../errors.ts';

/** Whether an error ends the run: the others would meet it too. */
export function concernsAll(error: unknown): boolean {
  return error instanceof GazetteError && ['aborted', 'output_failed', 'snapshot_busy'].includes(error.code);
}

/** Why a register was not written, with its name. @param feedId null: the log of logs */
export function failureOf(feedId: string | null, error: unknown): GazetteError {
  const code = error instanceof GazetteError ? error.code : 'internal_error';
  const why = error instanceof Error ? error.message : String(error);
  const what = feedId === null ? 'the log of logs' : `register ${quote(feedId)}`;
  return new GazetteError(code, `${what} was not written: ${why}`, {
    cause: error,
    ...(feedId === null ? {} : { details: { feed_id: feedId } }),
  });
}

/** The only failure, or the first with what is known of the others. */
export function failureOfAll(failures: readonly GazetteError[]): GazetteError {
  const first = failures[0]!;
  if (failures.length === 1) return first;
  const { code, details } = first;
  return new GazetteError(code, failures.map(({ message }) => message).join('; '), { cause: first, details });
}
