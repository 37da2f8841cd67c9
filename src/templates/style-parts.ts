// The style of parts that only some pages have: lists of records, filters, tables, the chart, differences of versions.

/** The rules. */
export const PARTS_STYLE = '';
