// Checks the options of an import before anything is read or logged: programs without types send others, too.
import { checkOneOf } from '../checks.ts';
import { GazetteError } from '../errors.ts';
import { FIELD_TYPES } from '../register/definition.ts';
import { ORDERS } from '../register/sources/order.ts';
import { CHANGE_CAUSES } from '../stores/contract/imports/causes.ts';
import type { ImportOptions } from './import-options.ts';
import { checkImportable } from './mapping/mapping.ts';
import { ACCEPTED } from './proposals/finding-codes.ts';

/** @throws GazetteError `invalid_option`, `invalid_mapping` */
export function checkOptions(options: ImportOptions): void {
  const { mapping = [], accept = [], cause, order, key, types = new Map() } = options;
  checkImportable(mapping);
  for (const code of accept) checkOneOf('accept', code, ACCEPTED);
  if (accept.includes('kept-by-hand') && accept.includes('take-source')) {
    throw new GazetteError('invalid_option', 'accept: kept-by-hand and take-source contradict each other', {
      details: { option: 'accept' },
    });
  }
  if (cause !== undefined) checkOneOf('cause', cause, CHANGE_CAUSES);
  if (key !== undefined) checkOneOf('key', key, ['row']);
  if (order !== undefined) checkOneOf('order', order, ORDERS);
  for (const type of types.values()) checkOneOf('type', type, FIELD_TYPES);
}
