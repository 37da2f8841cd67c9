// The rules that an import cannot map. An export of a file uses every core field from the file; a register sets two of
// them itself.
import { GazetteError } from '../../errors.ts';
import { MAPPABLE_FIELDS, type MappingRule } from './mapping.ts';

/** The fields that the register itself sets for each version. */
const OWN_FIELDS: readonly string[] = ['version', 'updated_at'];

/** @throws GazetteError `invalid_mapping` for a rule whose values would be ignored. */
export function checkMapping(mapping: readonly MappingRule[]): void {
  const rule = mapping.find(({ target }) => OWN_FIELDS.includes(target));
  if (rule === undefined) return;
  const fields = MAPPABLE_FIELDS.filter((name) => !OWN_FIELDS.includes(name));
  throw new GazetteError(
    'invalid_mapping',
    `the mapping is not valid: ${rule.target} is given by the register when it takes a version in; an import can map ${fields.join(', ')}, and data.NAME`,
    { details: { expression: `${rule.target}=${rule.written}`.slice(0, 200) } },
  );
}
