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
import { countSchema } from '../../register/schemas/records.ts';
import { type Found, type FoundInAll, searchRegister, searchRegisters } from '../../views/search-registers.ts';
import { leftOf } from '../../views/offers.ts';
import { costOf, fit } from '../budget.ts';
import { readArguments, requiredText } from './arguments.ts';
import { LEFT, PRICE, sells, withItemMembers, withMembers } from './buying.ts';
import { DATA_TEXT, FULL_URL, inputSchema, NOTE, outputSchema, SHORTENED, text, withFeedIds } from './schemas.ts';
import { fullUrlOf, windowOf } from './sight.ts';
import type { JsonObject } from '../protocol.ts';
import type { Tool, ToolCall, ToolServices } from './tool.ts';

/** The default number of records in an answer. */
const DEFAULT_RESULTS = 20;

/** How many registers that were not searched an answer names. */
const MAX_NAMED = 50;

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
});

const ANSWER = z.object({
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
    .meta({ description: 'By register, newest first.' }),
  registers: z
    .array(
      z.object({
        feed_id: z.string(),
        found: countSchema('How many of the results are of it.'),
        has_more: z.boolean().optional().meta({ description: 'read_register with q finds the others.' }),
      }),
    )
    .meta({ description: 'Where something was found, or may be.' }),
  not_searched: z.array(z.string()).optional().meta({
    description: 'Registers that this call did not reach, or that have no search: ask for one by its feed_id.',
  }),
  note: NOTE,
});

/** `search`. */
export function searchTool(services: ToolServices): Tool {
  const { tiers } = services;
  const input = inputSchema(ARGUMENTS);
  const output = outputSchema(ANSWER);
  return {
    name: 'search',
    define: (entries) => ({
      title: 'Search',
      description: `Finds records by their words, in one register or in all. For dates, types and own fields use read_register, which takes the same words as q. Without an API key: among the latest ${windowOf(tiers)} records of each register. Cite url. ${DATA_TEXT}`,
      inputSchema: withFeedIds(input(), entries),
      outputSchema: sells(entries)
        ? withItemMembers(withMembers(output(entries), { left: LEFT }), 'results', { price: PRICE })
        : output(entries),
    }),
    async run(given, call) {
      const { query, feed_id: feedId, limit } = readArguments(ARGUMENTS, [LIMIT, QUERY], given);
      if (feedId !== undefined) {
        checkFeed(call.access, feedId);
        const one = await searchRegister(services, feedId, { query, limit }, call);
        return answerOf({ found: [one], left: [], others: 0 }, call, services);
      }
      const searcher = { ...call, feeds: openedFeeds(call.access) };
      return answerOf(await searchRegisters(services, { query, limit }, searcher), call, services);
    },
  };
}

function answerOf({ found, left, others }: FoundInAll, call: ToolCall, { tiers }: ToolServices): JsonObject {
  const all = found.flatMap(({ records, kindOf, definition }) =>
    records.map((record): JsonObject => {
      const { id, title, source_url: url } = record;
      const price = kindOf?.(record) === 'preview' ? priceOf(definition) : null;
      return { id, title, url, ...(price === null ? {} : { price }) };
    }),
  );
  const isBuyer = found.some(({ kindOf }) => kindOf !== null);
  const budget = isBuyer ? leftOf(call.access.buyer) : null;
  const around = {
    registers: found.map((one) => groupOf(one, one.records.length)),
    not_searched: left.slice(0, MAX_NAMED).map(({ definition }) => definition.id),
  };
  const results = fit(all, call.room - costOf(around) - SPARE, fullUrlOf(call));
  const shown = Map.groupBy(results, ({ id }) => feedIdOf(id as string));
  const registers = found
    .map((one) => groupOf(one, shown.get(one.feedId)?.length ?? 0))
    .filter((group) => group.found > 0 || group.has_more === true);
  const more = Math.max(0, left.length - MAX_NAMED) + others;
  const notes = [
    call.access.tier === 'pro'
      ? null
      : isBuyer
        ? 'Searched is what you see: previews, and whole records that you bought. read_record buys one for its price.'
        : `Without an API key: only the latest ${windowOf(tiers)} records of each register are searched.`,
    results.length === 0
      ? 'Nothing was found: every word must be in the same record. Try fewer words, or word*.'
      : null,
    more > 0 ? `${counted(more, 'register')} more were not searched.` : null,
  ].filter((note) => note !== null);
  return {
    results,
    registers,
    ...(budget === null ? {} : { left: budget }),
    ...(left.length === 0 ? {} : { not_searched: around.not_searched }),
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
  };
}

interface Group {
  readonly feed_id: string;
  readonly found: number;
  readonly has_more?: true;
}

function groupOf({ feedId, records, hasMore }: Found, shown: number): Group {
  return { feed_id: feedId, found: shown, ...(hasMore || shown < records.length ? { has_more: true } : {}) };
}
