// What was found in a file, and why it cannot be read, in English on the desk: the same without words of the command line. Every other
// language has the same texts.

/** What can be said. */
export type RemarkCode =
  | ('wholeRow' | 'madeOf' | 'someSources' | 'noSources' | 'dates' | 'noTitle' | 'someTitles' | 'otherTitle')
  | (
      | 'valueAsName'
      | 'daysOrMonths'
      | 'amounts'
      | 'refused'
      | 'total'
      | 'missing'
      | 'bothWays'
      | 'noDates'
      | 'fieldNames'
    )
  | ('encoding' | 'shifted' | 'unnamed' | 'noHeader' | 'headerRows' | 'errorCells' | 'sheets')
  | ('empty' | 'oneRefused' | 'allRefused' | 'nothing' | 'otherKind' | 'encodingMark' | 'unknownKeys')
  | ('noList' | 'listAt' | 'aboveHeader' | 'separator' | 'noNames' | 'brokenText' | 'totalRow');

/** The texts that a language must have. */
export interface DeskRemarksTexts extends Readonly<Record<RemarkCode, string>> {
  /** Said where there is no other text. */
  readonly unreadable: string;
}

/** The texts. */
export const enRemarks: DeskRemarksTexts = {
  wholeRow:
    'Two rows can be alike in every column that could be their key, so a record is known by its whole row: a corrected row is a new record, and the old one is withdrawn. Each file has to hold all rows, because rows that it lacks are withdrawn.',
  madeOf: 'No column has a different value in every record: the key is made of {names}.',
  someSources:
    'The column {names} has an address in some records only: {count}. Of the others the source is not known.',
  noSources:
    'No column has the web address of a record at its publisher: readers are told that the source is not known.',
  dates: 'None of the dates ({names}) is called a date of publication. Choose one.',
  noTitle: 'No column can be a title. Choose one.',
  someTitles: 'The column {names} is empty in some records, which then have no title of their own.',
  otherTitle: 'No column is called a title: {names} is taken.',
  valueAsName:
    'A column is called {names}: if the first line is a record and no header, write a line with names above it.',
  daysOrMonths:
    'The dates in {names} may be {one} or {other}: no value shows which number is the day. Choose how dates are written.',
  amounts:
    'Amounts have a comma in {names} and a point in {others}: those with a comma stay text, unless you choose the decimal comma.',
  refused: 'Rows that do not fit: {count} of {all}. The first:',
  total: 'That is the last row, and may hold totals.',
  missing: 'Words and signs such as n/a and - mean no value in {names}.',
  bothWays: 'The dates run both ways: the records are sorted by date, unless you choose another order.',
  noDates:
    'No dates show which record is the newest: the first is taken to be the oldest, unless you choose another order.',
  fieldNames: 'Every record has fields of these names already: {names}.',
  encoding:
    'The text is not UTF-8 and is read as {one}: {names} in line {line}. If that looks wrong, choose another encoding.',
  shifted:
    'Line {line} has one name more than the rows have fields, and the first name is empty: it is left out, and the first column is {names}.',
  unnamed: 'Columns without a name of their own are read under another: {names}.',
  noHeader: 'The first row looks like the others and is read as a record: columns are called by their letters.',
  headerRows: 'The names of the columns are in several rows, and are joined.',
  errorCells: 'Cells with an error instead of a value are read as empty; the first is {one}.',
  sheets: 'Sheets that are read: {names}. Not read: {others}.',
  empty: 'The file is empty.',
  oneRefused: 'The only record of the file was refused:',
  allRefused: 'All {count} records of the file were refused, the first:',
  nothing: 'There are no records in the file.',
  otherKind: 'The file is none that can be read: expected is a text with columns (CSV), a workbook (XLSX), or JSON.',
  encodingMark: 'The file begins with the mark of another encoding than the one that was chosen.',
  unknownKeys: 'Some rows have no key that can be read, so it is not known which records are missing.',
  noList: 'The document has no list of records where one is expected.',
  listAt: 'The records are those of {names}.',
  aboveHeader: 'What stands above the names of the columns is not read.',
  separator: 'The fields are separated as chosen here.',
  noNames: 'No column has a name: the first row of the table has to be the names of the columns.',
  brokenText: 'There are bytes that are no text: if the file has another encoding, choose it.',
  totalRow: 'This row is a total, not a record.',
  unreadable: 'The file cannot be read.',
};
