// The tool that hosted connectors look for: words in, records to cite out; `fetch` of read-record.ts gives each as a text.
// Without a register it looks through all of them, those that changed last first, within one bound for the whole call.
import { z } from 'zod';
import { checkFeed, openedFeeds } from '../../access/scopes.ts';
import { priceOf } from '../../money.ts';
import { FILTERS } from '../../register/finding/filters.ts';
import { counted } from '../../register/counted.ts';
import { feedIdOf } from '../../stores/rows/register.ts';
import { LIMIT, type TextsParameter } from '../../register/parameters.ts';
import { rangeShape } from '../../register/schemas/parameters.ts';
import { tierIn } from '../../register/tier.ts';
import { countSchema } from '../../register/schemas/records.ts';
import { type Found, type FoundInAll, searchRegister, searchRegisters } from '../../views/search-registers.ts';
import { matchedMembers } from '../../views/matches.ts';
import { leftOf } from '../../views/offers.ts';
import { costOf, fit } from '../budget.ts';
import { readArguments, requiredText } from './arguments.ts';
import { LEFT, PRICE, sells, withItemMembers, withMembers } from './prices.ts';
import {
  DATA_TEXT,
  FULL_URL,
  inputSchema,
  MATCHED_SHAPE,
  NOTE,
  outputSchema,
  SHORTENED,
  text,
  withFeedIds,
} from './schemas.ts';
import { fullUrlOf, windowOf, withoutKey } from './sight.ts';
import { FORMAT_ARGUMENT, fitTable, BRIEF_TABLE_SHAPE, tableOf, templatesOf } from './table.ts';
import type { JsonObject } from '../protocol.ts';
import { Suggestions } from './suggestions.ts';
import { type Tool, type ToolCall, type ToolServices, viewFor } from './tool.ts';

/** The default number of records in an answer. */
const DEFAULT_RESULTS = 20;

/** How many registers that were not searched an answer names. */
const MAX_NAMED = 50;

/** In how many registers words like those of a query are looked for that finds nothing, and how many are named. */
const MAX_NEAR_REGISTERS = 3;
const MAX_NEAR = 5;

/** The longest note. */
const SPARE = 800;

/** `query`: as the filter of words. */
const QUERY: TextsParameter = { ...FILTERS.find(({ name }) => name === 'q')!, name: 'query' };

const ARGUMENTS = z.strictObject({
  query: requiredText(
    'A few words that must all be in a record’s title, summary, content, author, key or own texts: "a phrase", word* for words that begin so, -word for records without it. Fewer words find more.',
  )
    .min(QUERY.minLength)
    .max(QUERY.maxLength),
  feed_id: z.string({ error: 'must be given as a text' }).optional().meta({
    description: 'Only this register; absent: all, those that changed last first.',
  }),
  limit: rangeShape(DEFAULT_RESULTS, { limit: 'How many records.', offset: '' }).limit,
  format: FORMAT_ARGUMENT.unwrap()
    .optional()
    .meta({ description: 'table: columns once and rows; records: results as objects, as for query alone.' }),
});

const ANSWER = z.object({
  ...MATCHED_SHAPE,
  ...BRIEF_TABLE_SHAPE,
  results: z
    .array(
      z.object({
        id: text('For fetch and read_record.'),
        title: text('Its title.').optional(),
        url: text('Where the publisher has it: cite it.').optional(),
        shortened: SHORTENED,
        full_url: FULL_URL,
      }),
    )
    .optional()
    .meta({ description: 'Those whose title has all words first.' }),
  registers: z
    .array(
      z.object({
        feed_id: z.string(),
        found: countSchema('How many of the results are of it.'),
        ...MATCHED_SHAPE,
        has_more: z.boolean().optional().meta({ description: 'read_register with q finds the others.' }),
      }),
    )
    .meta({ description: 'Where something was found, or may be.' }),
  not_searched: z.array(z.string()).optional().meta({
    description: 'Registers that this call did not reach, or that have no search: ask for one by its feed_id.',
  }),
  values: z.record(z.string(), z.array(z.string())).optional().meta({
    description: 'Where nothing is found, query: words that begin like those of the query.',
  }),
  note: NOTE,
});

/** `search`. */
export function searchTool(services: ToolServices): Tool {
  const { tiers } = services.sight;
  const suggestions = new Suggestions(services);
  const input = inputSchema(ARGUMENTS);
  const output = outputSchema(ANSWER);
  return {
    name: 'search',
    define: (entries) => ({
      title: 'Search',
      description: `Finds records by their words, in one register or in all: those whose title has all words first, then the newest (of the 100 newest that match in each register). For dates, types and own fields use read_register, which takes the same words as q. ${withoutKey(entries, `among the latest ${windowOf(tiers)} records of each register.`)}Cite url. ${DATA_TEXT}`,
      inputSchema: withFeedIds(input(), entries),
      outputSchema: sells(entries)
        ? withItemMembers(withMembers(output(entries), { left: LEFT }), 'results', { price: PRICE })
        : output(entries),
    }),
    async run(given, call) {
      const { query, feed_id: feedId, limit, format } = readArguments(ARGUMENTS, [LIMIT, QUERY], given);
      const asked = { query, limit, isRanked: true };
      const near = async (found: readonly Found[]): Promise<readonly string[]> => {
        const views = found.slice(0, MAX_NEAR_REGISTERS).map((one) => viewFor(services, one.feedId, call));
        const words = (await Promise.all(views)).map((view) => suggestions.wordsFor(view, query, call));
        return [...new Set((await Promise.all(words)).flat())].slice(0, MAX_NEAR);
      };
      // Hosted connectors give nothing else, and look for objects.
      const isPlain = Object.values(given).filter((value) => value !== null).length === 1;
      const isTable = format === undefined ? !isPlain : format === 'table';
      if (feedId !== undefined) {
        checkFeed(call.access, feedId);
        const one = await searchRegister(services, feedId, asked, call);
        return answerOf({ found: [one], left: [], others: 0 }, isTable, call, services, () => near([one]));
      }
      const searcher = { ...call, feeds: openedFeeds(call.access) };
      const all = await searchRegisters(services, asked, searcher);
      return answerOf(all, isTable, call, services, () => near(all.found));
    },
  };
}

async function answerOf(
  { found, left, others }: FoundInAll,
  isTable: boolean,
  call: ToolCall,
  { sight: { tiers } }: ToolServices,
  nearest: () => Promise<readonly string[]>,
): Promise<JsonObject> {
  const show = ({ kindOf, definition }: Found, records: Found['records']): readonly JsonObject[] =>
    records.map((record) => {
      const { id, title, source_url: url } = record;
      const price = kindOf?.(record) === 'preview' ? priceOf(definition) : null;
      return { id, title, url, ...(price === null ? {} : { price }) };
    });
  const all = [
    ...found.flatMap((one) => show(one, one.records.slice(0, one.titled))),
    ...found.flatMap((one) => show(one, one.records.slice(one.titled))),
  ];
  const isBuyer = found.some(({ kindOf }) => kindOf !== null);
  const budget = isBuyer ? leftOf(call.access.buyer) : null;
  const around = {
    registers: found.map((one) => groupOf(one, one.records.length)),
    not_searched: left.slice(0, MAX_NAMED).map(({ definition }) => definition.id),
  };
  const room = call.room - costOf(around) - SPARE;
  const results = (isTable ? fitTable : fit)(all, room, fullUrlOf(call));
  const shown = Map.groupBy(results, ({ id }) => feedIdOf(id as string));
  const registers = found
    .map((one) => groupOf(one, shown.get(one.feedId)?.length ?? 0))
    .filter((group) => group.found > 0 || group.has_more === true);
  const more = Math.max(0, left.length - MAX_NAMED) + others;
  const notes = [
    found.every(({ definition }) => tierIn(definition, call.access.tier) === 'pro')
      ? null
      : isBuyer
        ? 'Searched is what you see: previews, and whole records that you bought. read_record buys one for its price.'
        : `Without an API key: only the latest ${windowOf(tiers)} records of each register that is not open are searched.`,
    results.length === 0
      ? 'Nothing was found: every word must be in the same record. Try fewer words, or word*.'
      : null,
    more > 0 ? `${counted(more, 'register')} more were not searched.` : null,
  ].filter((note) => note !== null);
  let values = results.length > 0 ? [] : await nearest();
  while (costOf({ values }) > room) values = values.slice(0, -1);
  return {
    ...matchedIn(found, left.length + others > 0),
    ...(isTable ? { ...tableOf(results), ...templatesOf(results, call.api) } : { results }),
    registers,
    ...(values.length > 0 && { values: { query: values } }),
    ...(budget === null ? {} : { left: budget }),
    ...(left.length === 0 ? {} : { not_searched: around.not_searched }),
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
  };
}

/** How many records match in all registers that were searched. @param isMore whether others were not */
function matchedIn(found: readonly Found[], isMore: boolean): object {
  const counts = found.map(({ matched, records }) => matched ?? { matched: records.length, isAtLeast: true });
  const matched = counts.reduce((sum, one) => sum + one.matched, 0);
  return matchedMembers({ matched, isAtLeast: isMore || counts.some(({ isAtLeast }) => isAtLeast) });
}

interface Group {
  readonly feed_id: string;
  readonly found: number;
  readonly matched?: number;
  readonly matched_at_least?: true;
  readonly has_more?: true;
}

function groupOf({ feedId, records, matched, hasMore }: Found, shown: number): Group {
  const more = hasMore || shown < records.length ? { has_more: true as const } : {};
  return { feed_id: feedId, found: shown, ...matchedMembers(matched), ...more };
}
