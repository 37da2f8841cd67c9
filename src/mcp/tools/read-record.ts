// The tools that read one record, by its id or by the publisher's key: `read_record`, and `fetch`, which hosted connectors
// look for beside `search` and which gives a record as a text to cite.
import { z } from 'zod';
import { GazetteError } from '../../errors.ts';
import type { RegisterRecord } from '../../register/record.ts';
import { isInPublicWindow, type Tier, tierIn } from '../../register/tier.ts';
import { fit } from '../budget.ts';
import type { JsonObject } from '../protocol.ts';
import { linkCost } from '../resources.ts';
import { checkFields, FIELDS_ARGUMENT, readArguments, RECORD_ID_TEXT, requiredText } from './arguments.ts';
import { DATA_TEXT, FULL_URL, inputSchema, NOTE, outputSchema, RECORD, SHORTENED, text } from './schemas.ts';
import { fullUrlOf, noteOf, recordUrl, sight, windowOf } from './sight.ts';
import { Suggestions } from './suggestions.ts';
import { type Tool, type ToolCall, type ToolServices, viewOfRecordFor } from './tool.ts';

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
}

/** `read_record`. */
export function readRecordTool(services: ToolServices): Tool {
  const { tiers } = services;
  const suggestions = new Suggestions(services);
  const input = inputSchema(RECORD_ARGUMENTS);
  const output = outputSchema(z.object({ record: RECORD, note: NOTE }), { isBrief: true });
  return {
    name: 'read_record',
    define: (entries) => ({
      title: 'Read a record',
      description: `Reads one record by its id, or by the publisher’s key, as it stands. Without an API key: its core fields, while it is one of its register’s latest ${windowOf(tiers)}. Cite source_url. ${DATA_TEXT}`,
      inputSchema: input(),
      outputSchema: output(entries),
    }),
    async run(given, call) {
      const args = readArguments(RECORD_ARGUMENTS, [], given);
      return suggestions.reading(args.record_id, call, async (id) => {
        const { tier, shown } = await seenRecord(services, id, call, args.fields);
        const records = fit([shown], call.room - SPARE, fullUrlOf(call), linkCost);
        return { record: records[0], ...noteOf(records, tier, false, tiers) };
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
  const { tiers } = services;
  const suggestions = new Suggestions(services);
  const input = inputSchema(FETCH_ARGUMENTS);
  const output = outputSchema(FETCHED);
  return {
    name: 'fetch',
    define: (entries) => ({
      title: 'Fetch a record',
      description: `Gives one record as a text to read and cite, by the id that search gave; read_record has it field by field. Without an API key as read_record. ${DATA_TEXT}`,
      inputSchema: input(),
      outputSchema: output(entries),
    }),
    async run(given, call) {
      const args = readArguments(FETCH_ARGUMENTS, [], given);
      return suggestions.reading(args.id, call, async (id) => {
        const { tier, shown } = await seenRecord(services, id, call);
        const documents = fit([documentOf(shown, call)], call.room - SPARE, fullUrlOf(call));
        return { ...documents[0], ...noteOf(documents, tier, false, tiers) };
      });
    },
  };
}

/**
 * A record as the caller sees it.
 *
 * @throws GazetteError `credentials_required`, `unknown_record`, `record_withdrawn`; `invalid_parameter` for the fields
 */
async function seenRecord(
  { registers, tiers }: ToolServices,
  id: string,
  call: ToolCall,
  fields?: readonly string[],
): Promise<SeenRecord> {
  const { entry, source } = await viewOfRecordFor({ registers }, id, call);
  const tier = tierIn(entry.definition, call.access.tier);
  const choice = checkFields(fields, entry.definition, tier);
  const record = await registers.record(id);
  const isLatest = tier === 'pro' || (await isInPublicWindow(source, id, tiers.window, call.request.signal));
  const shown = sight(record, call, [tier, isLatest], choice);
  if (shown !== null) return { tier, shown };
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
