// What can be made of a publisher's file without a question: a register with an id and a title, and how its records are read.
// `gazette init` and the desk propose it, and change it until a person accepts it.
import { basename } from 'node:path';
import { hasWord } from '../readers/table/title-rows.ts';
import { inAscii } from '../../nearest.ts';
import { type FileGuess, type GuessedFile, guessOf, type SaidOptions } from './guess-file.ts';

/** What a person says besides how the file is read. */
export interface RegisterOptions extends SaidOptions {
  readonly feedId?: string;
  readonly title?: string;
  readonly language?: string;
  readonly access?: Access;
  /** The names of columns that are not taken in, besides those that the register ignores. */
  readonly leftOut?: readonly string[];
}

/** A register that is to be made of a file. */
export interface RegisterPlan extends FileGuess {
  readonly file: string;
  readonly feedId: string;
  readonly title: string;
  readonly language: string | null;
  readonly access: Access;
}

/** Who may read a register: everybody all of it, or everybody the latest records and the others with a key. */
export const ACCESS = ['open', 'tiered'] as const;

export type Access = (typeof ACCESS)[number];

/** The names that programs give to sheets. */
const SHEET =
  /^(?:sheet|tabelle|feuille?|hoja|blatt|лист|аркуш|foglio|planilha|folha|arkusz|blad|list|munkalap|munka|sayfa|taulukko|ark|φύλλο|גיליון|ورقة|シート|工作表|시트|data|daten)\s*\d*$/iu;

/** An id of a register from the name of a file. @example 'Müllers Bescheide 2026.csv.gz' → 'muellers-bescheide-2026' */
function feedIdOf(file: string): string {
  const id = inAscii(stemOf(file))
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replace(/^-+|-+$/g, '');
  return id === '' ? 'records' : id;
}

function titleOf(file: string): string {
  const words = stemOf(file)
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
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
export async function planFor(file: string, options: RegisterOptions, guessed: GuessedFile): Promise<RegisterPlan> {
  const { feedId = feedIdOf(file), language = null, access = 'open' } = options;
  const guess = await guessOf(feedId, file, options, guessed);
  const isNamed = guess.sheet !== null && hasWord(guess.sheet) && !SHEET.test(guess.sheet);
  const named = isNamed && !hasWord(stemOf(file)) ? guess.sheet : titleOf(file);
  const title = options.title ?? guess.title ?? named;
  const { records, refused } = guess.answer;
  // Records that do not fit, such as a line with totals, go with their reasons to a file of their own.
  const skips = refused > 0 && refused < records ? { skipInvalid: true as const } : {};
  return { ...guess, options: { ...guess.options, ...skips }, file, feedId, title, language, access };
}
