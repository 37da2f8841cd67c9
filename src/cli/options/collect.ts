// Options that may be given several times.

/** Adds the value of one more occurrence of an option to the earlier ones. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
