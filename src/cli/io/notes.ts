// The notes of an export on standard error: one line for each kind.
import type { Warning } from '../../formats/report.ts';
import { missingNote } from '../../import/mapping/hints.ts';
import type { IngestNotes } from '../../import/mapping/record-map.ts';
import type { ReaderNote } from '../../import/readers/reader-note.ts';
import { counted } from '../../register/counted.ts';

/** A stream for lines of text. */
export interface Lines {
  write(text: string): unknown;
}

/** The maximum number of properties that are named. */
const MAX_NAMED = 20;

const WORDS: Readonly<Record<Warning['code'], string>> = {
  replaced_characters: 'characters the format cannot carry were replaced by U+FFFD',
  cut_text: 'texts were cut at the format’s limit',
  value_as_text: 'values were written as text',
  link_as_text: 'links were written as text',
};

/** One line for each kind of change a format had to make. */
export function tellWarnings(warnings: readonly Warning[], lines: Lines): void {
  for (const { code, count, recordId } of warnings) {
    const first = recordId === null ? '' : `, first in ${recordId}`;
    warn(lines, `${WORDS[code]}: ${counted(count, 'time')}${first} (${code})`);
  }
}

/** What a reader found by itself: also to be told when the file was refused, because it may be the reason. */
export function tellFound(found: readonly ReaderNote[], lines: Lines): void {
  for (const { message } of found) lines.write(`gazette: note: ${message}\n`);
}

/**
 * Which properties of the input are left out because the definition does not declare them. An import keeps them, and has a finding
 * for them.
 */
export function tellUndeclared({ undeclared }: IngestNotes, lines: Lines): void {
  for (const [name, count] of [...undeclared].slice(0, MAX_NAMED)) {
    warn(lines, `left out, because the definition does not declare it: ${name} (in ${counted(count, 'record')})`);
  }
  const more = undeclared.size - MAX_NAMED;
  if (more > 0) warn(lines, `also left out: ${counted(more, 'other property', 'other properties')}`);
}

/** Numbers that lost digits, words for no value, and rules of the mapping that had no effect. */
export function tellNotes(notes: IngestNotes, lines: Lines): void {
  for (const [name, count] of notes.rounded) {
    warn(
      lines,
      `${name} shows fewer digits than were given (in ${counted(count, 'record')}); the type decimal shows them all`,
    );
  }
  const missing = missingNote(notes.missing);
  if (missing !== null) lines.write(`gazette: note: ${missing}\n`);
  for (const rule of notes.unusedRules) warn(lines, `--map ${rule} found nothing in any record`);
}

/** A warning for feeds: the oldest records are where readers look for the newest. */
export function tellOldestFirst(lines: Lines): void {
  warn(
    lines,
    'the dates show that the records run oldest first, but a feed begins with the newest: use --order oldest-first',
  );
}

function warn(lines: Lines, text: string): void {
  lines.write(`gazette: warning: ${text}\n`);
}
