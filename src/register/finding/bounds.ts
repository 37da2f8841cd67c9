// The bounds of a filter's values: checked wherever a filter comes from outside, before its register is known.
import { shorten } from '../../errors.ts';
import { isWithinBounds, refusal, type TextsParameter } from '../parameters.ts';
import type { Filter } from './filter.ts';
import { type FilterField, FILTERS } from './filters.ts';
import { OWN_VALUES } from './own-filters.ts';

/**
 * Checks how many values a filter has, and how long they are.
 *
 * @throws GazetteError `invalid_parameter`, which names the filter
 */
export function checkFilterBounds(filter: Filter, filters: readonly FilterField[] = FILTERS): void {
  for (const [name, given] of Object.entries(filter)) {
    const known = filters.find((one) => one.name === name);
    const bounds: TextsParameter = known ?? { ...OWN_VALUES, name: shorten(name) };
    const values = typeof given === 'string' ? [given] : given;
    if (!isWithinBounds(bounds, values)) throw refusal(bounds, values);
  }
}
