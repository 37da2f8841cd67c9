// Words of a command as a person can paste them into a shell.
import { escapeInvisibleForShell } from '../invisible.ts';

/**
 * A text as one word of a shell: in quotes where it has signs that mean something there. Where it has characters that
 * nobody sees, these are escapes, in the quotes that bash, zsh and ksh have for them.
 *
 * @example shellWord('a b') // "'a b'"
 */
export function shellWord(text: string): string {
  if (/^[\w=,.:/@%+-]+$/.test(text)) return text;
  if (escapeInvisibleForShell(text) === text) return `'${text.replaceAll("'", `'\\''`)}'`;
  return `$'${escapeInvisibleForShell(text.replace(/[\\']/g, '\\$&'))}'`;
}
