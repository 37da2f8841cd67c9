// Asks before something that cannot be undone.
import { createInterface } from 'node:readline/promises';
import { GazetteError } from '../../errors.ts';
import type { Io } from './io.ts';

/**
 * Whether the user confirms.
 *
 * @throws GazetteError `usage` without a terminal: a script uses `--yes`.
 */
export async function confirm(io: Io, question: string): Promise<boolean> {
  if (!canAsk(io)) throw new GazetteError('usage', `${question} There is no terminal to ask on: pass --yes`);
  const terminal = createInterface({ input: io.stdin, output: io.stderr });
  try {
    return /^y(?:es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}

/** Whether there is a terminal to ask on. */
export function canAsk({ stdin, stderr }: Io): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}
