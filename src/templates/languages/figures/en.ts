// What the page of figures says in English.

/** The texts. */
export const enFigures = {
  link: 'Show as figures',
  title: 'Figures',
  lead: 'Counts, sums, averages and extremes, for each value of a field.',
  leadFound: 'Counts, sums, averages and extremes of the records that match, for each value of a field.',
  measure: 'Figure',
  measures: {
    count: 'Number of records',
    sum: (field: string): string => `Sum of ${field}`,
    avg: (field: string): string => `Average of ${field}`,
    min: (field: string): string => `Lowest ${field}`,
    max: (field: string): string => `Highest ${field}`,
    earliest: (field: string): string => `Earliest date: ${field}`,
    latest: (field: string): string => `Latest date: ${field}`,
  },
  by: 'For each',
  thenBy: 'And for each',
  none: 'nothing: all records together',
  noOther: 'nothing else',
  units: {
    year: (field: string): string => `${field}: year`,
    month: (field: string): string => `${field}: month`,
    day: (field: string): string => `${field}: day`,
  },
  order: 'Order',
  orders: { '-value': 'Highest first', value: 'Lowest first', key: 'By what they are for' },
  show: 'Show figures',
  caption: (measure: string, by: string): string => (by === '' ? measure : `${measure}, by ${by}`),
  all: 'All records',
  records: 'Records',
  examples: 'Some of them',
  matched: (count: number, shown: string): string => `${shown} ${count === 1 ? 'record matches' : 'records match'}.`,
  more: (shown: string): string => `${shown} more groups are not shown.`,
  ungrouped: (shown: string): string => `${shown} are in no group, for they lack a value.`,
  items: (field: string): string => `A record is counted for each item of ${field}.`,
  exact: (field: string): string => `Groups tell capital and small letters of ${field} apart; the filter does not.`,
  part: (shown: string, all: string): string =>
    `This is a part: ${shown} of the ${all} places of the register were examined.`,
  next: 'The next part',
  first: 'The first part',
  view: (change: string): string => `Exact as of change ${change}.`,
  signed: (size: string, hash: string): string => `Signed root of ${size} changes: ${hash}`,
  back: 'Back to the records',
};

/** The texts that a language must have. */
export type FiguresTexts = typeof enFigures;
