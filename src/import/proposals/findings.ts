// What is found in a file before anything is written. Each finding has a code; its register says whether it stops the import until its
// caller names it in `--accept`, is told as a warning, or is not told.
import { GazetteError, quote } from '../../errors.ts';
import { counted } from '../../register/counted.ts';
import { bareName, IgnoredColumns } from '../rows/ignored-columns.ts';
import { renamedWords } from '../rows/renamed-columns.ts';
import type { ExaminedImport, Finding } from './examined-import.ts';
import { type FINDING_ACTIONS, FINDINGS } from './finding-codes.ts';
import { EXAMPLES, type ReportedFinding } from './report.ts';
import { shellWord } from '../shell-word.ts';
import { warnings } from './warnings.ts';

/** So many records may be absent from a file, whatever their share. */
const MOST_ABSENT = 10;

/** So much of the live records may be absent, in percent, however many they are. */
const MOST_ABSENT_PERCENT = 10;

/** Of fewer known records all may change in the same way. */
const LEAST_KNOWN = 100;

/** In how many properties at most records change that differ in a time of download or a running number. */
const MOST_SAME = 2;

/** So many numbers, and more than so much of those that change, in percent, become ten times what they were; or all of them do. */
const LEAST_SHIFTED = 3;
const MOST_SHIFTED_PERCENT = 1;

type Action = (typeof FINDING_ACTIONS)[number];

/** A finding, and what is done with it. */
interface DecidedFinding extends Finding {
  readonly action: Action;
}

/**
 * All that was found, what stops the import first.
 *
 * @param actions what is done with findings where it is not the default
 */
export function findingsOf(
  examined: ExaminedImport,
  actions: Readonly<Record<string, string>>,
): readonly DecidedFinding[] {
  const found = [
    ...[renumbered(examined), absences(examined), sameField(examined), typeLost(examined), factor(examined)],
    keptByHand(examined),
    otherFile(examined),
    ...warnings(examined),
  ];
  const decided = found
    .filter((each) => each !== null)
    .map((each) => ({ ...each, action: (actions[each.code] ?? FINDINGS[each.code]) as Action }));
  return [...decided.filter(({ action }) => action === 'stop'), ...decided.filter(({ action }) => action === 'warn')];
}

/** The findings as a proposal reports them. */
export function reported(findings: readonly DecidedFinding[]): readonly ReportedFinding[] {
  return findings.map((finding) => {
    const { code, action, message, records, facts } = finding;
    const stops = action === 'stop';
    return {
      code,
      stops,
      message,
      ...(stops && { ways: waysOf(finding) }),
      ...(records !== undefined && { records }),
      ...(facts && { facts }),
    };
  });
}

/**
 * Why the import must not write unless the caller says so; null: it may.
 *
 * @returns the error, once the number is known under which it is kept; null: it is not
 */
export function refusalOf(
  findings: readonly DecidedFinding[],
  { feedId, file, options }: ExaminedImport,
): ((number: number | null) => GazetteError) | null {
  const stopping = findings.filter(({ code, action }) => action === 'stop' && !isAccepted(code, options));
  if (stopping.length === 0) return null;
  const reasons = stopping.map(sentence).join('; ');
  const details = Object.assign({}, ...stopping.map((each) => each.details)) as GazetteError['details'];
  return (number) => {
    const kept =
      number === null
        ? ''
        : `; kept as proposal ${number}: gazette imports show ${feedId} ${number} says what it would do`;
    return new GazetteError('import_stopped', `${file}: nothing was withdrawn or changed; ${reasons}${kept}`, {
      details: {
        ...{ feed_id: feedId, findings: stopping.map(({ code }) => code).join(',') },
        ...(number === null ? {} : { import: number }),
        ...details,
      },
    });
  };
}

function isAccepted(code: Finding['code'], { accept = [] }: ExaminedImport['options']): boolean {
  return accept.includes(code) || (code === 'kept-by-hand' && accept.includes('take-source'));
}

function keptByHand({ feedId, foreseen: { hand } }: ExaminedImport): Finding | null {
  const { asked, named } = hand;
  if (asked === 0) return null;
  const which = `${named.slice(0, EXAMPLES).join(', ')}${asked > EXAMPLES ? ' and others' : ''}`;
  return {
    code: 'kept-by-hand',
    message: `the file says something else of ${counted(asked, 'record')} of register ${quote(feedId)} than was set by hand or by an undo (${which})`,
    ways: ': --accept kept-by-hand keeps that, --accept take-source takes what the file says',
    details: { by_hand: asked },
    facts: { counts: { asked } },
    records: named,
  };
}

function otherFile({ feedId, otherColumns, foreseen: { counts } }: ExaminedImport): Finding | null {
  if (otherColumns === null) return null;
  const names = otherColumns.slice(0, EXAMPLES).map(quote).join(', ');
  return {
    code: 'other-file',
    message: `the file has none of the records of register ${quote(feedId)}, and most of its columns are others (${names}): is it the file of another register?`,
    facts: { counts: { added: counts.added }, items: otherColumns.slice(0, EXAMPLES).map((name) => ({ name })) },
  };
}

function sentence(finding: Finding): string {
  return finding.message + waysOf(finding);
}

function waysOf({ code, ways }: Finding): string {
  return ways ?? `: say with --accept ${code} that it is meant`;
}

function renumbered({ isRenumbered, renamed, otherKeys, feedId }: ExaminedImport): Finding | null {
  const finding = { code: 'renumbered' } as const;
  if (renamed !== null) {
    const [came, went] = [renamed.came.join(', '), renamed.went.join(', ')];
    return { ...finding, ...renamedWords(renamed), details: { came, went } };
  }
  if (isRenumbered) {
    const message = `other columns are ignored than before, so that every row of register ${quote(feedId)} gets another key and is a new record`;
    return { ...finding, message, ways: ', which is done only where --accept renumbered says that it is meant' };
  }
  if (otherKeys === null) return null;
  const { again, lookedFor } = otherKeys;
  const examples = again.slice(0, EXAMPLES).map(({ id, key }) => `${id} is ${quote(key)} now`);
  return {
    ...finding,
    message: `${again.length} of ${lookedFor} records that the file lacks come anew under other keys, and say the same: ${examples.join(', ')}`,
    ways: `; where they are the same records, give these the new keys with gazette record renumber ${feedId} --map FILE, a table of old and new keys, or say with --accept renumbered that they are meant to be other records`,
    details: { again: again.length },
    facts: { counts: { again: again.length, sought: lookedFor } },
    records: again.map(({ id }) => id),
  };
}

function absences({
  feedId,
  options,
  absent,
  live,
  foreseen,
  isRenumbered,
  otherKeys,
}: ExaminedImport): Finding | null {
  const { added, restored } = foreseen.counts;
  // Where the keys are made of the rows, a row that changed is absent, and another one is new.
  const renumbered = otherKeys === null ? 0 : Math.round((absent * otherKeys.again.length) / otherKeys.lookedFor);
  const others = options.key === 'row' ? added + restored : renumbered;
  const lost = absent - others;
  if (isRenumbered || lost <= MOST_ABSENT || lost * 100 <= live * MOST_ABSENT_PERCENT) return null;
  const instead = others === 0 ? '' : ` and has only ${counted(others, 'other')} instead`;
  const lacks = `the file lacks ${absent.toLocaleString('en-US')} of the ${counted(live, 'live record')}`;
  return {
    code: 'absences',
    message: `${lacks} of register ${quote(feedId)}${instead}`,
    ways: `, and more than ${MOST_ABSENT} that are more than ${MOST_ABSENT_PERCENT} % are withdrawn only where --accept absences says that it is meant`,
    details: { absent, live },
    facts: { counts: { absent, live } },
  };
}

/** A time of download, or a running number, makes a new version of every record with each import. */
function sameField({ options, columns, plan, foreseen, corrected, absent }: ExaminedImport): Finding | null {
  const { counts } = foreseen;
  const changedFields = foreseen.fields.counts;
  const { found = 0, compared = 1 } = corrected ?? {};
  const changed = counts.changed + Math.round((absent * found) / compared);
  const known = changed + counts.unchanged;
  const fields = [...changedFields.keys()];
  const isSame = fields.length <= MOST_SAME && [...changedFields.values()].includes(counts.changed + found);
  if (options.cause === 'extraction_correction' || known < LEAST_KNOWN || changed * 2 <= known || !isSame) return null;
  const ignored = fields.map((field) =>
    columns.find((column) => new IgnoredColumns([bareName(column)]).filled(plan).has(field)),
  );
  const names = ignored.map((column) => column?.replaceAll(',', '\\,') ?? '');
  const ignore = names.includes('')
    ? ''
    : `ignore it with --ignore ${shellWord(names.join(','))} if it says nothing of the records, or `;
  return {
    code: 'same-field',
    message: `${changed.toLocaleString('en-US')} of ${counted(known, 'known record')} would change, all of them in ${fields.join(' and ')}`,
    ways: `: ${ignore}say with --accept same-field that it is meant`,
    details: { changed, known, fields: fields.join(', ') },
    facts: { counts: { changed, known }, items: fields.map((name) => ({ name })) },
  };
}

function typeLost({ lostTypes }: ExaminedImport): Finding | null {
  if (lostTypes.length === 0) return null;
  const columns = lostTypes.map(({ label, type, count, fitting, examples }) => {
    const all = (count + fitting).toLocaleString('en-US');
    return `${count.toLocaleString('en-US')} of ${all} values of ${quote(label)} are no ${type} (${examples.map(quote).join(', ')})`;
  });
  const ways =
    ': say how the file is written (--decimal-comma, --date-format, --missing), give the field another type with gazette register ' +
    'retype, or say with --accept type-lost that these rows are left out';
  const items = lostTypes.map(({ label: name, count, examples }) => ({ name, count, examples }));
  const details = { columns: lostTypes.length };
  return { code: 'type-lost', message: columns.join(', and '), ways, details, facts: { counts: {}, items } };
}

/** A decimal point or comma that was lost makes numbers ten, a hundred or a thousand times what they were. */
function factor({ options, foreseen }: ExaminedImport): Finding | null {
  if (options.cause === 'extraction_correction') return null;
  const { numbers, shifted } = foreseen.fields;
  const fields = [...shifted.fields];
  const count = fields.reduce((sum, [, each]) => sum + each, 0);
  const isMany = count >= LEAST_SHIFTED && count * 100 > numbers * MOST_SHIFTED_PERCENT;
  if (!isMany && (count === 0 || count < numbers)) return null;
  const examples = shifted.examples
    .slice(0, EXAMPLES)
    .map(({ record_id: id, before, after }) => `${id}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`);
  return {
    code: 'factor',
    message:
      `${count.toLocaleString('en-US')} of ${counted(numbers, 'number')} that change would be 10, 100 or 1,000 times what they were, ` +
      `or such a part, in ${fields.map(([name]) => name).join(', ')} (${examples.join(', ')})`,
    ways: ': look for a lost decimal point or comma, or say with --accept factor that it is meant',
    details: { shifted: count, numbers },
    facts: { counts: { shifted: count, numbers }, items: fields.map(([name, each]) => ({ name, count: each })) },
    records: [...new Set(shifted.examples.map(({ record_id: id }) => id))],
  };
}
