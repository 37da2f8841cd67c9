// What a command has to say: talk to people on standard error, answers for programs on standard output.

/** Tells people something, on a line of standard error. */
export function say(text: string): void {
  process.stderr.write(`gazette: ${text}\n`);
}

/** Prints an answer as JSON, on a line of standard output. */
export function printJson(answer: unknown): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
