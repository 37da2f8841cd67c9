// The bounds of a filter's values: checked wherever a filter comes from outside, before its register is known.
import { shorten } from '../../errors.ts';
import { isWithinBounds, refusal, type TextsParameter } from '../parameters.ts';
import type { Filter } from './filter.ts';
import { type FilterField, FILTERS, MAX_FILTER_LENGTH, MAX_FILTER_VALUES } from './filters.ts';

/** What a value of an own field may be before its type is known. */
const OWN_BOUNDS = { kind: 'texts', minLength: 1, maxLength: MAX_FILTER_LENGTH, maxItems: MAX_FILTER_VALUES } as const;

/**
 * Checks how many values a filter has, and how long they are.
 *
 * @throws GazetteError `invalid_parameter`, which names the filter
 */
export function checkFilterBounds(filter: Filter, filters: readonly FilterField[] = FILTERS): void {
  for (const [name, given] of Object.entries(filter)) {
    const known = filters.find((one) => one.name === name);
    const bounds: TextsParameter = known ?? { ...OWN_BOUNDS, name: shorten(name) };
    const values = typeof given === 'string' ? [given] : given;
    if (!isWithinBounds(bounds, values)) throw refusal(bounds, values);
  }
}
