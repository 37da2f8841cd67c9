// What `gazette import` says of an import on standard error, or is refused with.
import type { ImportResult } from '../../../import/import-options.ts';
import { correctedWords, type ReportedFinding } from '../../../import/proposals/report.ts';
import { counted } from '../../../register/counted.ts';
import type { Io } from '../../io/io.ts';
import { allRefused } from '../../io/rejects-file.ts';
import { say } from '../../io/say.ts';

/** @throws GazetteError `invalid_input` where every record was refused */
export function checkTaken(
  name: string,
  { refused, added, changed, unchanged, restored, redacted }: ImportResult,
): void {
  if (refused === 0 || added + changed + unchanged + restored + redacted > 0) return;
  throw allRefused(name, refused);
}

/** Without an identifier, nothing tells a row that stayed from one that came again. */
export function tellAccumulation(io: Io, { unchanged, restored }: ImportResult): void {
  const equal = unchanged + restored;
  const known =
    equal === 0
      ? ''
      : `; ${counted(equal, 'row')} of this file ${equal === 1 ? 'is' : 'are'} equal to earlier ones, and no new ${equal === 1 ? 'record' : 'records'}`;
  say(io, `the rows of all files accumulate${known} (use --withdraw-missing where each file has all rows)`);
}

/** What readers still see although the file says something else, which could not be read. */
export function tellStaying(io: Io, { staying, nameless }: ImportResult, isDryRun: boolean): void {
  const stay = `${isDryRun ? 'would ' : ''}stay${staying === 1 && !isDryRun ? 's' : ''}`;
  const known = `${counted(staying, 'published record')} ${stay} as before, because the rows with ${staying === 1 ? 'its id' : 'their ids'} were refused`;
  const unknown =
    nameless === 1
      ? '1 refused row has no id that can be read: if its record is published, it stays as before'
      : `${counted(nameless, 'refused row')} have no id that can be read: those of their records that are published stay as before`;
  const said = [...(staying > 0 ? [known] : []), ...(nameless > 0 ? [unknown] : [])];
  if (said.length > 0) say(io, said.join('; '));
}

/** What was found in the file and does not stop the import. */
export function tellFindings(io: Io, { report }: ImportResult): void {
  for (const { message } of report.findings.filter(({ stops }) => !stops)) say(io, `warning: ${message}`);
}

/** Which withdrawn records come anew with other values. */
export function tellCorrected(io: Io, { report }: ImportResult): void {
  const words = correctedWords(report);
  if (words !== null) say(io, words);
}

/** In which order the file was read, where that is not what one expects. */
export function tellOrder(io: Io, { order, orderFrom, orderOfDates }: ImportResult): void {
  if (orderFrom === 'nothing') {
    say(io, 'no two dates in the file differ; it is read oldest first (use --order to change this)');
  } else if (orderFrom === 'dates') {
    say(io, `the file is read ${order}, as its dates show; later imports do the same (use --order to change this)`);
  } else if (order !== 'by-date' && orderOfDates !== null && orderOfDates !== order) {
    say(io, `warning: the file is read ${order}, but its dates run ${orderOfDates} (use --order to choose)`);
  }
}

/** A finding as `--json` prints it. */
export function findingAnswer({
  code,
  stops,
  message,
  ways = '',
  records,
}: ReportedFinding): Pick<ReportedFinding, 'code' | 'stops' | 'message' | 'records'> {
  return { code, stops, message: message + ways, ...(records !== undefined && { records }) };
}
