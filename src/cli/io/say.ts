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

/** Prints names and values, a line each. */
export function printFields({ stdout }: Io, fields: readonly (readonly [name: string, value: unknown])[]): void {
  const lines = fields.map(([name, value]) => [printable(name), value] as const);
  const width = Math.max(...lines.map(([name]) => name.length));
  for (const [name, value] of lines) {
    const text = value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
    stdout.write(`${name.padEnd(width)}  ${printable(text)}`.trimEnd() + '\n');
  }
}

/** A publisher's text must not move the terminal's cursor. */
export function printable(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}
