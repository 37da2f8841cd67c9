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
import { seenRegister, type SeenRegister } from '../../views/seen-registers.ts';
import type { TierOptions } from '../../register/tier.ts';
import type { RegisterView } from '../../views/registers.ts';
import { Answers } from '../answers.ts';
import { costOf, cutText, fit } from '../budget.ts';
import type { JsonObject } from '../protocol.ts';
import { linkCost } from '../resources.ts';
import { LEFT, PREVIEW, PRICE, pricesFor, sells, withItemMembers, withMembers } from './buying.ts';
import { checkFields, type FieldChoice, FIELDS_ARGUMENT, readArguments, requiredText } from './arguments.ts';
import { CURSOR_ARGUMENT, cursorAfter, type CursorPlace, readCursor } from './cursor.ts';
import { filterArguments, filterOf, withConditionFields } from './filters.ts';
import { DATA_TEXT, inputSchema, NEXT_OFFSET, NOTE, outputSchema, RECORD, text, withFeedIds } from './schemas.ts';
import { fullUrlOf, noteOf, previewSight, sight, windowOf } from './sight.ts';
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
  records: z.array(RECORD),
  cursor: text('Call again with this cursor for what follows; absent: nothing does.').optional(),
  next_offset: NEXT_OFFSET,
  next_url: text('The same continuation over REST.').optional(),
  values: z.record(z.string(), z.array(z.string())).optional().meta({
    description:
      'Where nothing matches: what there is, by the name of each filter; the nearest first, then the commonest.',
  }),
  note: NOTE,
});

/** `read_register`. */
export function readRegisterTool(services: ToolServices): Tool {
  const { registers, tiers, filters = FILTERS } = services;
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
  });
  const input = inputSchema(schema);
  const output = outputSchema(PAGE);
  return {
    name: 'read_register',
    define: (entries, api) => ({
      title: 'Read a register',
      description: `Reads records of a register, newest first. Without an API key: the latest ${windowOf(tiers)} with their core fields. With one: every record, with its content, data, author and versions. Follow cursor for more. Cite source_url. ${DATA_TEXT} published_at and observed_at are different events: publication by the source, and when the register first saw it. For a complete register use REST, not this: GET ${api}/feeds/{feed_id}/records and its Link headers, or the exports below it.`,
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
      const seen = seenRegister(services, view, call.access);
      const { tier } = seen;
      const place = { entry: view.entry, filter: asked.filter, tier };
      const query = cursor === undefined ? asked : { ...asked, ...readCursor(cursor, place) };
      if (cursor !== undefined && offset !== 0) throw bothGiven(offset);
      const isBuyer = seen.kindOf !== null;
      const choice = checkFields(args.fields, view.entry.definition, isBuyer ? 'pro' : tier);
      const question = [tier, call.api, call.room, query, choice === null ? null : [...choice]];
      const find = async (): Promise<JsonObject> => {
        const read = await readRecords(view, { query, choice, place, seen }, call, tiers);
        const isEmpty = query.offset === 0 && query.asOf === undefined && read.records.length === 0;
        if (query.filter === undefined || !isEmpty || read.next_offset !== null) return read;
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
}

/** Where what follows is. */
interface Continuation extends JsonObject {
  readonly next_offset: number | null;
}

/** A page for the caller. */
interface Listed extends Continuation {
  readonly records: readonly JsonObject[];
}

/** A page as the caller sees it, limited to the room. */
async function readRecords(
  { entry }: RegisterView,
  { query, choice, place, seen: { source: seen, kindOf } }: Reading,
  call: ToolCall,
  tiers: TierOptions,
): Promise<Listed> {
  const { tier } = place;
  const show = (page: Page): JsonObject[] =>
    page.records.map((record) => {
      const kind = kindOf?.(record);
      if (kind === 'preview') return previewSight(record, choice, tiers);
      return sight(record, call, [kind === 'bought' ? 'pro' : tier, true], choice)!;
    });
  let page = await readPage(seen, { ...query, signal: call.request.signal });

  const { id, title } = entry.definition;
  // A count of the whole register would pass for the count of what matches.
  const total = query.filter === undefined ? { total: entry.total } : {};
  const address = new URL(`${call.api}/feeds/${id}/records`);
  const prices = pricesFor({ entry }, call);
  const around = { feed_id: id, title: cutText(title, MAX_TITLE_LENGTH), ...total, ...prices };
  const continuing = (): Continuation => continuation(address, query, page, place);
  const room = call.room - costOf({ ...around, ...continuing() }) - SPARE;
  let records = fit(show(page), room, fullUrlOf(call), linkCost);
  // If fewer records fit, the next page begins elsewhere, and only the source knows where: in the same view, of which
  // other records may be live by now.
  while (records.length < page.records.length) {
    const view = page.asOf === null ? {} : { asOf: page.asOf };
    page = await readPage(seen, { ...query, ...view, limit: records.length, signal: call.request.signal });
    records = fit(show(page), room, fullUrlOf(call), linkCost);
  }
  return {
    ...around,
    records,
    ...continuing(),
    ...noteOf(
      records,
      kindOf === null ? tier : 'buyer',
      page.records.length < query.limit && page.nextOffset !== null,
      tiers,
    ),
  };
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
