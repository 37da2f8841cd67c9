// The parameters of the routes. The same schemas parse and validate them and describe them in openapi.json.
import { type FilterField, FILTERS, STATED_FILTERS } from '../../register/finding/filters.ts';
import { z } from 'zod';
import { coreField } from '../../register/fields.ts';
import { isFeedId } from '../../register/definition.ts';
import { ID_PATTERNS, MAX_ID_LENGTH } from '../../register/identity.ts';
import { PAGE_SIZE, type PageQuery } from '../../register/page.ts';
import { AT, LIMIT, OFFSET, PAGE_TAG, VERSION } from '../../register/parameters.ts';
import { momentOf } from '../../register/query.ts';
import { type FacetsQuery, facetsQuery as facetsQueryOf } from '../../register/schemas/facets.ts';
import * as parameters from '../../register/schemas/parameters.ts';
import { type WholeQuery, wholeQuery as wholeQueryOf } from '../../register/schemas/whole.ts';
import { unknownFeed, unknownRecord } from '../../stores/rows/register.ts';

/** Default number of records or versions in an answer; exports use {@link PAGE_SIZE}. */
export const DEFAULT_LIMIT = 50;

const LIMIT_TEXT = `How many, 1 to ${PAGE_SIZE}. Anything else is refused with \`invalid_parameter\`, never clamped.`;

const AT_TEXT =
  'What was recorded by this moment, as it was then, without records that were ever redacted. At least two seconds past; a date is its midnight UTC. Not with `as_of` or `q`. Needs a key.';

// These have no examples: the reference would fill them in, and the public's three records seldom match. Filters have
// none either: the reference would send them with every request that is tried.

/** `limit`, `offset`, `as_of` and the filters. */
export function pageQuery(defaultLimit: number, filters: readonly FilterField[]): parameters.Query<PageQuery> {
  const texts = {
    limit: LIMIT_TEXT,
    offset: 'Where the page begins: `next_offset` of the page before it. 0 is the newest record.',
    asOf: 'The view a walk began in; `Link` and `as_of` of the first page give it, and none is above the register’s highest position. With it a walk loses nothing and repeats nothing while the register is written to. Needs a key.',
    at: AT_TEXT,
  };
  return parameters.pageQuery(defaultLimit, texts, filters);
}

/** `bom`, `fields` and the filters. */
export function wholeQuery(filters: readonly FilterField[]): parameters.Query<WholeQuery> {
  const texts = {
    bom: 'With 1, a CSV begins with a byte-order mark, by which spreadsheets recognise UTF-8. For CSV alone.',
    etag: 'As `Content-Location` has it: these bytes or 409, and `Range` needs no `If-Range`.',
    at: AT_TEXT,
  };
  return wholeQueryOf(texts, filters);
}

/** `at` of a record: the moment, if one is asked for. */
export function recordQuery(): parameters.Query<{ readonly at?: string }> {
  const schema = z.object({ at: parameters.text(AT).optional().meta({ description: AT_TEXT }) });
  return parameters.queryOf(schema, [AT], ({ at }) => (at === undefined ? {} : { at: momentOf(at) }));
}

const STATEMENT_TEXT =
  'With 1, each version also carries its `statement`: what the publisher stated, whole, also where the definition shows less of it.';

/** `limit`, `offset` and `statement` of a history. */
export function historyQuery(): ReturnType<typeof parameters.historyQuery> {
  return parameters.historyQuery(DEFAULT_LIMIT, {
    limit: LIMIT_TEXT,
    statement: STATEMENT_TEXT,
    offset: 'How many of the newest versions to pass over.',
  });
}

/** Which registers are listed. */
export interface FeedsQuery extends parameters.Range {
  readonly updatedSince?: string;
}

/** `limit`, `offset` and `updated_since` of the registers. */
export function feedsQuery(): parameters.Query<FeedsQuery> {
  const offset = 'How many registers to pass over, by id: `next_offset` of the page before.';
  const [since] = FILTERS.filter(({ name }) => name === 'updated_since');
  const schema = z.object({
    ...parameters.rangeShape(PAGE_SIZE, { limit: LIMIT_TEXT, offset }),
    updated_since: parameters.text(since!).optional().meta({
      description:
        'Only registers whose records or definition changed since, to the second. One that changed shortly before may come too. A date is its midnight UTC.',
    }),
  });
  return parameters.queryOf(schema, [LIMIT, OFFSET, since!], ({ updated_since: updatedSince, ...range }) => ({
    ...range,
    ...(updatedSince === undefined ? {} : { updatedSince }),
  }));
}

/** `etag` of a closed page. */
export function closedPageQuery(): parameters.Query<{ readonly etag?: string }> {
  const description =
    'The first 16 hex digits of the page’s `ETag`: its SHA-256, as a snapshot’s `manifest.json` has it. Absent: the page as it is now.';
  const schema = z.object({ etag: parameters.text(PAGE_TAG).optional().meta({ description }) });
  return parameters.queryOf(schema, [PAGE_TAG], ({ etag }) => (etag === undefined ? {} : { etag }));
}

/** `version` of a proof. */
export function proofQuery(): parameters.Query<{ readonly version: number | null }> {
  const description = 'Which version, from 1; a withdrawal is one too. Absent: the newest.';
  const schema = z.object({ version: parameters.integer(VERSION).optional().meta({ description }) });
  return parameters.queryOf(schema, [VERSION], ({ version }) => ({ version: version ?? null }));
}

/** `limit`, `since`, `statement`, `proof` and the filters. */
export function changesQuery(filters: readonly FilterField[]): ReturnType<typeof parameters.changesQuery> {
  const texts = {
    limit: LIMIT_TEXT,
    statement: STATEMENT_TEXT,
    proof:
      'With 1, each version also carries its `statement` and its `proof`: the entry of the log, and the salts by which the entry is made again. Not with filters.',
    since:
      'The change after which to begin: `next_since` of the answer before, never above the register’s latest change. 0 is the beginning. A number without the name of its log is taken until a register with this id is removed.',
  };
  return parameters.changesQuery(DEFAULT_LIMIT, texts, filters);
}

/** `offset`, `live`, `cursor` and the filters. */
export function streamQuery(filters: readonly FilterField[]): ReturnType<typeof parameters.streamQuery> {
  const texts = {
    offset:
      'Where to begin: `Stream-Next-Offset` of the answer before, `-1` for the beginning (as without), `now` for what comes from now on.',
    live: 'How to wait where there is nothing more: `long-poll` up to 25 seconds, `sse` as events for a minute. Needs `offset`.',
    cursor: '`Stream-Cursor` of the live answer before: caches then keep answers apart that differ.',
  };
  return parameters.streamQuery(texts, filters);
}

/** `field`, those of figures, and the filters. */
export function facetsQuery(filters: readonly FilterField[]): parameters.Query<FacetsQuery> {
  const stated = STATED_FILTERS.map((name) => `\`${name}\``).join(', ');
  const texts = {
    field: `Which fields, with commas between them: ${stated}, and \`data.NAME\` of those that the definition declares \`filterable\`. Absent: all of these.`,
    measure:
      'Asks for figures: `count`, or `sum:FIELD`, `avg:FIELD` of numbers, `min:FIELD`, `max:FIELD` of numbers and dates, a field of the register’s own being `data.NAME`. Absent, with `by`: `count`.',
    by: `Asks for figures: the one or two fields whose values make groups, with a comma between them: ${stated}, dates and \`data.NAME\`; a date with \`:year\`, \`:month\` or \`:day\` after it is grouped so, in UTC. Groups have exact values, though filters are blind to case. Absent, with \`measure\`: all records are one group.`,
    order: 'How groups follow each other: by falling value, by rising value, or by their keys. Default `-value`.',
    top: 'How many groups, those that come first. Default 100. A part has all of its groups.',
    offset: 'For the next part: `next_offset` of the part before.',
    asOf: 'For the next part: `as_of` of the part before. Needs a key.',
  };
  return facetsQueryOf(texts, filters);
}

/** `feed_id`. */
export const feedParams: z.ZodObject<{ readonly feed_id: z.ZodString }> = z.object({
  feed_id: z
    .string()
    .regex(ID_PATTERNS.feed)
    .meta({ description: 'The register.', example: coreField('feed_id').example }),
});

/** The log's UUID in the examples of a service that has no register yet. */
export const EXAMPLE_LOG = '0b9d3c5e-2f1a-4c86-9d6e-5a7c1e8b4f20';

/** The UUID of the log of logs in these. */
export const EXAMPLE_LOG_OF_LOGS = '2d7f0a64-9b3e-4f15-8c0a-6e4b9d1f7a33';

/** `log`, of the log of logs. */
export const logOfLogsParams: z.ZodObject<{ readonly log: z.ZodUUID }> = z.object({
  log: z.uuid().meta({ description: 'The log: the last part of its name.', example: EXAMPLE_LOG_OF_LOGS }),
});

/** `feed_id` and `log`. */
export const logParams: z.ZodObject<{ readonly feed_id: z.ZodString; readonly log: z.ZodUUID }> = feedParams.extend({
  log: z.uuid().meta({ description: 'The log: the last part of its name.', example: EXAMPLE_LOG }),
});

/** `record_id`. */
export const recordParams: z.ZodObject<{ readonly record_id: z.ZodString }> = z.object({
  record_id: z
    .string()
    .max(MAX_ID_LENGTH)
    .regex(ID_PATTERNS.record)
    .meta({
      description: 'The record, `<feed_id>:<key>`. The colon may be written `:` or `%3A`.',
      example: coreField('id').example,
    }),
});

/** The feed id in a path. @throws GazetteError `unknown_feed` for a text that cannot be a feed id */
export function readFeedId(pathParameters: Readonly<Record<string, string>>): string {
  const { feed_id: feedId = '' } = pathParameters;
  // The check of the schema, which is made for descriptions and takes ten times as long.
  if (isFeedId(feedId)) return feedId;
  throw unknownFeed(feedId);
}

/** The record id in a path. @throws GazetteError `unknown_record` for a text that cannot be a record id */
export function readRecordId(pathParameters: Readonly<Record<string, string>>): string {
  const result = recordParams.safeParse(pathParameters);
  if (result.success) return result.data.record_id;
  throw unknownRecord(pathParameters.record_id ?? '');
}
