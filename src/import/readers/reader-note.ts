// What a reader found out by itself about a file, for the person who imports it.

import type { FileFormat } from './file/file-kind.ts';

/** Something that a reader found by itself. */
export interface ReaderNote {
  /** What it is about. */
  readonly code:
    /** The name of the file does not say its format, which its content shows. */
    | 'format'
    /** A workbook has several sheets, and which one was read. */
    | 'sheet'
    /** Cells of a workbook have an error instead of a value, and are read as empty. */
    | 'error_cells'
    /** The encoding of the text was found, and it is not UTF-8. */
    | 'encoding'
    /** The character between fields was found, and it is not a comma. */
    | 'delimiter'
    /** There are rows above the header, which are not read. */
    | 'title_rows'
    /** The first row is read as a record, as it looks like the others. */
    | 'no_header'
    /** The names of the columns are joined from several rows. */
    | 'header_rows'
    /** Columns have no name, or one that an earlier column has, and are read under another. */
    | 'column_names'
    /** Columns have the name of a field that every record has, and become fields of another name. */
    | 'field_names'
    /** Numbers have more digits than a double holds, and are kept as text of their digits. */
    | 'exact_numbers';
  /** One sentence without the name of the file, which says how to decide otherwise. */
  readonly message: string;
  /** The format that the content shows. */
  readonly format?: FileFormat;
  /** The names of a workbook's sheets, that first which is read. */
  readonly sheets?: readonly string[];
  /** The encoding that was found, as `--encoding` takes it. */
  readonly encoding?: string;
  /** The character between fields that was found. */
  readonly delimiter?: string;
  /** The line of a CSV file, or the row of a sheet, in which the header was found, from 1. */
  readonly headerRow?: number;
  /** What stands above the header where it reads like a title. */
  readonly heading?: string;
  /** False where the table has no header. */
  readonly header?: false;
}

/** Receives a note. */
export type OnNote = (note: ReaderNote) => void;
