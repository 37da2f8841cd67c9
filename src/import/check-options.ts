// Checks the options of an import before anything is read or logged: programs without types send others, too.
import { checkOneOf } from '../checks.ts';
import { FIELD_TYPES } from '../register/definition.ts';
import { ORDERS } from '../register/sources/order.ts';
import { IMPORT_CAUSES } from '../stores/contract/imports.ts';
import type { ImportFinding, ImportOptions } from './import-options.ts';
import { checkMapping } from './mapping/check-mapping.ts';

const IMPORT_FINDINGS: readonly ImportFinding[] = ['absences'];

/** @throws GazetteError `invalid_option`, `invalid_mapping` */
export function checkOptions({ mapping = [], accept = [], cause, order, types = new Map() }: ImportOptions): void {
  checkMapping(mapping);
  for (const code of accept) checkOneOf('accept', code, IMPORT_FINDINGS);
  if (cause !== undefined) checkOneOf('cause', cause, IMPORT_CAUSES);
  if (order !== undefined) checkOneOf('order', order, ORDERS);
  for (const type of types.values()) checkOneOf('type', type, FIELD_TYPES);
}
