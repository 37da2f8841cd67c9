// The tool that reads a page of a register.
import { z } from 'zod';
import { GazetteError } from '../../errors.ts';
import { nextUrl } from '../../export/page-links.ts';
import { FILTERS } from '../../register/finding/filters.ts';
import type { Page, PageQuery } from '../../register/page.ts';
import { LIMIT, OFFSET } from '../../register/parameters.ts';
import { pageQueryOf } from '../../register/query.ts';
import { rangeShape } from '../../register/schemas/parameters.ts';
import { countSchema } from '../../register/schemas/records.ts';
import { readPage } from '../../register/sources/source.ts';
import type { SeenRegister } from '../../views/sight.ts';
import type { TierOptions } from '../../register/tier.ts';
import { matchedMembers, matchedPage } from '../../views/matches.ts';
import type { RegisterView } from '../../views/registers.ts';
import { Answers } from '../answers.ts';
import { costOf, cutText, fit } from '../budget.ts';
import type { JsonObject } from '../protocol.ts';
import { linkCost } from '../resources.ts';
import { LEFT, PREVIEW, PRICE, pricesFor, sells, withItemMembers, withMembers } from './prices.ts';
import { checkFields, type FieldChoice, FIELDS_ARGUMENT, readArguments, requiredText } from './arguments.ts';
import { CURSOR_ARGUMENT, cursorAfter, type CursorPlace, readCursor } from './cursor.ts';
import { filterArguments, filterOf, withConditionFields } from './filters.ts';
import {
  DATA_TEXT,
  inputSchema,
  MATCHED_SHAPE,
  NEXT_OFFSET,
  NOTE,
  outputSchema,
  RECORD,
  text,
  VALUES,
  withFeedIds,
} from './schemas.ts';
import { fullUrlOf, noteOf, previewSight, sight, windowOf, withoutKey } from './sight.ts';
import { fitTable, FORMAT_ARGUMENT, TABLE_SHAPE, tableOf, templatesOf } from './table.ts';
import { Suggestions } from './suggestions.ts';
import { type Tool, type ToolCall, type ToolServices, viewFor } from './tool.ts';

/** The default number of records in an answer. */
const DEFAULT_RECORDS = 20;

/** How much of a register's title is shown above its records. */
const MAX_TITLE_LENGTH = 300;

/** The longest note. */
const SPARE = 600;

const PAGE = z.object({
  feed_id: text('The register.'),
  title: text('Its title.').optional(),
  total: countSchema('How many records it has, whatever the tier; absent under a filter.').optional(),
  ...MATCHED_SHAPE,
  ...TABLE_SHAPE,
  records: z.array(RECORD).optional(),
  cursor: text('Call again with this cursor for what follows; absent: nothing does.').optional(),
  next_offset: NEXT_OFFSET,
  next_url: text('The same continuation over REST.').optional(),
  values: VALUES,
  note: NOTE,
});

/** `read_register`. */
export function readRegisterTool(services: ToolServices): Tool {
  const { registers, filters = FILTERS } = services;
  const { tiers } = services.sight;
  const suggestions = new Suggestions(services);
  const answers = new Answers();
  const parameters = [LIMIT, OFFSET, ...filters];
  const schema = z.strictObject({
    feed_id: requiredText('The register; list_registers names them.'),
    ...rangeShape(DEFAULT_RECORDS, {
      limit: 'How many records.',
      offset: 'Where to begin without a cursor; 0 is the newest record.',
    }),
    cursor: CURSOR_ARGUMENT,
    ...filterArguments(filters),
    fields: FIELDS_ARGUMENT,
    format: FORMAT_ARGUMENT,
  });
  const input = inputSchema(schema);
  const output = outputSchema(PAGE);
  return {
    name: 'read_register',
    define: (entries, api) => ({
      title: 'Read a register',
      description: `Reads records of a register, newest first; ask_register finds the earliest, least and most. ${withoutKey(entries, `the latest ${windowOf(tiers)} with their core fields; with one every record, with its content, data, author and versions.`)}Follow cursor for more. Cite source_url. ${DATA_TEXT} published_at and observed_at are different events: publication by the source, and when the register first saw it. For a complete register use REST, not this: GET ${api}/feeds/{feed_id}/records and its Link headers, or the exports below it.`,
      inputSchema: withConditionFields(withFeedIds(input(), entries), filters, entries),
      outputSchema: sells(entries)
        ? withItemMembers(withMembers(output(entries), { price: PRICE, left: LEFT }), 'records', { preview: PREVIEW })
        : output(entries),
    }),
    async run(given, call) {
      const args = readArguments(schema, parameters, given);
      const { feed_id: feedId, limit, offset, cursor } = args;
      const asked = pageQueryOf({ limit, offset }, filterOf(args, filters));
      const view = await viewFor({ registers }, feedId, call);
      const seen = services.sight.of(call.access, view);
      const { tier } = seen;
      const place = { entry: view.entry, filter: asked.filter, tier };
      const query = cursor === undefined ? asked : { ...asked, ...readCursor(cursor, place) };
      if (cursor !== undefined && offset !== 0) throw bothGiven(offset);
      const isBuyer = seen.kindOf !== null;
      const choice = checkFields(args.fields, view.entry.definition, isBuyer ? 'pro' : tier);
      const isTable = args.format === 'table';
      const question = [tier, call.api, call.room, query, isTable, choice === null ? null : [...choice]];
      const find = async (): Promise<JsonObject> => {
        const { read, isNothing } = await readRecords(view, { query, choice, place, seen, isTable }, call, tiers);
        if (query.filter === undefined || !isNothing || query.offset > 0 || query.asOf !== undefined) return read;
        const values = await suggestions.valuesFor(view, query.filter, call, call.room - costOf(read) - SPARE);
        return { ...read, ...(Object.keys(values).length === 0 ? {} : { values }) };
      };
      // What a buyer owns, and has left, changes with every purchase.
      return isBuyer ? find() : answers.to(view, question, find);
    },
  };
}

/** What is read of a register. */
interface Reading {
  readonly query: PageQuery;
  readonly choice: FieldChoice;
  readonly place: CursorPlace;
  readonly seen: SeenRegister;
  readonly isTable: boolean;
}

/** Where what follows is. */
interface Continuation extends JsonObject {
  readonly next_offset: number | null;
}

/** A page as the caller sees it, limited to the room. `isNothing`: it has no record, and none follows. */
async function readRecords(
  view: RegisterView,
  { query, choice, place, seen: { source: seen, kindOf }, isTable }: Reading,
  call: ToolCall,
  tiers: TierOptions,
): Promise<{ readonly read: JsonObject; readonly isNothing: boolean }> {
  const { entry } = view;
  const { tier } = place;
  const show = (page: Page): JsonObject[] =>
    page.records.map((record) => {
      const kind = kindOf?.(record);
      const shown =
        kind === 'preview'
          ? previewSight(record, choice, tiers)
          : sight(record, call, [kind === 'own' ? 'pro' : tier, true], choice)!;
      return isTable && choice === null ? withoutNames(shown, id) : shown;
    });
  const asked = { ...query, signal: call.request.signal };
  const read = await matchedPage(view, seen, asked);
  let { page } = read;
  const matched = matchedMembers(read.matched);

  const { id, title } = entry.definition;
  // A count of the whole register would pass for the count of what matches.
  const total = query.filter === undefined ? { total: entry.total } : {};
  const address = new URL(`${call.api}/feeds/${id}/records`);
  const prices = pricesFor({ entry }, call);
  const around = { feed_id: id, title: cutText(title, MAX_TITLE_LENGTH), ...total, ...matched, ...prices };
  const continuing = (): Continuation => continuation(address, query, page, place);
  const room = call.room - costOf({ ...around, ...continuing() }) - SPARE;
  const fitted = (): readonly JsonObject[] =>
    isTable
      ? fitTable(show(page), room, fullUrlOf(call))
      : fit(show(page), room, fullUrlOf(call), { beside: linkCost });
  let records = fitted();
  // If fewer records fit, the next page begins elsewhere, and only the source knows where: in the same view, of which
  // other records may be live by now.
  while (records.length < page.records.length) {
    const pinned = page.asOf === null ? {} : { asOf: page.asOf };
    page = await readPage(seen, { ...asked, ...pinned, limit: records.length });
    records = fitted();
  }
  const isShort = page.records.length < query.limit && page.nextOffset !== null;
  const answer = {
    ...around,
    ...(isTable ? { ...tableOf(records), ...templatesOf(records, call.api) } : { records }),
    ...continuing(),
    ...noteOf(records, kindOf === null ? tier : 'buyer', isShort, tiers),
  };
  return { read: answer, isNothing: records.length === 0 && page.nextOffset === null };
}

/** A record without what a table of one register need not say: the register, its place there, and a key that the id ends with. */
function withoutNames({ key, ...record }: JsonObject, feedId: string): JsonObject {
  const isInId = record.id === `${feedId}:${String(key)}`;
  const rest = Object.entries(record).filter(([name]) => name !== 'feed_id' && name !== 'position');
  return { ...Object.fromEntries(rest), ...(isInId || key === undefined ? {} : { key }) };
}

function continuation(address: URL, query: PageQuery, page: Page, place: CursorPlace): Continuation {
  const next = nextUrl(address, query, page);
  const cursor = cursorAfter(page, place);
  return {
    ...(cursor === null ? {} : { cursor }),
    next_offset: page.nextOffset,
    ...(next === null ? {} : { next_url: next.href }),
  };
}

function bothGiven(offset: number): GazetteError {
  return new GazetteError('invalid_parameter', `give cursor or offset, not both, got offset ${offset}`, {
    details: { parameter: 'offset' },
  });
}
