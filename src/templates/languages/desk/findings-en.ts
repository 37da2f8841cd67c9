// What the desk says was found in a file, in English. Every other language has the same texts.

/** The texts that a language must have. */
export interface DeskFindingsTexts {
  /** What was found, by its code. */
  readonly codes: Readonly<Record<string, string>>;
  /** The same in a sentence with its numbers, which holds before and after a decision. A code without one is said in English. */
  readonly sentences: Readonly<Record<string, string>>;
  /** What is said behind it while somebody is to decide: what would happen, what is to be done, and what the list below it is. */
  readonly hints: Readonly<Record<string, string>>;
}

/** The texts. */
export const enFindings: DeskFindingsTexts = {
  codes: {
    absences: 'Many records are absent',
    'same-field': 'The same field changes everywhere',
    renumbered: 'Records have other keys',
    'type-lost': 'A column does not fit its type any more',
    factor: 'Numbers became ten, a hundred or a thousand times as large or small',
    'kept-by-hand': 'The file says something else than was set by hand',
    'other-file': 'The file seems to be that of another register',
    'hand-kept': 'Records stay as they were set by hand',
    'similar-ids': 'Ids are nearly those of other records',
    'odd-dates': 'Dates are old, or in the future',
    'fewer-rows': 'The file is much shorter than the last ones',
    'earlier-file': 'The file was taken in before',
    'unclear-numbers': 'Numbers can be read in two ways',
    'column-without-field': 'Columns stand in no field',
    'changed-since': 'Records have changed since',
    'key-taken': 'Keys cannot be given back',
    'settings-stay': 'Not all that it set of the register is taken back',
    purchased: 'Records were bought',
  },
  sentences: {
    absences: 'Published records that are not in the file: {absent} of {live}.',
    'same-field':
      'Records of which the file says something else than before: {changed} of {known}, all in the same fields. A time of download or a running number does that.',
    renumbered:
      'Records that are in the file under other keys, and say the same otherwise: {again} of {sought} that were compared.',
    'type-lost': 'Values that do not fit their field.',
    factor:
      'Numbers that are ten, a hundred or a thousand times as large or small in the file: {shifted} of {numbers} that differ from before.',
    'kept-by-hand':
      'Records of which the file says something else than was set by hand, or by taking an import back: {asked}.',
    'other-file':
      'The file has none of the records of this register, and most of its columns are others. New records: {added}.',
    'hand-kept': 'Records that keep what was set by hand, because their source says what it said before: {kept}.',
    'similar-ids': 'New ids that differ from known ones in capitals, spaces or accents alone: {ids}.',
    'odd-dates': 'Dates before 1900, or in the future.',
    'fewer-rows': 'Rows of the file: {rows}. Each of the last files had at least {fewest}.',
    'earlier-file': 'The file is that of import {number}. Files that came after it: {later}.',
    'unclear-numbers':
      'Numbers such as 1,234: nothing in the first {rows} rows shows whether the sign marks decimals or thousands.',
    'column-without-field': 'Columns that no field shows.',
    'changed-since': 'Records that have changed since, and stay as they are: {count}.',
    'key-taken':
      'Records that keep the key that they have, because the one before is that of another record by now: {count}.',
    'settings-stay': 'Of the register stays what was set otherwise since, or what records need that came since.',
    purchased: 'Purchases of records that it withdraws: {count}.',
  },
  hints: {
    absences: 'They would be withdrawn.',
    'type-lost': 'Their rows are not taken in, and published records that they are of stay as they are.',
    factor: 'Look for a lost decimal comma.',
    'kept-by-hand': 'Who approves the import says which of the two holds.',
    'other-file': 'Others are, for example:',
    'unclear-numbers':
      'They are read as it says here; if that is wrong, the file has to be read with another decimal sign.',
    'column-without-field': 'They are kept, and go out with proofs.',
  },
};
