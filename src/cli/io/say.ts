// The output of commands: messages for people on standard error, results on standard output.
import type { Io } from './io.ts';

/** Prints a message for people, on a line of standard error. */
export function say({ stderr }: Io, text: string): void {
  stderr.write(`gazette: ${text}\n`);
}

/** Prints a result as JSON, on a line of standard output. */
export function printJson({ stdout }: Io, answer: unknown): void {
  stdout.write(`${JSON.stringify(answer)}\n`);
}
