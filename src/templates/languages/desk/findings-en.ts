// What the desk says was found in a file, in English. Every other language has the same texts.

/** The texts that a language must have. */
export interface DeskFindingsTexts {
  /** What was found, by its code. */
  readonly codes: Readonly<Record<string, string>>;
  /** The same in a sentence with its numbers. A code without one is said in English. */
  readonly sentences: Readonly<Record<string, string>>;
}

/** The texts. */
export const enFindings: DeskFindingsTexts = {
  codes: {
    absences: 'Many records are absent',
    'same-field': 'The same field changes everywhere',
    renumbered: 'Records have other keys',
    'type-lost': 'A column does not fit its type any more',
    factor: 'Numbers became ten, a hundred or a thousand times as large or small',
    'kept-by-hand': 'It would take back what was done by hand',
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
    absences: 'Published records that are not in the file: {absent} of {live}. They would be withdrawn.',
    'same-field':
      'Records that would change: {changed} of {known}, all in the same fields. A time of download or a running number does that.',
    renumbered:
      'Records that the file lacks come anew under other keys, and say the same: {again} of {sought} that were looked at.',
    'type-lost':
      'Values that do not fit their field. Their rows are not taken in, and published records that they are of stay as they are.',
    factor:
      'Numbers that would be ten, a hundred or a thousand times what they were, or such a part: {shifted} of {numbers} that change. Look for a lost decimal comma.',
    'kept-by-hand':
      'Records of which the file says something else than was set by hand, or by taking an import back: {asked}. Who approves the import says which of the two holds.',
    'other-file':
      'The file has none of the records of this register, and most of its columns are others. New records: {added}. Others are, for example:',
    'hand-kept': 'Records that keep what was set by hand, because their source says what it said before: {kept}.',
    'similar-ids': 'New ids that differ from known ones in capitals, spaces or accents alone: {ids}.',
    'odd-dates': 'Dates before 1900, or in the future.',
    'fewer-rows': 'Rows of the file: {rows}. Each of the last files had at least {fewest}.',
    'earlier-file': 'The file is that of import {number}. Files that came after it: {later}.',
    'unclear-numbers':
      'Numbers that may be less than a thousand, or thousands: no number of the file shows which. They are read as it says here; if that is wrong, choose another decimal sign below.',
    'column-without-field': 'Columns that no field shows. They are kept, and go out with proofs.',
    'changed-since': 'Records that have changed since, and stay as they are: {count}.',
    'key-taken':
      'Records that keep the key that they have, because the one before is that of another record by now: {count}.',
    'settings-stay': 'This stays, because it was set otherwise since, or because records need it that came since:',
    purchased: 'Purchases of records that would be withdrawn: {count}.',
  },
};
