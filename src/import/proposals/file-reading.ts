// How a file was read, for whoever decides about what it would do: which column fills which field, and in which form it is.
import type { ImportOptions } from '../import-options.ts';
import type { OpenedRecords } from '../opened-records.ts';
import type { Order } from '../../register/sources/order.ts';
import type { ReaderNote } from '../readers/reader-note.ts';
import type { FileReading } from './report.ts';
import { bareName, IgnoredColumns } from '../rows/ignored-columns.ts';

/** How many columns are told, and how many sheets. */
const COLUMNS = 200;

/** Says it, once all of the file was read. */
export function fileReading(
  opened: Pick<OpenedRecords, 'columns' | 'plan' | 'notes'>,
  { dateFormat, decimalComma = false, withdrawMissing = false }: ImportOptions,
  order: Order,
): FileReading {
  const { columns, plan } = opened;
  const found = Object.assign({}, ...opened.notes().found) as Partial<ReaderNote>;
  const { encoding, delimiter, headerRow, sheets = [] } = found;
  const declared = new Set<string>([
    ...plan.core.map((one) => one.name),
    ...plan.columns.map((one) => `data.${one.name}`),
  ]);
  return {
    columns: columns.slice(0, COLUMNS).map((name) => {
      const filled = new IgnoredColumns([bareName(name)]).filled(plan);
      return { name, fields: [...filled].filter((field) => declared.has(field)) };
    }),
    rules: plan.rules
      .filter(({ source }) => source.kind === 'template')
      .map(({ target, written }) => `${target}=${written}`),
    sheets: sheets.slice(0, COLUMNS),
    encoding: encoding ?? null,
    delimiter: delimiter ?? null,
    header_row: headerRow ?? null,
    date_format: dateFormat ?? null,
    decimal_comma: decimalComma,
    order,
    withdraw_missing: withdrawMissing,
  };
}
