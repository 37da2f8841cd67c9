// The tools that read one record, by its id or by the publisher's key: `read_record`, and `fetch`, which hosted connectors
// look for beside `search` and which gives a record as a text to cite.
import { z } from 'zod';
import { isObject } from '../../checks.ts';
import { GazetteError } from '../../errors.ts';
import { priceOf } from '../../money.ts';
import type { RegisterRecord } from '../../register/record.ts';
import { isInPublicWindow, type Tier, tierIn } from '../../register/tier.ts';
import type { RegisterEntry } from '../../stores/contract/registers.ts';
import { sellingRegisters } from '../../views/offers.ts';
import { fit } from '../budget.ts';
import type { JsonObject } from '../protocol.ts';
import { linkCost } from '../resources.ts';
import { sells } from './prices.ts';
import { checkFields, FIELDS_ARGUMENT, readArguments, RECORD_ID_TEXT, requiredText } from './arguments.ts';
import { DATA_TEXT, FULL_URL, inputSchema, NOTE, outputSchema, RECORD, SHORTENED, text } from './schemas.ts';
import { fullUrlOf, noteOf, recordUrl, sight, windowOf, withoutKey } from './sight.ts';
import { Suggestions } from './suggestions.ts';
import {
  type PurchaseArguments,
  type Tool,
  type ToolCall,
  type ToolDefinition,
  type ToolServices,
  viewOfRecordFor,
} from './tool.ts';

/** The longest note. */
const SPARE = 600;

const RECORD_ARGUMENTS = z.strictObject({
  record_id: requiredText(RECORD_ID_TEXT),
  fields: FIELDS_ARGUMENT,
});

/** A record that the caller may see. */
interface SeenRecord {
  readonly tier: Tier;
  readonly shown: JsonObject;
  /** What is said of its purchase; empty where it cost nothing. */
  readonly bought: JsonObject;
}

/** `read_record`. */
export function readRecordTool(services: ToolServices): Tool {
  const { tiers } = services.sight;
  const suggestions = new Suggestions(services);
  const input = inputSchema(RECORD_ARGUMENTS);
  const output = outputSchema(z.object({ record: RECORD, note: NOTE }), { isBrief: true });
  return {
    name: 'read_record',
    define: (entries) => ({
      title: 'Read a record',
      description: `Reads one record by its id, or by the publisher’s key, as it stands. ${withoutKey(entries, `its core fields, while it is one of its register’s latest ${windowOf(tiers)}.`)}${costs(services, entries) ? COSTS_TEXT : ''}Cite source_url. ${DATA_TEXT}`,
      ...buyable(services, entries, { inputSchema: input(), outputSchema: output(entries) }),
    }),
    async run(given, call) {
      const { rest, asked } = await purchaseIn(services, given);
      const args = readArguments(RECORD_ARGUMENTS, [], rest);
      return suggestions.reading(args.record_id, call, async (id) => {
        const { tier, shown, bought } = await seenRecord(services, id, { call, asked, fields: args.fields });
        const records = fit([shown], call.room - SPARE, fullUrlOf(call), { beside: linkCost });
        return { record: records[0], ...bought, ...noteOf(records, tier, false, tiers) };
      });
    },
  };
}

const FETCH_ARGUMENTS = z.strictObject({ id: requiredText('The id that search gave, such as permits:2026-0191.') });

const FETCHED = z.object({
  id: text('The record.'),
  title: text('Its title.').optional(),
  text: text('Its summary, its content and its own fields.').optional(),
  url: text('Where the publisher has it: cite it.').optional(),
  metadata: z.record(z.string(), z.string()).optional().meta({
    description: 'Its other fields, and record_url, where it is over REST.',
  }),
  shortened: SHORTENED,
  full_url: FULL_URL,
  note: NOTE,
});

/** `fetch`. */
export function fetchTool(services: ToolServices): Tool {
  const { tiers } = services.sight;
  const suggestions = new Suggestions(services);
  const input = inputSchema(FETCH_ARGUMENTS);
  const output = outputSchema(FETCHED);
  return {
    name: 'fetch',
    define: (entries) => ({
      title: 'Fetch a record',
      description: `Gives one record as a text to read and cite, by the id that search gave; read_record has it field by field. ${withoutKey(entries, 'as read_record.')}${costs(services, entries) ? 'Costs what read_record costs. ' : ''}${DATA_TEXT}`,
      ...buyable(services, entries, { inputSchema: input(), outputSchema: output(entries) }),
    }),
    async run(given, call) {
      const { rest, asked } = await purchaseIn(services, given);
      const args = readArguments(FETCH_ARGUMENTS, [], rest);
      return suggestions.reading(args.id, call, async (id) => {
        const { tier, shown, bought } = await seenRecord(services, id, { call, asked });
        const documents = fit([documentOf(shown, call)], call.room - SPARE, fullUrlOf(call));
        return { ...documents[0], ...bought, ...noteOf(documents, tier, false, tiers) };
      });
    },
  };
}

/** What a tool says where records are sold. */
const COSTS_TEXT = 'An older record costs its price, once a version: give expected_price. ';

/** Whether the tools can cost something. */
function costs({ buying }: ToolServices, entries: readonly RegisterEntry[]): boolean {
  return buying !== undefined && sells(entries);
}

/** The schemas of a tool that can cost something, where something is sold. */
function buyable(
  services: ToolServices,
  entries: readonly RegisterEntry[],
  schemas: Pick<ToolDefinition, 'inputSchema' | 'outputSchema'>,
): Pick<ToolDefinition, 'inputSchema' | 'outputSchema'> {
  return costs(services, entries) ? services.buying!.described(schemas) : schemas;
}

/** The arguments that buy, and the others: those are there only where something is sold. */
async function purchaseIn(
  { store, buying }: ToolServices,
  given: JsonObject,
): Promise<{ readonly rest: JsonObject; readonly asked: PurchaseArguments }> {
  const none = { rest: given, asked: {} };
  if (buying === undefined) return none;
  if (!isObject(given) || (given.purchase_id === undefined && given.expected_price === undefined)) return none;
  return sells(await sellingRegisters(store.catalogue, 1)) ? buying.asked(given) : none;
}

/** Which record, for whom. */
interface AskedRecord {
  readonly call: ToolCall;
  readonly asked: PurchaseArguments;
  readonly fields?: readonly string[] | undefined;
}

/**
 * A record as the caller sees it, who buys it where that is what the call is for.
 *
 * @throws GazetteError `credentials_required`, `unknown_record`, `record_withdrawn`; `invalid_parameter` for the fields; those of
 *   {@link Buying.buy}
 */
async function seenRecord(
  services: ToolServices,
  id: string,
  { call, asked, fields }: AskedRecord,
): Promise<SeenRecord> {
  const { registers, sight: callers } = services;
  const { tiers } = callers;
  const view = await viewOfRecordFor({ registers }, id, call);
  const { definition } = view.entry;
  const tier = tierIn(definition, call.access.tier);
  const show = (record: RegisterRecord, seenAs: Tier, isInWindow: boolean): JsonObject | null =>
    sight(record, call, [seenAs, isInWindow], checkFields(fields, definition, seenAs));
  const record = await registers.record(id);
  if (tier === 'pro' || (await callers.own(call.access)?.owned([id]))?.has(id) === true) {
    const bought = (await services.buying?.before(id, asked, call)) ?? {};
    return { tier: 'pro', shown: show(record, 'pro', true)!, bought };
  }
  if (await isInPublicWindow(view.source, id, tiers.window, call.request.signal)) {
    return { tier, shown: show(record, tier, true)!, bought: {} };
  }
  // What is wrong with the call is said before anything is charged.
  checkFields(fields, definition, priceOf(definition) === null ? tier : 'pro');
  const purchase = (await services.buying?.buy(view, id, asked, call)) ?? null;
  if (purchase !== null) return { tier: 'pro', shown: show(purchase.record, 'pro', true)!, bought: purchase.bought };
  throw new GazetteError(
    'credentials_required',
    `${id} is not among the latest ${windowOf(tiers)} records of its register: it needs an API key, sent as Authorization: Bearer <API_KEY>. A preview is free at ${recordUrl(call.api, id)}`,
  );
}

/** A record as a document: what the caller sees of it as one text, and the rest as texts by their names. */
function documentOf(shown: JsonObject, call: ToolCall): JsonObject {
  const { id, title, summary, content, source_url, data, ...rest } = shown as unknown as Partial<RegisterRecord>;
  const own = Object.entries(data ?? {}).filter(([, value]) => value !== null);
  const lines = own.map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const parts = [summary, content, lines.join('\n')].filter((part) => (part ?? '') !== '');
  const metadata = Object.entries({ ...rest, record_url: recordUrl(call.api, id!) })
    .filter(([name, value]) => value !== null && name !== 'position')
    .map(([name, value]) => [name, String(value)] as const);
  return {
    id,
    title,
    text: parts.length === 0 ? title : parts.join('\n\n'),
    url: source_url,
    metadata: Object.fromEntries(metadata),
  };
}
