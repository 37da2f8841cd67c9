// The tool that says what became of a record: its versions, withdrawn or not. It needs a key (specification 1.6).
import { GazetteError } from '../../errors.ts';
import { PAGE_SIZE } from '../../register/page.ts';
import { parseRangeQuery } from '../../register/query.ts';
import { checkArguments, requiredText, toParameters } from './arguments.ts';
import { fit } from '../budget.ts';
import type { JsonObject } from '../protocol.ts';
import { recordUrl } from './read-register.ts';
import {
  argumentsSchema,
  FULL_URL,
  integer,
  NEXT_OFFSET,
  NOTE,
  objectSchema,
  recordSchema,
  SHORTENED,
  text,
} from './schemas.ts';
import type { Tool, ToolServices } from './tool.ts';

/** How many versions an answer has unless asked otherwise. */
const DEFAULT_VERSIONS = 10;

/** What stands around the versions. */
const SPARE = 800;

/** `record_history`. */
export function recordHistoryTool({ registers }: ToolServices): Tool {
  return {
    name: 'record_history',
    define: (entries) => ({
      title: 'History of a record',
      description:
        'Reads the versions of a record, newest first: when each was recorded, why (the source changed, or our reading of it was corrected), which fields changed, and the record as it then was. Withdrawn records keep theirs. Needs an API key.',
      inputSchema: argumentsSchema(
        {
          record_id: text('The id that read_register gave, such as permits:2026-0191.'),
          limit: integer('How many versions.', { minimum: 1, maximum: PAGE_SIZE, default: DEFAULT_VERSIONS }),
          offset: integer('How many of the newest to pass over.', { minimum: 0, default: 0 }),
        },
        ['record_id'],
      ),
      outputSchema: objectSchema(
        {
          record_id: text('The record.'),
          versions: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                version: integer('Its number, from 1.'),
                change: integer('The change number, rising within the register.'),
                cause: {
                  enum: ['first_observed', 'source_change', 'extraction_correction', 'withdrawn', 'restored'],
                },
                recorded_at: text('When it was recorded.'),
                changed: {
                  type: 'array',
                  items: { type: 'string' },
                  description: 'The fields that differ from the version before.',
                },
                sha256: text('Of the canonical JSON (RFC 8785) of what the publisher said.'),
                record: { anyOf: [recordSchema(entries), { type: 'null' }], description: 'Null once it was erased.' },
                shortened: SHORTENED,
                full_url: FULL_URL,
              },
            },
          },
          next_offset: NEXT_OFFSET,
          note: NOTE,
        },
        ['record_id', 'versions', 'next_offset'],
      ),
    }),
    async run(given, { access, api, stamp, room }) {
      const args = checkArguments(given, ['record_id', 'limit', 'offset']);
      const id = requiredText(args, 'record_id');
      const range = parseRangeQuery(toParameters(args, ['limit', 'offset']), { defaultLimit: DEFAULT_VERSIONS });
      if (access.tier !== 'pro') {
        throw new GazetteError(
          'credentials_required',
          'the history of a record needs an API key, sent as Authorization: Bearer <API_KEY>',
        );
      }
      await registers.viewOfRecord(id, stamp);
      const versions = await registers.history(id, range);
      const items = versions.map(({ version, change, cause, recorded_at, changed, sha256, record }): JsonObject => ({
        version,
        change,
        cause,
        recorded_at,
        changed,
        sha256,
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
    },
  };
}
