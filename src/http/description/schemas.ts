// The schemas of the answers in openapi.json. A schema's `id` is its name in the document.
import { z } from 'zod';
import type { Format } from '../../formats/format.ts';
import { MAX_FACET_VALUES } from '../../register/finding/facets.ts';
import { FIGURE_ORDERS, MAX_GROUPED_BY } from '../../register/finding/figures.ts';
import { NAMED_RECORDS } from '../../register/finding/figures-tally.ts';
import {
  coreShape,
  countSchema,
  dateTimeSchema,
  definitionSchema,
  recordSchema as baseRecordSchema,
  versionSchema as baseVersionSchema,
} from '../../register/schemas/records.ts';

/** A complete record. */
export const recordSchema: z.ZodObject = baseRecordSchema.meta({ id: 'RegisterRecord' });

/** What the public tier sees of an older record. */
export const previewSchema: z.ZodObject = z
  .object({
    ...coreShape(({ tier }) => tier === 'preview'),
    summary: z.string().nullable().meta({ description: 'The beginning of the summary: 280 characters.' }),
    preview: z.literal(true),
    note: z.string().meta({ description: 'How to get the rest.' }),
  })
  .meta({ id: 'RecordPreview' });

/** A record in the list. */
const listedSchema: z.ZodObject = recordSchema.partial().required({ id: true }).meta({
  id: 'ListedRecord',
  description: 'A record; with `fields`, the members that were asked for alone.',
});

const matchedShape = {
  matched: countSchema('How many records match, of those that the tier sees; absent without a filter.').optional(),
  matched_at_least: z.literal(true).optional().meta({
    description: 'There may be more: to count them all would take more than one request may.',
  }),
} as const;

/** What all pages of the list have. */
const pageShape = {
  feed_id: z.string(),
  records: z.array(listedSchema),
  next_offset: countSchema().nullable().meta({
    description: 'The offset of the next page; null when there is none. A page may be empty before that.',
  }),
  total: countSchema().nullable().optional().meta({
    description: 'How many records the register has, whatever the tier; absent under a filter, null with `at`.',
  }),
  ...matchedShape,
} as const;

/** A page of the list, as its reader sees it. */
export const pageSchema: z.ZodType = z
  .discriminatedUnion('tier', [
    z
      .object({
        ...pageShape,
        tier: z.literal('public').meta({ description: 'The latest records only.' }),
        note: z.string().meta({ description: 'What the public does not see here, and how to get it.' }),
        as_of: countSchema().nullable().meta({ description: 'The view the page was read in; null without a key.' }),
      })
      .meta({ id: 'PublicPage' }),
    z
      .object({
        ...pageShape,
        tier: z
          .enum(['pro', 'open'])
          .meta({ description: '`pro`: every record. `open`: every record, for everybody.' }),
        as_of: countSchema('The view the page was read in; absent with `at`.').optional(),
      })
      .meta({ id: 'WholePage' }),
  ])
  .meta({
    id: 'RecordPage',
    discriminator: {
      propertyName: 'tier',
      mapping: {
        public: '#/components/schemas/PublicPage',
        pro: '#/components/schemas/WholePage',
        open: '#/components/schemas/WholePage',
      },
    },
  });

/** A closed page, as a snapshot has it. */
export const closedPageSchema: z.ZodObject = z
  .object({
    feed_id: z.string(),
    records: z.array(recordSchema),
    as_of: countSchema('The highest position of the page.'),
    previous: z.url().nullable().meta({ description: 'The page before; null for the first one.' }),
  })
  .meta({ id: 'ClosedPage' });

/** A version of a record. */
export const versionSchema: z.ZodObject = baseVersionSchema(recordSchema)
  .extend({
    statement: z.record(z.string(), z.unknown()).nullable().optional().meta({
      description:
        'With `statement=1` alone: what the publisher stated, whole; members that are null are left out. The version commits to its canonical JSON (RFC 8785). Null in a withdrawal or redaction, and once it was erased.',
    }),
  })
  .meta({ id: 'RecordVersion' });

const SALT = z.string().nullable();

/** What proves a version. */
const versionProofSchema: z.ZodObject = z
  .object({
    entry: z.string().meta({ description: 'The text that is hashed: entry `change` − 1 of the log.' }),
    log: z.uuid().meta({ description: 'The UUID that the commitment contains.' }),
    record_salt: SALT.meta({
      description: 'The key of the entry’s `record`, an HMAC-SHA-256 of the id. Null once it was erased.',
    }),
    salt: SALT.meta({ description: 'The key of the entry’s `commitment`. Null once it was erased.' }),
  })
  .meta({ id: 'VersionProof' });

/** A change, which a filter may have chosen. */
const changeSchema: z.ZodObject = versionSchema
  .extend({
    proof: versionProofSchema.optional().meta({ description: 'With `proof=1` alone.' }),
    matches: z.literal(false).optional().meta({
      description: 'Under a filter alone: the record does not match it any more, though it did before.',
    }),
  })
  .meta({ id: 'Change' });

const NEXT_SINCE = /^[0-9a-f]{8}\.(?:0|[1-9][0-9]*)$/;

/** Values of fields, with how often they occur. */
export const facetsSchema: z.ZodObject = z
  .object({
    feed_id: z.string(),
    tier: z
      .enum(['public', 'pro', 'open'])
      .meta({ description: '`public`: counted in the latest records only, which are those that the list shows.' }),
    note: z.string().optional().meta({ description: 'What the public does not see here, and how to get it.' }),
    facets: z.array(
      z.object({
        field: z.string().meta({ description: 'As the filters name it.' }),
        values: z
          .array(z.object({ value: z.string(), records: z.int().min(1) }))
          .max(MAX_FACET_VALUES)
          .meta({ description: 'The commonest first. The filter of the field takes each.' }),
        more: countSchema('How many more values there are.'),
      }),
    ),
    bounded: z.boolean().meta({
      description: 'Whether there is more than one request examines: only the newest records were counted.',
    }),
  })
  .meta({ id: 'Facets' });

const figureValue = (description: string): z.ZodType => z.string().nullable().optional().meta({ description });

/** Figures of groups of records. */
export const figuresSchema: z.ZodObject = z
  .object({
    feed_id: z.string(),
    tier: z.enum(['public', 'pro', 'open']).meta({ description: '`public`: of the latest records only.' }),
    measure: z.string(),
    by: z.array(z.string()).max(MAX_GROUPED_BY),
    order: z.enum(FIGURE_ORDERS),
    groups: z
      .array(
        z.object({
          group: z
            .array(z.string())
            .meta({ description: 'The values that its records share, one for each field of `by`.' }),
          records: countSchema('How many records.'),
          measured: countSchema('But for `count`: how many of them have a value.').optional(),
          value: figureValue(
            'But for `count`: what is measured, a number exactly, an average rounded half to even with six places more than the sum. Null: none of the records has a value.',
          ),
          sum: figureValue('For `avg` alone: the exact sum of the values.'),
          record_ids: z.array(z.string()).max(NAMED_RECORDS).meta({
            description: 'Some of the records, the newest; for `min` and `max`, of those with that value.',
          }),
          url: z.string().nullable().meta({ description: 'Where the publisher has the first of them: cite it.' }),
        }),
      )
      .meta({
        description:
          'Where complete, the first groups in this order; else all that were met, in no order, to be added up.',
      }),
    more: countSchema('How many more groups there are.'),
    matched: countSchema('How many records matched.'),
    ungrouped: countSchema().nullable().meta({
      description: 'How many of them are in no group, for they lack a value of `by`. Null: counters do not tell.',
    }),
    complete: z.boolean().meta({ description: 'Whether all records were examined: then every figure is exact.' }),
    next_offset: countSchema().nullable().meta({
      description: 'How many positions of the view were examined, and the `offset` of the next part. Null: all.',
    }),
    as_of: countSchema().nullable().meta({ description: 'The view; null for the public.' }),
    change: countSchema().nullable().meta({
      description:
        'The register’s latest change, which the figures have. Null for the public, and where it changed meanwhile.',
    }),
    checkpoint: z
      .object({ origin: z.string(), size: countSchema(), root_hash: z.string().meta({ description: 'In Base64.' }) })
      .nullable()
      .meta({ description: 'The signed state of the register’s log that has this change; null while there is none.' }),
    notes: z.array(z.string()).meta({ description: 'What must be known to understand the figures.' }),
  })
  .meta({ id: 'Figures' });

/** Some changes of a register. */
export const changesSchema: z.ZodObject = z
  .object({
    versions: z.array(changeSchema),
    next_since: z.string().regex(NEXT_SINCE).meta({
      description: 'What to ask for next: the name of the register’s log, and the number of the last change here.',
    }),
    log: z.uuid().optional().meta({ description: 'The UUID of the log, with `proof=1` alone.' }),
  })
  .meta({ id: 'Changes' });

/** Some versions of a register, as its stream has them. */
export const streamSchema: z.ZodType = z
  .array(
    changeSchema.omit({ feed_id: true, position: true, undoes: true, statement: true, proof: true }).extend({
      record: recordSchema.nullable().meta({ description: 'By this version; null if it is withdrawn, or erased.' }),
      log_index: z.int().min(0).meta({ description: 'Where the version stands in the log of its register, from 0.' }),
    }),
  )
  .meta({ id: 'StreamMessages' });

const link = z.string().meta({ format: 'uri' });

/** A log that is signed. */
export const logSchema: z.ZodType = z
  .object({
    origin: z.string().meta({ description: 'Its name, which never changes.' }),
    url: link.meta({ description: 'Where its checkpoint and its tiles are.' }),
    size: countSchema('How many entries are signed.'),
    vkeys: z.array(z.string()).meta({ description: 'The keys that check its signatures (C2SP signed-note).' }),
  })
  .meta({
    id: 'SignedLog',
    description:
      'A log that proves what was recorded. That of a register is absent while it is not signed, and in lists of registers.',
  });

/** The formats that registers have: of their pages, and of the whole. */
export interface FeedFormats {
  readonly exports: readonly Format[];
  readonly wholes: readonly Format[];
}

/** A register, with the URLs of these formats. */
export function feedSchemaOf({ exports, wholes }: FeedFormats): z.ZodObject {
  const links = (formats: readonly Format[]): z.ZodObject =>
    z.object(
      Object.fromEntries(formats.map(({ name, needs }) => [name, needs === undefined ? link : link.optional()])),
    );
  return z
    .object({
      feed_id: z.string(),
      title: z.string(),
      description: z.string(),
      total: countSchema('How many records it has now.'),
      change: countSchema('The number of its latest change.'),
      last_change: dateTimeSchema.nullable(),
      definition_version: countSchema('The number of its definition, which every change of the definition raises.'),
      definition: definitionSchema,
      log: logSchema.optional(),
      links: z.object({
        self: link,
        records: link,
        facets: link,
        changes: link,
        schema: link,
        openapi: link,
        exports: links(exports),
        register: links(wholes),
        calendars: z.record(z.string(), link).optional().meta({
          description:
            'In an open register, the calendar of its publication dates, and of each own field of type date or datetime.',
        }),
      }),
    })
    .meta({ id: 'Feed' });
}

/** Some registers, each with this schema. */
export function feedsSchemaOf(feed: z.ZodObject): z.ZodObject {
  return z
    .object({
      feeds: z.array(feed),
      next_offset: countSchema()
        .nullable()
        .meta({ description: 'The offset of the next page; null after the last register.' }),
    })
    .meta({ id: 'Feeds' });
}
