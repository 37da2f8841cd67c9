// What `gazette init` is going to do with a file: its guess, and the register made of it. Questions change the guess until
// the user accepts it.
import { GazetteError, isGazetteError, quote } from '../../../errors.ts';
import type { FileGuess } from '../../../import/from-file/guess-file.ts';
import {
  ACCESS,
  type Access,
  planFor,
  type RegisterOptions,
  type RegisterPlan as Plan,
} from '../../../import/from-file/register-plan.ts';
import { parseMapping } from '../../../import/mapping/mapping.ts';
import { type Place, placeAt } from '../../../import/readers/value-path.ts';
import { counted } from '../../../register/counted.ts';
import { isFeedId } from '../../../register/definition.ts';
import { UNKNOWN_SOURCE } from '../../../register/url.ts';
import type { Io } from '../../io/io.ts';
import type { Questions } from '../../io/questions.ts';
import { describeFirst, describeFound, guessing } from '../import/guess.ts';

/** The two in words. */
const WHO = 'open (everybody), or tiered (the latest three records for all, the others with a key)';

/** The fields that are asked for, in the words of the questions. */
const ASKED: readonly (readonly [field: string, question: string])[] = [
  ['id', 'The column of the id'],
  ['title', 'The column of the title'],
  ['published_at', 'The column of the date of publication'],
  ['source_url', 'The source of a record: a column, or an address with {column}'],
];

/** Shows what was found. */
export function showPlan({ file, answer, feedId, title, access }: Plan, io: Io): void {
  const made = `The register ${feedId}, ${quote(title)}, is made of ${counted(answer.records - answer.refused, 'record')}. ${access === 'open' ? 'Everybody may read all of it.' : 'Everybody may read the latest three, and all who have a key the others.'}`;
  io.stderr.write(`${[describeFound(file, answer), describeFirst(answer), made].join('\n\n')}\n\n`);
}

/**
 * Asks for what may be otherwise. Each answer is tried at once: one that does not fit the file is asked for again, and those
 * before it stay.
 *
 * @throws GazetteError `aborted` when the input ends; those of {@link planFor}
 */
export async function askPlan(
  plan: Plan,
  options: RegisterOptions,
  questions: Questions,
  io: Io,
  signal: AbortSignal,
): Promise<Plan> {
  const read = guessing(plan.file, io, signal);
  io.stderr.write('Press Enter to accept what is in brackets.\n');
  const ask = async <T>(question: string, otherwise: string, check: (answer: string) => T | Promise<T>): Promise<T> => {
    for (;;) {
      const answer = await questions.ask(question, otherwise);
      try {
        return await check(answer);
      } catch (error) {
        if (!isGazetteError(error) || error.code === 'aborted') throw error;
        io.stderr.write(`${error.message}\n`);
      }
    }
  };
  const feedId = options.feedId ?? (await ask('The id of the register, for its address', plan.feedId, checkFeedId));
  const title = options.title ?? (await questions.ask('The title of the register', plan.title));
  const access = options.access ?? (await ask(`Who may read it: ${WHO}`, plan.access, checkAccess));
  const given = new Set(parseMapping(options.map).map(({ target }) => target));
  let found: Plan = { ...plan, title, access };
  let map: readonly string[] = [];
  for (const [field, question] of ASKED.filter(([name]) => !given.has(name))) {
    const guessed = found.answer.map.find((rule) => rule.startsWith(`${field}=`))?.slice(field.length + 1) ?? '';
    const isUnknown = field === 'source_url' && guessed.includes(UNKNOWN_SOURCE);
    const isOfRow = field === 'id' && found.answer.key === 'row';
    const enter = isUnknown
      ? '; Enter says that it is not known'
      : isOfRow
        ? '; Enter makes the key of the whole row'
        : '';
    const said = question + enter;
    found = await ask(said, guessed, async (source) => {
      const rules = source === '' ? map : [...map, `${field}=${source}`];
      if (source !== guessed) {
        checkColumns(`${field}=${source}`, found.answer);
        const tried = { ...options, feedId, title, access, map: [...options.map, ...rules] };
        const next = await planFor(plan.file, tried, read);
        if (next.answer.refused > found.answer.refused) throw refusing(next);
        map = rules;
        return next;
      }
      map = rules;
      return found;
    });
  }
  if (found.feedId !== feedId) {
    found = await planFor(plan.file, { ...options, feedId, title, access, map: [...options.map, ...map] }, read);
  }
  if (found.answer !== plan.answer) showPlan(found, io);
  return found;
}

function checkFeedId(feedId: string): string {
  if (isFeedId(feedId)) return feedId;
  throw new GazetteError(
    'usage',
    `${quote(feedId)} is no id: expected 1 to 64 of a-z, 0-9 and -, not beginning with -`,
  );
}

function checkAccess(written: string): Access {
  const access = ACCESS.find((one) => one.startsWith(written.toLowerCase()));
  if (access !== undefined && written !== '') return access;
  throw new GazetteError('usage', `${quote(written)} is none of ${ACCESS.join(' and ')}`);
}

/** @throws GazetteError `invalid_mapping` for a column that the file does not have; it names those that it has */
function checkColumns(rule: string, { columns }: FileGuess['answer']): void {
  const file = Object.fromEntries(columns.map(({ name }) => [name, true]));
  // Of a path inside of an object, the object is a column.
  const isThere = (place: Place): boolean =>
    placeAt(file, place) !== undefined || placeAt(file, { path: place.path.slice(0, 1), column: null }) !== undefined;
  for (const { written, source } of parseMapping([rule])) {
    const places =
      source.kind === 'path'
        ? [source.place]
        : source.template.parts.flatMap((part) =>
            typeof part === 'object' && part.fallback === null ? [part.place] : [],
          );
    if (places.every(isThere)) continue;
    throw new GazetteError(
      'invalid_mapping',
      `${quote(written)} names no column of the file; there are ${Object.keys(file).map(quote).join(', ')}`,
    );
  }
}

/** What the first record lacks that would be refused. */
function refusing({ answer }: Plan): GazetteError {
  const [first] = answer.remarks.filter((remark) => remark.startsWith('an import would refuse'));
  return new GazetteError('invalid_mapping', first ?? `an import would refuse ${counted(answer.refused, 'record')}`);
}
