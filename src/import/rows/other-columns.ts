// Whether a file is most likely that of another register: it has none of the records, and few of the columns.
import { STATED_FIELDS } from '../../register/fields.ts';
import type { WholeFile } from '../proposals/absences.ts';
import type { Foreseen } from '../proposals/comparison.ts';
import { namesOf } from './renamed-columns.ts';
import { LOOKED_FOR, type Stated, statedBefore, statedFirst } from './said-again.ts';

/** With fewer records nothing is expected of a file. */
const LEAST = 11;

const CORE: ReadonlySet<string> = new Set(STATED_FIELDS);

/** The names under which the new records have values that none of the known ones has. Null: the file is as usual, or nothing can be said. */
export async function findOtherColumns(
  whole: WholeFile,
  { counts }: Pick<Foreseen, 'counts'>,
): Promise<readonly string[] | null> {
  const { store, feedId, hold } = whole;
  if (counts.added === 0 || counts.changed + counts.unchanged + counts.restored > 0) return null;
  const newest = await hold.ask(() => store.ids(feedId, { limit: LOOKED_FOR }));
  if (newest.length < LEAST) return null;
  const [before, first] = [await statedBefore(whole, newest.map(({ id }) => id)), statedFirst(whole)]; // prettier-ignore
  const [known, came] = [ownNames(before), ownNames(first)];
  const others = came.most.filter((name) => !known.all.has(name));
  const gone = known.most.filter((name) => !came.all.has(name));
  return others.length * 2 > came.most.length && gone.length * 2 > known.most.length ? others : null;
}

function ownNames(records: readonly Stated[]): ReturnType<typeof namesOf> {
  const { all, most } = namesOf(records);
  return { all, most: most.filter((name) => !CORE.has(name)) };
}
