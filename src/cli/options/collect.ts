// Options that may be given several times.

/** Adds what one more occurrence of an option says to what the earlier ones said. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
