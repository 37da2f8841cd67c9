// Numbers with their nouns, for people.

/**
 * A number with its noun.
 *
 * @param many the plural, where it is not `one` with an s
 * @example counted(1, 'record') // '1 record'
 * @example counted(1404, 'record') // '1,404 records'
 */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${Math.round(count).toLocaleString('en-US')} ${count === 1 ? one : many}`;
}
