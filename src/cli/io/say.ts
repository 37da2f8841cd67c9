// The output of commands: messages for people on standard error, results for programs on standard output.

/** Prints a message for people, on a line of standard error. */
export function say(text: string): void {
  process.stderr.write(`gazette: ${text}\n`);
}

/** Prints a result as JSON, on a line of standard output. */
export function printJson(answer: unknown): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
