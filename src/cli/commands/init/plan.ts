// What `gazette init` is going to do with a file: its guess, and the register made of it. Questions change the guess until
// the user accepts it.
import { basename } from 'node:path';
import { quote } from '../../../errors.ts';
import { parseMapping } from '../../../import/mapping/mapping.ts';
import { withPlainLetters } from '../../../nearest.ts';
import { counted } from '../../../register/counted.ts';
import { UNKNOWN_SOURCE } from '../../../register/url.ts';
import type { Io } from '../../io/io.ts';
import type { Questions } from '../../io/questions.ts';
import type { FileOptions } from '../import/file-options.ts';
import { describeFirst, describeFound, guessOf, type FileGuess } from '../import/guess.ts';

/** What the user says besides how the file is read. */
export interface RegisterOptions extends FileOptions {
  readonly feedId?: string;
  readonly title?: string;
  readonly language?: string;
}

/** A register that is to be made of a file. */
export interface Plan extends FileGuess {
  readonly file: string;
  readonly feedId: string;
  readonly title: string;
  readonly language: string | null;
}

/** The fields that are asked for, in the words of the questions. */
const ASKED: readonly (readonly [field: string, question: string])[] = [
  ['id', 'The column of the id'],
  ['title', 'The column of the title'],
  ['published_at', 'The column of the date of publication'],
  ['source_url', 'The source of a record: a column, or an address with {column}'],
];

/** An id of a register from the name of a file. @example 'Müllers Bescheide 2026.csv.gz' → 'muellers-bescheide-2026' */
function feedIdOf(file: string): string {
  const plain = withPlainLetters(stemOf(file).replace(/[äöü]/gi, (letter) => `${letter}e`)).toLowerCase();
  const id = plain
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replace(/^-+|-+$/g, '');
  return id === '' ? 'records' : id;
}

function titleOf(file: string): string {
  const words = stemOf(file)
    .replace(/[_\s-]+/g, ' ')
    .trim();
  return words === '' ? 'Records' : words.charAt(0).toUpperCase() + words.slice(1);
}

function stemOf(file: string): string {
  return basename(file)
    .replace(/(?:\.[a-z]+)?\.(?:gz|zst)$|\.[a-z]+$/i, '')
    .normalize('NFC');
}

/**
 * What can be done with a file without a question.
 *
 * @throws GazetteError those of `guessOf()`
 */
export async function planFor(file: string, options: RegisterOptions, io: Io, signal: AbortSignal): Promise<Plan> {
  const { feedId = feedIdOf(file), title = titleOf(file), language = null } = options;
  const guess = await guessOf(feedId, file, options, io, signal);
  const { records, refused } = guess.answer;
  // Records that do not fit, such as a line with totals, go with their reasons to a file of their own.
  const skips = refused > 0 && refused < records ? { skipInvalid: true as const } : {};
  return { ...guess, options: { ...guess.options, ...skips }, file, feedId, title, language };
}

/** Shows what was found. */
export function showPlan({ file, answer, feedId, title }: Plan, io: Io): void {
  const made = `The register ${feedId}, ${quote(title)}, is made of ${counted(answer.records - answer.refused, 'record')}.`;
  io.stderr.write(`${[describeFound(file, answer), describeFirst(answer), made].join('\n\n')}\n\n`);
}

/**
 * Asks for what may be otherwise, and guesses again where it is.
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
  io.stderr.write('Press Enter to accept what is in brackets.\n');
  const feedId = options.feedId ?? (await questions.ask('The id of the register, for its address', plan.feedId));
  const title = options.title ?? (await questions.ask('The title of the register', plan.title));
  const map = await askMapping(plan, options, questions);
  const isGuessed = map.every((rule) => plan.answer.map.includes(rule));
  if (feedId === plan.feedId && isGuessed) return { ...plan, title };
  const changed = await planFor(plan.file, { ...options, feedId, title, map: [...options.map, ...map] }, io, signal);
  showPlan(changed, io);
  return changed;
}

/** The rules as they were answered, those that were accepted too. */
async function askMapping(
  { answer }: Plan,
  { map }: RegisterOptions,
  questions: Questions,
): Promise<readonly string[]> {
  const given = new Set(parseMapping(map).map(({ target }) => target));
  const rules: string[] = [];
  for (const [field, question] of ASKED.filter(([name]) => !given.has(name))) {
    const guessed = answer.map.find((rule) => rule.startsWith(`${field}=`))?.slice(field.length + 1) ?? '';
    const isUnknown = field === 'source_url' && guessed.includes(UNKNOWN_SOURCE);
    const source = await questions.ask(isUnknown ? `${question}; Enter says that it is not known` : question, guessed);
    if (source !== '') rules.push(`${field}=${source}`);
  }
  return rules;
}
