// What a spreadsheet can hold: Excel's published limits, which are stricter than ECMA-376's.

/** Limits of one worksheet. Tests use small ones; documents are written with {@link EXCEL_LIMITS}. */
export interface SheetLimits {
  /** Rows of a sheet, including the header row. */
  readonly rows: number;
  /** Hyperlinks of a sheet. */
  readonly links: number;
}

/** Excel's limits: 2^20 rows; 65,530 hyperlinks, above which it reports the file as damaged. */
export const EXCEL_LIMITS: SheetLimits = { rows: 1_048_576, links: 65_530 };

/** Columns of a sheet: A to XFD. */
export const MAX_COLUMNS = 16_384;

/** UTF-16 units of text in a cell. */
export const MAX_TEXT_LENGTH = 32_767;

/** Characters of a hyperlink's target; Excel treats longer ones as damage and drops them. */
export const MAX_LINK_LENGTH = 2_080;

/** Decimal digits that a number shows and keeps when it is edited. */
export const MAX_DIGITS = 15;
