// The notes of an export on standard error: one line for each kind.
import type { Warning } from '../../formats/report.ts';
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
 * Which properties of the input the definition does not declare, and which rules of the mapping had no effect.
 *
 * @param what `kept, not shown` for an import, whose statements keep them; `left out` for an export.
 */
export function tellNotes(notes: IngestNotes, what: 'kept, not shown' | 'left out', lines: Lines): void {
  const undeclared = [...notes.undeclared];
  for (const [name, count] of undeclared.slice(0, MAX_NAMED)) {
    warn(lines, `${what}, because the definition does not declare it: ${name} (in ${counted(count, 'record')})`);
  }
  if (undeclared.length > MAX_NAMED) {
    warn(lines, `also ${what}: ${counted(undeclared.length - MAX_NAMED, 'other property', 'other properties')}`);
  }
  for (const [name, count] of notes.rounded) {
    warn(
      lines,
      `${name} shows fewer digits than were given (in ${counted(count, 'record')}); the type decimal shows them all`,
    );
  }
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
