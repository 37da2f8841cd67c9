// The tool that returns a record's versions, withdrawn or not. It needs a key (specification 1.6).
import { z } from 'zod';
import { GazetteError } from '../../errors.ts';
import { LIMIT, OFFSET } from '../../register/parameters.ts';
import { rangeShape } from '../../register/schemas/parameters.ts';
import { versionSchema } from '../../register/schemas/records.ts';
import { tierIn } from '../../register/tier.ts';
import { fit } from '../budget.ts';
import type { JsonObject } from '../protocol.ts';
import { readArguments, RECORD_ID_TEXT, requiredText } from './arguments.ts';
import {
  DATA_TEXT,
  FULL_URL,
  inputSchema,
  NEXT_OFFSET,
  NOTE,
  outputSchema,
  RECORD,
  SHORTENED,
  text,
} from './schemas.ts';
import { keyNeeded, recordUrl } from './sight.ts';
import { Suggestions } from './suggestions.ts';
import { type Tool, type ToolServices, viewOfRecordFor } from './tool.ts';

/** The default number of versions in an answer. */
const DEFAULT_VERSIONS = 10;

/** The members around the versions. */
const SPARE = 800;

const ARGUMENTS = z.strictObject({
  record_id: requiredText(RECORD_ID_TEXT),
  ...rangeShape(DEFAULT_VERSIONS, { limit: 'How many versions.', offset: 'How many of the newest to pass over.' }),
});

const ANSWER = z.object({
  record_id: text('The record.'),
  versions: z.array(
    versionSchema(RECORD)
      .omit({ feed_id: true, record_id: true, position: true })
      .partial()
      .extend({ shortened: SHORTENED, full_url: FULL_URL }),
  ),
  next_offset: NEXT_OFFSET,
  note: NOTE,
});

/** `record_history`. */
export function recordHistoryTool(services: ToolServices): Tool {
  const { registers } = services;
  const suggestions = new Suggestions(services);
  const input = inputSchema(ARGUMENTS);
  const output = outputSchema(ANSWER, { isBrief: true });
  return {
    name: 'record_history',
    define: (entries) => ({
      title: 'History of a record',
      description: `Reads the versions of a record, newest first: when each was recorded, why (the source changed, or our reading of it was corrected), which fields changed, and the record as it then was. Withdrawn records keep theirs. ${keyNeeded(entries)}${DATA_TEXT}`,
      inputSchema: input(),
      outputSchema: output(entries),
    }),
    async run(given, call) {
      const { access, api, room } = call;
      const range = readArguments(ARGUMENTS, [LIMIT, OFFSET], given);
      return suggestions.reading(range.record_id, call, async (id) => {
        const { entry } = await viewOfRecordFor({ registers }, id, call);
        if (tierIn(entry.definition, access.tier) !== 'pro') {
          throw new GazetteError(
            'credentials_required',
            'the history of a record needs an API key, sent as Authorization: Bearer <API_KEY>',
          );
        }
        const versions = await registers.history(id, range);
        const items = versions.map(({ version, change, cause, undoes, recorded_at, changed, record }): JsonObject => ({
          version,
          change,
          cause,
          ...(undoes === undefined ? {} : { undoes }),
          recorded_at,
          changed,
          record,
        }));
        const url = `${recordUrl(api, id)}/history`;
        const shown = fit(items, room - SPARE, ({ version }) => {
          const index = versions.findIndex((other) => other.version === version);
          return `${url}?limit=1&offset=${range.offset + index}`;
        });
        const end = range.offset + shown.length;
        const isMore =
          shown.length < versions.length ||
          (versions.length === range.limit && (await registers.history(id, { offset: end, limit: 1 })).length === 1);
        const isCut = shown.some((version) => version.shortened !== undefined);
        return {
          record_id: id,
          versions: shown,
          next_offset: isMore ? end : null,
          ...(isCut ? { note: 'Long fields are shortened: full_url has them whole.' } : {}),
        };
      });
    },
  };
}
