// The tools that read records: a page of a register, and one record by its id.
import { GazetteError } from '../../errors.ts';
import { nextUrl } from '../../export/page-links.ts';
import { PAGE_SIZE, type Page, type PageQuery } from '../../register/page.ts';
import { parsePageQuery } from '../../register/query.ts';
import type { RegisterRecord } from '../../register/record.ts';
import { readPage } from '../../register/source.ts';
import { isInPublicWindow, PUBLIC_WINDOW, tierAgentRecord, tierSource, type TierOptions } from '../../register/tier.ts';
import type { RegisterView } from '../../views/registers.ts';
import { Answers } from '../answers.ts';
import {
  checkArguments,
  checkFields,
  chooseFields,
  type FieldChoice,
  requiredText,
  toParameters,
} from './arguments.ts';
import { costOf, cutText, fit } from '../budget.ts';
import type { JsonObject } from '../protocol.ts';
import {
  argumentsSchema,
  feedIdSchema,
  FIELDS_ARGUMENT,
  integer,
  NEXT_OFFSET,
  NOTE,
  objectSchema,
  recordSchema,
  text,
} from './schemas.ts';
import type { Tool, ToolCall, ToolServices } from './tool.ts';

/** How many records an answer has unless asked otherwise. */
const DEFAULT_RECORDS = 20;

/** How much of a register's title stands above its records. */
const MAX_TITLE_LENGTH = 300;

/** The note that takes up most room. */
const SPARE = 600;

/** `read_register`. */
export function readRegisterTool({ registers, tiers }: ToolServices): Tool {
  const answers = new Answers();
  return {
    name: 'read_register',
    define: (entries, api) => ({
      title: 'Read a register',
      description: `Reads records of a register, newest first. Without an API key: the latest ${windowOf(tiers)} with their core fields. With one: every record, with its content, data, author and versions. Follow next_offset for more. Cite source_url. published_at and observed_at are different events: publication by the source, and when the register first saw it. For a complete register use REST, not this: GET ${api}/feeds/{feed_id}/records and its Link headers, or the exports below it.`,
      inputSchema: argumentsSchema(
        {
          feed_id: feedIdSchema(entries),
          limit: integer('How many records.', { minimum: 1, maximum: PAGE_SIZE, default: DEFAULT_RECORDS }),
          offset: integer('next_offset of the call before; 0 is the newest record.', { minimum: 0, default: 0 }),
          document_type: text('Only records of exactly this document type, such as adopted.'),
          facility_id: text('Only records of exactly this facility.'),
          fields: FIELDS_ARGUMENT,
        },
        ['feed_id'],
      ),
      outputSchema: objectSchema(
        {
          feed_id: text('The register.'),
          title: text('Its title.'),
          total: integer('How many records it has, whatever the filters and the tier.'),
          records: { type: 'array', items: recordSchema(entries) },
          next_offset: NEXT_OFFSET,
          next_url: text('The same continuation over REST.'),
          note: NOTE,
        },
        ['feed_id', 'records', 'next_offset'],
      ),
    }),
    async run(given, call) {
      const args = checkArguments(given, ['feed_id', 'limit', 'offset', 'document_type', 'facility_id', 'fields']);
      const feedId = requiredText(args, 'feed_id');
      const parameters = toParameters(args, ['limit', 'offset', 'document_type', 'facility_id']);
      const query = parsePageQuery(parameters, { defaultLimit: DEFAULT_RECORDS });
      const view = await registers.view(feedId, call.stamp);
      const { tier } = call.access;
      const choice = checkFields(args, view.entry.definition, tier);
      const question = [tier, call.api, call.room, query, choice === null ? null : [...choice]];
      return answers.to(view, question, () => readRecords(view, query, choice, call, tiers));
    },
  };
}

/** A page as the caller sees it, as much of it as there is room for. */
async function readRecords(
  { entry, source }: RegisterView,
  query: PageQuery,
  choice: FieldChoice,
  call: ToolCall,
  tiers: TierOptions,
): Promise<JsonObject> {
  const { tier } = call.access;
  const seen = tierSource(source, tier, tiers);
  const show = (page: Page): JsonObject[] => page.records.map((record) => sight(record, call, true, choice)!);
  let page = await readPage(seen, { ...query, signal: call.request.signal });

  const { id, title } = entry.definition;
  const address = new URL(`${call.api}/feeds/${id}/records`);
  const around = { feed_id: id, title: cutText(title, MAX_TITLE_LENGTH), total: entry.total };
  const room = call.room - costOf({ ...around, ...continuation(address, query, page) }) - SPARE;
  let records = fit(show(page), room, fullUrlOf(call));
  if (records.length < page.records.length) {
    // Whoever reads fewer continues elsewhere: only the source knows where.
    page = await readPage(seen, { ...query, limit: records.length, signal: call.request.signal });
    records = records.slice(0, page.records.length);
  }
  return {
    ...around,
    records,
    ...continuation(address, query, page),
    ...noteOf(records, tier, page.records.length < query.limit && page.nextOffset !== null, tiers),
  };
}

/** `read_record`. */
export function readRecordTool({ registers, tiers }: ToolServices): Tool {
  return {
    name: 'read_record',
    define: (entries) => ({
      title: 'Read a record',
      description: `Reads one record by its id, as it stands. Without an API key: its core fields, while it is one of its register’s latest ${windowOf(tiers)}. Cite source_url.`,
      inputSchema: argumentsSchema(
        { record_id: text('The id that read_register gave, such as permits:2026-0191.'), fields: FIELDS_ARGUMENT },
        ['record_id'],
      ),
      outputSchema: objectSchema({ record: recordSchema(entries), note: NOTE }, ['record']),
    }),
    async run(given, call) {
      const args = checkArguments(given, ['record_id', 'fields']);
      const id = requiredText(args, 'record_id');
      const { entry, source } = await registers.viewOfRecord(id, call.stamp);
      const { tier } = call.access;
      const choice = checkFields(args, entry.definition, tier);
      const record = await registers.record(id);
      const isLatest = tier === 'pro' || (await isInPublicWindow(source, id, tiers.window, call.request.signal));
      const shown = sight(record, call, isLatest, choice);
      if (shown === null) {
        throw new GazetteError(
          'credentials_required',
          `${id} is not among the latest ${windowOf(tiers)} records of its register: it needs an API key, sent as Authorization: Bearer <API_KEY>. A preview is free at ${recordUrl(call.api, id)}`,
        );
      }
      const records = fit([shown], call.room - SPARE, fullUrlOf(call));
      return { record: records[0], ...noteOf(records, tier, false, tiers) };
    },
  };
}

/** Where a record is, over REST. */
export function recordUrl(api: string, id: string): string {
  return `${api}/records/${id}`;
}

/** A record as the caller sees it, with the fields it chose; null where it sees nothing. */
function sight(record: RegisterRecord, call: ToolCall, inWindow: boolean, choice: FieldChoice): JsonObject | null {
  const historyUrl = `${recordUrl(call.api, record.id)}/history`;
  const seen = tierAgentRecord(record, call.access.tier, inWindow, historyUrl);
  return seen === null ? null : chooseFields(seen as unknown as JsonObject, choice);
}

function fullUrlOf({ api }: ToolCall): (record: JsonObject) => string {
  return (record) => recordUrl(api, record.id as string);
}

function continuation(address: URL, query: PageQuery, page: Page): JsonObject {
  const next = nextUrl(address, query, page);
  return { next_offset: page.nextOffset, ...(next === null ? {} : { next_url: next.href }) };
}

function noteOf(
  records: readonly JsonObject[],
  tier: string,
  isShort: boolean,
  tiers: TierOptions,
): { readonly note?: string } {
  const shortened = records.filter((record) => record.shortened !== undefined).length;
  const notes = [
    tier === 'pro'
      ? null
      : `Without an API key: core fields of the latest ${windowOf(tiers)} records. A key, sent as Authorization: Bearer <API_KEY>, adds content, data, author, versions and all older records.`,
    isShort ? 'Fewer records than asked for, to keep the answer short: continue at next_offset.' : null,
    shortened === 0 ? null : `Long fields of ${shortened} shown here are shortened: full_url has them whole.`,
  ].filter((note) => note !== null);
  return notes.length === 0 ? {} : { note: notes.join(' ') };
}

function windowOf({ window = PUBLIC_WINDOW }: TierOptions): number {
  return window;
}
