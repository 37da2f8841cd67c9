// The shapes of the answers as openapi.json describes them, made from the fields every record has.
import { z } from '@hono/zod-openapi';
import { CORE_FIELDS } from '../../register/fields.ts';
import type { CoreFieldName } from '../../register/record.ts';

const dateTime = z.string().openapi({ format: 'date-time' });

/** RFC 3339, at the precision the source gives. */
const dateOrDateTime = z
  .string()
  .openapi({ description: 'A date or a date-time (RFC 3339), as precise as the source.' });

const TYPES: Readonly<Record<CoreFieldName, z.ZodType>> = {
  id: z.string().max(200),
  feed_id: z.string(),
  title: z.string(),
  summary: z.string().nullable(),
  content: z.string().nullable(),
  content_type: z.enum(['text', 'html']),
  author: z.string().nullable(),
  document_type: z.string().nullable(),
  facility_id: z.string().nullable(),
  source_url: z.string().openapi({ format: 'uri' }),
  published_at: dateOrDateTime.nullable(),
  observed_at: dateOrDateTime,
  updated_at: dateTime.nullable(),
  version: z.int().min(1),
  position: z.int().min(1).nullable(),
};

const coreShape = Object.fromEntries(
  CORE_FIELDS.map(({ name, description }) => [
    name,
    TYPES[name].openapi({ ...(description === undefined ? {} : { description }) }),
  ]),
);

/** A record, whole. */
export const recordSchema: z.ZodObject = z
  .object({
    ...coreShape,
    data: z
      .record(z.string(), z.unknown())
      .openapi({ description: 'The register’s own fields, as its definition declares them.' }),
  })
  .openapi('Record');

/** What the public sees of an older record. */
export const previewSchema: z.ZodObject = z
  .object({
    ...Object.fromEntries(
      ['id', 'feed_id', 'title', 'document_type', 'source_url', 'published_at', 'observed_at'].map((name) => [
        name,
        coreShape[name]!,
      ]),
    ),
    summary: z.string().nullable().openapi({ description: 'The beginning of the summary: 280 characters.' }),
    preview: z.literal(true),
    note: z.string().openapi({ description: 'How to get the rest.' }),
  })
  .openapi('RecordPreview');

/** A page of the list. */
export const pageSchema: z.ZodObject = z
  .object({
    feed_id: z.string(),
    records: z.array(recordSchema),
    next_offset: z.int().nullable().openapi({
      description: 'The offset of the next page; null when there is none. A page may be empty before that.',
    }),
    as_of: z.int().nullable().openapi({ description: 'The view the page was read in; null for the public.' }),
    total: z.int().openapi({ description: 'How many records the register has, whatever the filters.' }),
  })
  .openapi('RecordPage');

/** A version of a record. */
export const versionSchema: z.ZodObject = z
  .object({
    feed_id: z.string(),
    record_id: z.string(),
    position: z.int(),
    version: z.int().min(1),
    change: z.int().openapi({ description: 'The change number, rising within the register.' }),
    cause: z.enum(['first_observed', 'source_change', 'extraction_correction', 'withdrawn', 'restored']),
    recorded_at: dateTime,
    changed: z
      .array(z.string())
      .openapi({ description: 'The fields that differ from the version before; `data.x` for the register’s own.' }),
    sha256: z.string().openapi({ description: 'Of the canonical JSON (RFC 8785) of what the publisher said, in hex.' }),
    record: recordSchema.nullable().openapi({ description: 'The record as it then was; null once it was erased.' }),
  })
  .openapi('RecordVersion');

/** Some changes of a register. */
export const changesSchema: z.ZodObject = z
  .object({
    versions: z.array(versionSchema),
    next_since: z.int().openapi({ description: 'What to ask for next.' }),
  })
  .openapi('Changes');

const fieldSchema = z.object({
  name: z.string(),
  label: z.string(),
  type: z.enum(['text', 'number', 'integer', 'boolean', 'date', 'datetime', 'url', 'json']),
  description: z.string().optional(),
});

const link = z.string().openapi({ format: 'uri' });

/** A register, with the addresses of these formats. */
export function feedSchemaOf(formats: readonly string[]): z.ZodObject {
  return z
    .object({
      feed_id: z.string(),
      title: z.string(),
      description: z.string(),
      total: z.int().openapi({ description: 'How many records it has now.' }),
      change: z.int().openapi({ description: 'The number of its latest change.' }),
      last_change: dateTime.nullable(),
      definition: z.object({
        id: z.string(),
        title: z.string(),
        description: z.string(),
        language: z.string().nullable(),
        author: z.string().nullable(),
        rights: z.string().nullable(),
        homepage: z.string().nullable(),
        created_at: dateTime,
        authority: z.string().nullable(),
        year: z.int().nullable(),
        fields: z.array(fieldSchema),
      }),
      links: z.object({
        self: link,
        records: link,
        changes: link,
        schema: link,
        exports: z.object(Object.fromEntries(formats.map((name) => [name, link]))),
      }),
    })
    .openapi('Feed');
}

/** All registers, each of this shape. */
export function feedsSchemaOf(feed: z.ZodObject): z.ZodObject {
  return z.object({ feeds: z.array(feed) }).openapi('Feeds');
}

/** An error (RFC 9457). */
export const problemSchema: z.ZodObject = z
  .object({
    type: z.string().openapi({ format: 'uri', description: 'Names the code; it is not meant to be fetched.' }),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string().openapi({ description: 'Stable: programs switch on it.' }),
    request_id: z.string().openapi({ description: 'Also the header `X-Request-Id`: quote it when you ask for help.' }),
    parameter: z.string().optional().openapi({ description: 'The parameter at fault.' }),
  })
  .openapi('Problem');
