// What an export has to tell besides its data, on standard error: one line for each kind of thing.
import type { Warning, WarningCode } from '../../formats/report.ts';
import type { IngestNotes } from '../../import/opened-records.ts';
import { counted } from '../../register/counted.ts';

/** Anything lines can be written to. */
export interface Lines {
  write(text: string): unknown;
}

/** The most properties named one by one. */
const MAX_NAMED = 20;

const WORDS: Readonly<Record<WarningCode, string>> = {
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

/** What of the input is not in the output, and which rules of the mapping did nothing. */
export function tellNotes(notes: IngestNotes, lines: Lines): void {
  const leftOut = [...notes.leftOut];
  for (const [name, count] of leftOut.slice(0, MAX_NAMED)) {
    warn(lines, `left out, because the definition does not declare it: ${name} (in ${counted(count, 'record')})`);
  }
  if (leftOut.length > MAX_NAMED) {
    warn(lines, `also left out: ${counted(leftOut.length - MAX_NAMED, 'other property', 'other properties')}`);
  }
  for (const rule of notes.unusedRules) warn(lines, `--map ${rule} found nothing in any record`);
}

/** What a feed's readers would see wrong: the oldest records, where they look for the newest. */
export function tellOldestFirst(lines: Lines): void {
  warn(
    lines,
    'the dates show that the records run oldest first, but a feed begins with the newest: use --order oldest-first',
  );
}

function warn(lines: Lines, text: string): void {
  lines.write(`gazette: warning: ${text}\n`);
}
