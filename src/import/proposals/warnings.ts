// Findings that warn unless the register says otherwise: what a person should look at, and what is right often enough.
import { quote } from '../../errors.ts';
import { counted } from '../../register/counted.ts';
import type { ExaminedImport, Finding } from './examined-import.ts';
import { LOOKED_AT } from './file-values.ts';
import { EXAMPLES } from './report.ts';

/** With so many imports before a file is compared. */
const LATEST = 5;

/** Of files with fewer rows nothing is expected. */
const LEAST_ROWS = 10;

const NUMBERS: ReadonlySet<string> = new Set(['number', 'decimal', 'integer']);

/** So many columns are named. */
const MOST_NAMED = 20;

/** What is told. */
export function warnings(examined: ExaminedImport): readonly (Finding | null)[] {
  return [similarIds, oddDates, fewerRows, earlierFile, unclearNumbers, columnWithoutField].map((look) =>
    look(examined),
  );
}

function similarIds({ similar }: ExaminedImport): Finding | null {
  if (similar.length === 0) return null;
  const examples = similar.slice(0, EXAMPLES).map(([added, known]) => `${quote(added)} beside ${quote(known)}`);
  const message = `${counted(similar.length, 'new id')} differ${similar.length === 1 ? 's' : ''} from known ones in case, spaces or Unicode form alone: ${examples.join(', ')}`;
  const items = similar.slice(0, EXAMPLES).map(([name, known]) => ({ name, examples: [known] }));
  return { code: 'similar-ids', message, facts: { counts: { ids: similar.length }, items } };
}

function oddDates({ values: { oddDates: dates } }: ExaminedImport): Finding | null {
  if (dates.size === 0) return null;
  const fields = [...dates].map(([field, { count, examples }]) => {
    return `${field} (in ${counted(count, 'record')}: ${examples.map(quote).join(', ')})`;
  });
  const items = Array.from(dates, ([name, { count, examples }]) => ({ name, count, examples }));
  return {
    ...{ code: 'odd-dates', message: `dates before 1900 or in the future: ${fields.join(', ')}` },
    facts: { counts: {}, items },
  };
}

function fewerRows({ foreseen, refused, earlier }: ExaminedImport): Finding | null {
  const { added, changed, unchanged, restored, redacted } = foreseen.counts;
  const rows = added + changed + unchanged + restored + redacted + refused;
  const before = earlier.slice(0, LATEST).map(({ counts }) => {
    return counts.added + counts.changed + counts.unchanged + counts.restored + counts.redacted + counts.refused;
  });
  const fewest = Math.min(...before);
  if (before.length === 0 || fewest < LEAST_ROWS || rows * 2 > fewest) return null;
  const which = before.length === 1 ? 'the file before had' : `each of the last ${before.length} files had at least`;
  return {
    code: 'fewer-rows',
    message: `the file has ${counted(rows, 'row')}; ${which} ${fewest.toLocaleString('en-US')}`,
    facts: { counts: { rows, fewest } },
  };
}

/** The bytes alone are compared: what a file says of its own date is nothing that all files have. */
function earlierFile({ earlier, digest }: ExaminedImport): Finding | null {
  if (digest === null) return null;
  const at = earlier.findIndex((entry) => entry.digest !== null && Buffer.compare(entry.digest, digest) === 0);
  if (at < 1) return null;
  const { number, begunAt } = earlier[at]!;
  const message = `the file is that of import ${number} (${begunAt.slice(0, 10)}), after which ${counted(at, 'other')} came`;
  return {
    ...{ code: 'earlier-file', message: `${message}, import ${earlier[0]!.number} last` },
    facts: { counts: { number, later: at } },
  };
}

/** What was said of the sign holds; of a register without fields, only those are numbers that were found to be. */
function unclearNumbers({ options, plan, values: { unclearNumbers } }: ExaminedImport): Finding | null {
  if (options.decimalComma !== undefined) return null;
  const found = new Map(plan.found()?.map(({ field }) => [field.name, field.type]));
  const fields = [...unclearNumbers].filter(([name]) => NUMBERS.has(found.get(name) ?? 'number'));
  if (fields.length === 0) return null;
  const items = fields.map(([name, { count, examples }]) => ({
    ...{ name: `data.${name}`, count },
    examples: examples.map((text) => `${text} → ${plan.forms.forType('number', text)}`),
  }));
  const said = items.map(
    ({ name, count, examples }) => `${name} (in ${counted(count, 'record')}: ${examples.join(', ')})`,
  );
  return {
    code: 'unclear-numbers',
    message: `numbers such as 1,234, and nothing in the first ${counted(LOOKED_AT, 'row')} shows whether the sign marks decimals or thousands: ${said.join(', ')}; --decimal-comma reads the comma as that of decimals`,
    facts: { counts: { rows: LOOKED_AT }, items },
  };
}

function columnWithoutField({ notes }: ExaminedImport): Finding | null {
  const columns = [...notes.undeclared];
  if (columns.length === 0) return null;
  const named = columns.slice(0, MOST_NAMED).map(([name, count]) => `${name} (in ${counted(count, 'record')})`);
  const more = columns.length > MOST_NAMED ? `, and ${counted(columns.length - MOST_NAMED, 'other')}` : '';
  return {
    code: 'column-without-field',
    message: `kept, not shown, because the definition does not declare it: ${named.join(', ')}${more}; proofs and statement=1 have it, and --ignore keeps it out`,
    facts: { counts: {}, items: columns.slice(0, MOST_NAMED).map(([name, count]) => ({ name, count })) },
  };
}
