// The filters of registers' own fields as parameters: which there are, only the definitions say.
import { type OwnFilter, type OwnTest, ownFilters } from '../../register/finding/own-filters.ts';
import type { FieldType, RegisterDefinition } from '../../register/record.ts';
import type { JsonSchema } from '../../register/schemas/json-schema.ts';
import type { RegisterEntry } from '../../stores/contract/catalogue.ts';
import type { DescribedParameter } from './components.ts';

/** So many that the document stays short. */
const MAX_PARAMETERS = 30;

/** So many registers are named by a parameter. */
const MAX_NAMED = 3;

const TEXTS: Readonly<Record<OwnTest, string>> = {
  exact: 'Exactly this value, or any of several',
  since: 'Not before this time',
  until: 'Before this time',
  min: 'At least this',
  max: 'At most this',
};

/** The filters of these registers, each name once; where there are very many, the first. */
export function ownFilterParameters(registers: readonly RegisterEntry[]): readonly DescribedParameter[] {
  const byName = new Map<string, { readonly filter: OwnFilter; readonly feedIds: string[] }>();
  for (const { definition } of registers) {
    for (const filter of ownFilters(definition.fields)) {
      const known = byName.get(filter.name);
      if (known !== undefined) known.feedIds.push(definition.id);
      else if (byName.size < MAX_PARAMETERS) byName.set(filter.name, { filter, feedIds: [definition.id] });
    }
  }
  return [...byName.values()].map(({ filter, feedIds }) => {
    const more = feedIds.length > MAX_NAMED ? ` and ${feedIds.length - MAX_NAMED} more` : '';
    const description = `${TEXTS[filter.test]}. Of ${feedIds.slice(0, MAX_NAMED).join(', ')}${more}.`;
    return parameterOf(filter, { type: 'string', minLength: 1, maxLength: filter.maxLength }, description);
  });
}

/** The filters of one register, in the types of their fields. */
export function filterParametersOf({ fields }: Pick<RegisterDefinition, 'fields'>): readonly DescribedParameter[] {
  return ownFilters(fields).map((filter) => parameterOf(filter, ASKED[filter.field.type], `${TEXTS[filter.test]}.`));
}

/** What is sent for a value. A decimal and what no number holds are texts. */
const ASKED: Readonly<Record<FieldType, JsonSchema>> = {
  ...{ text: { type: 'string' }, url: { type: 'string' }, json: { type: 'string' }, boolean: { type: 'boolean' } },
  ...{ number: { type: 'number' }, integer: { type: 'integer' }, decimal: { type: 'string' } },
  ...{ date: { type: 'string' }, datetime: { type: 'string' } },
};

function parameterOf({ name, maxItems }: OwnFilter, value: JsonSchema, description: string): DescribedParameter {
  return {
    ...{ name, in: 'query', description },
    ...(maxItems === 1 ? { schema: value } : { schema: { type: 'array', minItems: 1, maxItems, items: value } }),
  };
}
