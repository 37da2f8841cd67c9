// Words of a command as a person can paste them into a shell.

/** A text as one word of a POSIX shell: in quotes where it has signs that mean something there. */
export function shellWord(text: string): string {
  return /^[\w=,.:/@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
