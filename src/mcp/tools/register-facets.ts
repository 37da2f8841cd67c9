// The tool that counts: which values the fields of a register have, and how many records each.
import { z } from 'zod';
import { GazetteError } from '../../errors.ts';
import { checkFacetNames, type Facet, facetNames, MAX_FACET_VALUES } from '../../register/finding/facets.ts';
import { FILTERS, STATED_FILTERS } from '../../register/finding/filters.ts';
import { OWN_PREFIX } from '../../register/finding/own-filters.ts';
import { countSchema } from '../../register/schemas/records.ts';
import { countedFacets, facetsOfSource } from '../../register/sources/facets.ts';
import { seenRegister } from '../../views/seen-registers.ts';
import { Answers } from '../answers.ts';
import { costOf } from '../budget.ts';
import { readArguments, requiredText } from './arguments.ts';
import { filterArguments, filterOf, withConditionFields } from './filters.ts';
import { DATA_TEXT, inputSchema, NOTE, outputSchema, text, withFeedIds } from './schemas.ts';
import { windowOf } from './sight.ts';
import type { JsonObject } from '../protocol.ts';
import { type Tool, type ToolServices, viewFor } from './tool.ts';

/** The members around the values, and the note. */
const SPARE = 600;

const ANSWER = z.object({
  feed_id: text('The register.'),
  facets: z.array(
    z.object({
      field: z.string(),
      values: z
        .array(z.object({ value: z.string(), records: countSchema() }))
        .meta({ description: `The commonest, at most ${MAX_FACET_VALUES}.` }),
      more: countSchema('How many more values there are.'),
    }),
  ),
  bounded: z.boolean().meta({ description: 'Whether only the newest of many records were counted.' }),
  note: NOTE,
});

/** `register_facets`. */
export function registerFacetsTool(services: ToolServices): Tool {
  const { registers, tiers, filters = FILTERS } = services;
  const answers = new Answers();
  const schema = z.strictObject({
    feed_id: requiredText('The register.'),
    fields: z
      .array(z.string(), { error: 'must be a list of names' })
      .optional()
      .meta({
        description: `${STATED_FILTERS.join(', ')}, data.x for a filterable own field; absent: all of them.`,
      }),
    ...filterArguments(filters),
  });
  const input = inputSchema(schema);
  const output = outputSchema(ANSWER);
  return {
    name: 'register_facets',
    define: (entries) => ({
      title: 'Values of a register',
      description: `Counts the records of a register by document type, facility or filterable own field: which values there are, the commonest first. Without an API key: document types and facilities of the latest ${windowOf(tiers)} records. ${DATA_TEXT}`,
      inputSchema: withConditionFields(withFeedIds(input(), entries), filters, entries),
      outputSchema: output(entries),
    }),
    async run(given, call) {
      const args = readArguments(schema, filters, given);
      const { feed_id: feedId, fields: wanted } = args;
      const filter = filterOf(args, filters);
      const view = await viewFor({ registers }, feedId, call);
      const { definition } = view.entry;
      const { tier, source, kindOf } = seenRegister(services, view, call.access);
      const isOpen = (name: string): boolean => tier === 'pro' || kindOf !== null || !name.startsWith(OWN_PREFIX);
      const names =
        wanted === undefined
          ? facetNames(definition.fields).filter(isOpen)
          : checkFacetNames(wanted, definition.fields, 'fields');
      const closed = names.find((name) => !isOpen(name));
      if (closed !== undefined) throw keyNeeded(closed);
      const counted = await countedFacets(source, names, filter);
      const find = async (): Promise<JsonObject> => {
        const isAll = Object.keys(filter).length === 0;
        const found = counted ?? (await facetsOfSource(source, names, isAll ? undefined : filter, call.request.signal));
        const note =
          kindOf === null
            ? `Without an API key: only the latest ${windowOf(tiers)} records are counted.`
            : 'Counted in what you see: previews of all records, and whole those that you bought or that are free.';
        return {
          feed_id: feedId,
          facets: within(found.facets, call.room - SPARE),
          bounded: found.isBounded,
          ...(tier === 'pro' ? {} : { note }),
        };
      };
      return kindOf === null ? answers.to(view, [tier, call.room, names, filter, counted !== null], find) : find();
    },
  };
}

function keyNeeded(name: string): GazetteError {
  return new GazetteError(
    'credentials_required',
    `the values of ${name} need an API key: leave it out, or send Authorization: Bearer <API_KEY>`,
  );
}

/** The facets with as many of their values as fit: of every field the same number. */
function within(facets: readonly Facet[], room: number): readonly JsonObject[] {
  const cut = (count: number): readonly JsonObject[] =>
    facets.map(({ field, values, more }) => {
      const shown = values.slice(0, count);
      return { field, values: shown, more: more + values.length - shown.length };
    });
  let [fits, below] = [0, MAX_FACET_VALUES + 1];
  while (below - fits > 1) {
    const count = Math.floor((fits + below) / 2);
    if (costOf(cut(count)) <= room) fits = count;
    else below = count;
  }
  return cut(fits);
}
