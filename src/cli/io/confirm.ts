// Asks before something that cannot be undone.
import { createInterface } from 'node:readline/promises';
import { GazetteError } from '../../errors.ts';

/**
 * Whether the user confirms.
 *
 * @throws GazetteError `usage` without a terminal: a script uses `--yes`.
 */
export async function confirm(question: string): Promise<boolean> {
  if (!canAsk()) throw new GazetteError('usage', `${question} There is no terminal to ask on: pass --yes`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}

/** Whether there is a terminal to ask on. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}
