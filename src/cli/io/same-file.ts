// Refuses to write a document over the file that it is made from: the publisher's file would be gone.
import { type BigIntStats, fstatSync, statSync } from 'node:fs';
import { GazetteError } from '../../errors.ts';
import { isStandardOutput } from './destination.ts';
import { type Io, NO_FILE } from './io.ts';

/**
 * Both paths are as the user gave them; undefined or `-` is standard input or output, which may be a file too. Links of
 * either kind lead to the file they mean.
 *
 * @throws GazetteError `usage` when both are the same file
 */
export function checkNotSameFile(input: string | undefined, output: string | undefined, io: Io): void {
  const from = identity(() =>
    input === undefined || input === '-'
      ? fstatSync(io.stdin.fd ?? NO_FILE, { bigint: true })
      : statSync(input, { bigint: true }),
  );
  const to = identity(() =>
    isStandardOutput(output)
      ? fstatSync(io.stdout.fd ?? NO_FILE, { bigint: true })
      : statSync(output, { bigint: true }),
  );
  if (from === null || from !== to) return;
  throw new GazetteError(
    'usage',
    `the output is the input file ${input ?? 'of standard input'}, which would be lost; write to another file`,
  );
}

/** The identity of a regular file. One that cannot be looked at is reported when it is opened. */
function identity(stat: () => BigIntStats): string | null {
  try {
    const stats = stat();
    return stats.isFile() ? `${stats.dev}:${stats.ino}` : null;
  } catch {
    return null;
  }
}
