// Whether rows came anew because their columns have other names, or are more or fewer (`--key row`): then they say in all
// other columns what the withdrawn records say. Rows that are others under the same columns do not.
import { quote } from '../../errors.ts';
import { counted } from '../../register/counted.ts';
import { statementNames } from '../../register/declared-values.ts';
import type { WholeFile } from '../proposals/absences.ts';
import { asciiName } from '../mapping/field-name.ts';
import type { OpenedRecords } from '../opened-records.ts';
import { shellWord } from '../shell-word.ts';
import { findAgain, LOOKED_FOR, type Stated, statedBefore, statedFirst, type Values } from './said-again.ts';

/** So many live records, and so much of them, in percent, are withdrawn at least. */
const LEAST_WITHDRAWN = 11;
const MORE_THAN_PERCENT = 90;

/** The columns that one of two files alone has. Where they are none, a rule reads the column, or values are written otherwise. */
export interface RenamedColumns {
  readonly came: readonly string[];
  readonly went: readonly string[];
  /** How many live records would be withdrawn. */
  readonly withdrawn: number;
  /** The columns that are ignored. */
  readonly ignored: readonly string[];
}

/**
 * The columns by which the records that the file lacks, nearly all of a register whose keys are made of rows, differ from
 * those that are new. Null where they differ in anything else. Call it once what becomes of the records is known.
 *
 * @param live the number of live records
 */
export async function findRenamed(
  whole: WholeFile,
  { plan, columns }: OpenedRecords,
  live: number,
): Promise<RenamedColumns | null> {
  const { staging, options } = whole;
  const withdrawn = staging.lacking;
  const isAll = withdrawn >= LEAST_WITHDRAWN && withdrawn * 100 > live * MORE_THAN_PERCENT;
  if (options.key !== 'row' || !isAll || options.accept?.includes('renumbered') === true) return null;
  const [ids = []] = staging.lacked(LOOKED_FOR);
  const before = await statedBefore(whole, ids);
  const [earlier, later] = [namesOf(before), namesOf(statedFirst(whole))];
  const common = [...earlier.all].filter((name) => later.all.has(name));
  const inCommon = (values: Values): string => JSON.stringify(common.map((name) => values.get(name) ?? null));
  const sought = before.map(({ values }) => inCommon(values));
  const found = await findAgain(whole, sought, inCommon);
  if (sought.filter((text) => found.get(text)!.length > 0).length * 2 <= before.length) return null;
  const { fields } = plan.definition;
  const columnOf = (name: string): string => columns.find((column) => asciiName(column) === name) ?? name;
  const labelOf = (name: string): string => fields.find((field) => statementNames(field).includes(name))?.label ?? name;
  // A column without a letter of ASCII gives its values the name of its place, whatever its own is.
  const isPlaced = (column: string): boolean => asciiName(column) === null && !plan.isTaken(column);
  const labels = fields.map(({ label }) => label);
  const came = [
    ...without(later.most, earlier.all).map(columnOf),
    ...without(columns.filter(isPlaced), new Set(labels)),
  ];
  const went = [
    ...without(earlier.most, later.all).map(labelOf),
    ...without(labels.filter(isPlaced), new Set(columns)),
  ];
  return { came: [...new Set(came)], went: [...new Set(went)], withdrawn, ignored: [...plan.ignored.names] };
}

/** What was found, and what can be done. */
export function renamedWords({ came, went, withdrawn, ignored }: RenamedColumns): {
  readonly message: string;
  readonly ways: string;
} {
  const named = (names: readonly string[]): string => names.map(quote).join(', ');
  const others = [
    ...(went.length === 0 ? [] : [`without ${named(went)}`]),
    ...(came.length === 0 ? [] : [`with ${named(came)}`]),
  ];
  const how =
    others.length === 0
      ? 'but a column that --map reads has another name, or its values are written in another way'
      : `in other columns (${others.join(', ')})`;
  const names = [...ignored, ...came].map((column) => column.replaceAll(',', '\\,'));
  const back =
    went.length === 0 && came.length > 0
      ? `ignore what is new with --ignore ${shellWord(names.join(','))}`
      : 'write the file as it was before';
  return {
    message:
      `the rows say what they said before, ${how}, so that ${counted(withdrawn, 'live record')} would be withdrawn and come anew ` +
      'under other keys',
    ways: `: ${back}, or say with --accept renumbered that it is meant`,
  };
}

/** The names that records have values under, and those that most of them have. */
export function namesOf(records: readonly Stated[]): {
  readonly all: ReadonlySet<string>;
  readonly most: readonly string[];
} {
  const counts = new Map<string, number>();
  for (const { values } of records) for (const name of values.keys()) counts.set(name, (counts.get(name) ?? 0) + 1);
  const most = [...counts].filter(([, count]) => count * 2 > records.length).map(([name]) => name);
  return { all: new Set(counts.keys()), most };
}

function without(names: readonly string[], others: ReadonlySet<string>): readonly string[] {
  return names.filter((name) => !others.has(name));
}
