// How the files of a register are read: what stays the same for each new file of it. The options of `gazette import` say it,
// gazette.json does, and what editors choose at the desk.
import { parseTypes } from '../fields/said-types.ts';
import type { ImportOptions } from '../import-options.ts';
import { parseMapping } from '../mapping/mapping.ts';
import type { TextFormOptions } from '../mapping/text-forms.ts';
import type { Order } from '../../register/sources/order.ts';

/** How a file is written, whatever its columns are. */
export interface ReadingOptions {
  readonly pick?: string;
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly headerRow?: number;
  /** Whether a header is looked for. */
  readonly header?: boolean;
  readonly decimalComma?: boolean;
  readonly dateFormat?: string;
  readonly missing?: readonly string[];
  readonly inputFormulas?: 'guarded' | 'raw';
}

/** How a file is read. */
export interface FileOptions extends Omit<ReadingOptions, 'inputFormulas'> {
  readonly format?: string;
  readonly formulas?: 'guarded' | 'raw';
  readonly map: readonly string[];
  readonly type: readonly string[];
  readonly order?: Order;
  readonly skipInvalid?: true;
  readonly key?: 'row';
  readonly ignore?: readonly string[];
  /** Whether records that the file lacks are withdrawn. Default: no; where keys are made of rows, a guess says yes. */
  readonly withdrawMissing?: boolean;
}

/** What these options say to `importRecords()`. @throws GazetteError `invalid_mapping`, `usage` */
export function importAs(options: FileOptions): ImportOptions {
  const { map, type, order, withdrawMissing = false, key, ignore } = options;
  return {
    ...{ mapping: parseMapping(map), types: parseTypes(type), ...textForms(options), withdrawMissing },
    ...(order === undefined ? {} : { order }),
    ...(key === undefined ? {} : { key }),
    ...(ignore === undefined ? {} : { ignore }),
  };
}

/** Options but for some. */
export function omit<T extends object, Name extends keyof T>(options: T, names: readonly Name[]): Omit<T, Name> {
  const left = Object.entries(options).filter(([name]) => !names.includes(name as Name));
  return Object.fromEntries(left) as Omit<T, Name>;
}

/** How amounts and dates are written, for the mapping. */
export function textForms({ decimalComma, dateFormat, missing = [] }: ReadingOptions): TextFormOptions {
  return {
    ...(decimalComma === undefined ? {} : { decimalComma }),
    missing,
    ...(dateFormat === undefined ? {} : { dateFormat }),
  };
}
