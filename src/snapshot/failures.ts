// Failures of a run: those that end it, and those of single registers, which are told once the others are written.
import { GazetteError, quote } from '../errors.ts';

/** Whether an error ends the run: the others would meet it too. */
export function concernsAll(error: unknown): boolean {
  return error instanceof GazetteError && ['aborted', 'output_failed', 'snapshot_busy'].includes(error.code);
}

/** Why a register was not written, with its name. */
export function failureOf(feedId: string, error: unknown): GazetteError {
  const code = error instanceof GazetteError ? error.code : 'internal_error';
  const why = error instanceof Error ? error.message : String(error);
  return new GazetteError(code, `register ${quote(feedId)} was not written: ${why}`, {
    cause: error,
    details: { feed_id: feedId },
  });
}

/** The only failure, or the first with what is known of the others. */
export function failureOfAll(failures: readonly GazetteError[]): GazetteError {
  const first = failures[0]!;
  if (failures.length === 1) return first;
  const { code, details } = first;
  return new GazetteError(code, failures.map(({ message }) => message).join('; '), { cause: first, details });
}
