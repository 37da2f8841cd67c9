// A question before something that cannot be undone. Only people are asked: in a pipe the command itself is the answer.
import { createInterface } from 'node:readline/promises';

/** Whether the user says yes; true without asking where there is no terminal to ask on. */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return true;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
