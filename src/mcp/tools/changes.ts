// The tool that says what is new, corrected and withdrawn since a change number or a day: the versions of `/changes`, as a table.
import { z } from 'zod';
import { GazetteError, quote } from '../../errors.ts';
import type { Filter } from '../../register/finding/filter.ts';
import { FILTERS } from '../../register/finding/filters.ts';
import { changeToken, type ChangeToken, LIMIT, readChangeToken, SINCE } from '../../register/parameters.ts';
import type { RecordVersion } from '../../register/record.ts';
import { rangeShape } from '../../register/schemas/parameters.ts';
import { countSchema } from '../../register/schemas/records.ts';
import { readPage, type RegisterSource } from '../../register/sources/source.ts';
import { tierIn } from '../../register/tier.ts';
import { toEpochMs } from '../../register/time.ts';
import type { RegisterEntry } from '../../stores/contract/catalogue.ts';
import { costOf } from '../budget.ts';
import type { JsonObject } from '../protocol.ts';
import {
  checkFields,
  chooseFields,
  FIELDS_ARGUMENT,
  type FieldChoice,
  readArguments,
  requiredText,
} from './arguments.ts';
import { filterArguments, filterOf, withBriefFilters } from './filters.ts';
import { DATA_TEXT, inputSchema, NOTE, outputSchema, text, withFeedIds } from './schemas.ts';
import { keyNeeded, recordUrl } from './sight.ts';
import { fitTable, BRIEF_TABLE_SHAPE, tableOf, templatesOf } from './table.ts';
import { Suggestions } from './suggestions.ts';
import { type Tool, type ToolCall, type ToolServices, viewFor } from './tool.ts';

/** The default number of changes in an answer. */
const DEFAULT_CHANGES = 50;

/** The members around the changes. */
const SPARE = 800;

const ANSWER = z.object({
  feed_id: text('The register.'),
  changes: countSchema('How many there are since then, of all records.'),
  ...BRIEF_TABLE_SHAPE,
  cursor: text('Call again with this as since: it goes on, now or when the register has changed again.'),
  more: z.boolean().meta({ description: 'Whether there is more now.' }),
  values: z.looseObject({}).optional(),
  note: NOTE,
});

/** `changes`. */
export function changesTool(services: ToolServices): Tool {
  const { store, filters = FILTERS } = services;
  const suggestions = new Suggestions(services);
  const schema = z.strictObject({
    feed_id: requiredText('The register.'),
    since: z.union([z.string(), z.int()], { error: 'must be given as a text' }).meta({
      description: 'A day (2026-04-01, its midnight UTC), a time, a change number, or the cursor of the answer before.',
    }),
    limit: rangeShape(DEFAULT_CHANGES, { limit: 'How many changes.', offset: '' }).limit,
    fields: FIELDS_ARGUMENT.meta({
      description: 'Which fields of the records come beside; absent: title and what changed.',
    }),
    ...filterArguments(filters),
  });
  const input = inputSchema(schema);
  const output = outputSchema(ANSWER);
  return {
    name: 'changes',
    define: (entries) => ({
      title: 'What has changed',
      description: `Says what is new, changed, corrected and withdrawn in a register since a day or a change number, oldest first: cause is first_observed (new), source_change, extraction_correction (we had read it wrong), withdrawn, restored or redacted; changed names the fields, whose values are as they became. Takes the filters of read_register: matches false says that the record no longer does. ${keyNeeded(entries)}${DATA_TEXT}`,
      inputSchema: withFeedIds(withBriefFilters(input(), filters, ['q', 'where']), entries),
      outputSchema: output(entries),
    }),
    async run(given, call) {
      const args = readArguments(schema, [LIMIT, ...filters], given);
      const { feed_id: feedId, limit } = args;
      const filter = filterOf(args, filters);
      const view = await viewFor(services, feedId, call);
      const { entry } = view;
      if (tierIn(entry.definition, call.access.tier) !== 'pro') {
        throw new GazetteError(
          'credentials_required',
          'the changes of a register need an API key, sent as Authorization: Bearer <API_KEY>',
        );
      }
      const choice = checkFields(args.fields, entry.definition, 'pro');
      const since = await startOf(String(args.since), entry, store);
      const asked = { ...since, limit, ...(Object.keys(filter).length > 0 && { filter }) };
      const { versions, log, nextSince, more } = await store.changes(feedId, asked);
      const isAsked = Object.keys(filter).length > 0 && versions.length === 0 && !more;
      const isNothing = isAsked && (await matchesNothing(view.source, filter, call));
      const items = versions.map((version) => itemOf(version, choice));
      const around = { feed_id: feedId, changes: Math.max(0, entry.change - since.since) };
      const history = ({ id }: JsonObject): string => `${recordUrl(call.api, id as string)}/history`;
      const shown = fitTable(items, call.room - costOf(around) - SPARE, history);
      const isCut = shown.length < items.length;
      const last = isCut ? versions[shown.length - 1]!.change : nextSince;
      return {
        ...around,
        ...tableOf(shown),
        ...templatesOf(shown, call.api),
        cursor: changeToken({ log, since: last }),
        more: more || isCut,
        ...(isNothing && { values: await suggestions.valuesFor(view, filter, call, call.room - SPARE) }),
      };
    },
  };
}

/** Whether no record matches: then it is no wonder that no change does. */
async function matchesNothing(source: RegisterSource, filter: Filter, { request }: ToolCall): Promise<boolean> {
  const { records, nextOffset } = await readPage(source, { filter, limit: 1, offset: 0, signal: request.signal });
  return records.length === 0 && nextOffset === null;
}

function itemOf(
  { change, record_id, cause, recorded_at, changed, matches, record }: RecordVersion,
  choice: FieldChoice,
): JsonObject {
  const chosen = choice ?? new Set(['title', ...changed]);
  const shown = record === null ? {} : chooseFields(record as unknown as JsonObject, chosen);
  return {
    change,
    id: record_id,
    cause,
    recorded_at,
    ...(changed.length > 0 && { changed }),
    ...(matches === undefined ? {} : { matches }),
    ...shown,
  };
}

/**
 * The change after which to begin.
 *
 * @throws GazetteError `invalid_parameter` for what is neither a change number nor a time
 */
async function startOf(text: string, entry: RegisterEntry, store: ToolServices['store']): Promise<ChangeToken> {
  if (SINCE.pattern.test(text)) return readChangeToken(text);
  const time = toEpochMs(text);
  if (Number.isNaN(time)) {
    throw new GazetteError(
      'invalid_parameter',
      `since must be a day such as 2026-04-01, a time, a change number or the cursor of the answer before, got ${quote(text)}`,
      { details: { parameter: 'since' } },
    );
  }
  // Times of a register never run backwards.
  let [before, end] = [0, entry.change];
  while (before < end) {
    const middle = Math.floor((before + end) / 2);
    const { versions } = await store.changes(entry.definition.id, { since: middle, log: entry.log, limit: 1 });
    if (versions[0] === undefined || toEpochMs(versions[0].recorded_at) >= time) end = middle;
    else before = versions[0].change;
  }
  return { since: before, log: entry.log };
}
