// The findings of an import by their codes, and what each does where its register says nothing else.
import { GazetteError, quote } from '../../errors.ts';

/**
 * What is found in a file before anything is written. What stops an import does so until its caller says that it is meant.
 * `absences`: more than 10 live records, and more than 10 % of them, would be withdrawn because the file lacks them; new ones that
 * say the same, or where keys are made of rows all new ones, are subtracted. `renumbered`: records would come anew because they have
 * other keys: those that the file lacks say the same, or the keys are made of rows whose columns have other names, are more or
 * fewer, or are ignored otherwise than before. `same-field`: of at least 100 known records more than half would change, all in the
 * same one or two fields. `type-lost`: most values of a field's column do not fit its type. `factor`: more than 1 % of the numbers
 * that change would be ten, a hundred or a thousand times what they were, or such a part. `kept-by-hand`: records would change, come
 * back or be withdrawn whose present state was made by hand or by an undo, although their source did not say this before.
 * `other-file`: a file without any of at least 11 known records, most of whose columns are others than theirs.
 * These warn: `similar-ids`: ids of new records differ from known ones in case, spaces or Unicode form alone. `odd-dates`:
 * dates before 1900 or in the future. `fewer-rows`: less than half as many rows as each of the last five files. `earlier-file`: the
 * bytes of a file that was imported before the last one. `unclear-numbers`: `1,234` or `1.234`, where no number among the
 * first 2,000 records shows whether that is less than two, or more than a thousand. `column-without-field`: columns that no field shows.
 */
export type ImportFinding =
  | 'absences'
  | 'same-field'
  | 'renumbered'
  | 'type-lost'
  | 'factor'
  | 'kept-by-hand'
  | 'other-file'
  | 'similar-ids'
  | 'odd-dates'
  | 'fewer-rows'
  | 'earlier-file'
  | 'unclear-numbers'
  | 'column-without-field';

/** What a caller accepts: a finding; of `kept-by-hand`, that the hand's values stay, or, by `take-source`, that the file's are taken. */
export type Accepted = ImportFinding | 'take-source';

/** What each finding does by default. */
export const FINDINGS: Required<FindingActions> = {
  absences: 'stop',
  'same-field': 'stop',
  renumbered: 'stop',
  'type-lost': 'stop',
  factor: 'stop',
  'kept-by-hand': 'stop',
  'other-file': 'stop',
  'similar-ids': 'warn',
  'odd-dates': 'warn',
  'fewer-rows': 'warn',
  'earlier-file': 'warn',
  'unclear-numbers': 'warn',
  'column-without-field': 'warn',
};

/**
 * What findings do, by their codes: stop the import until its caller says that it is meant, be told as a warning, or not be told.
 * Those that are not named do what is the default.
 */
export type FindingActions = Readonly<Partial<Record<ImportFinding, 'stop' | 'warn' | 'ignore'>>>;

/** All that a finding can do. */
export const FINDING_ACTIONS: readonly ('stop' | 'warn' | 'ignore')[] = ['stop', 'warn', 'ignore'];

/** The codes. */
export const FINDING_CODES = Object.keys(FINDINGS) as readonly ImportFinding[];

/** All that can be accepted. */
export const ACCEPTED: readonly Accepted[] = [...FINDING_CODES, 'take-source'];

/**
 * What findings do, as a person writes it.
 *
 * @example parseFindings(['factor=warn', 'odd-dates=ignore']) // { factor: 'warn', 'odd-dates': 'ignore' }
 * @throws GazetteError `invalid_option`
 */
export function parseFindings(texts: readonly string[]): FindingActions {
  return Object.fromEntries(
    texts.map((text) => {
      const [code, action, more] = text.split('=').map((part) => part.trim());
      const isKnown = FINDING_CODES.some((one) => one === code) && FINDING_ACTIONS.some((one) => one === action);
      if (isKnown && more === undefined) {
        return [code, action];
      }
      const how = `CODE=${FINDING_ACTIONS.join('|')}, where CODE is one of ${FINDING_CODES.join(', ')}`;
      throw new GazetteError('invalid_option', `finding must be ${how}; got ${quote(text)}`, {
        details: { option: 'finding' },
      });
    }),
  ) as FindingActions;
}
