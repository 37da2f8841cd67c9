// Records, their versions and definitions as Zod schemas, derived from the table in fields.ts. openapi.json, the
// agents' tools and the command line's schemas use them.
import { z } from 'zod';
import { DEFINITION_PATTERNS, FIELD_NAMES, FIELD_TYPES } from '../definition.ts';
import { type AnyCoreField, CORE_FIELDS } from '../fields.ts';
import { ID_PATTERNS } from '../identity.ts';
import { CAUSES, type VersionCause } from '../record.ts';
import { pricesSchema } from './prices.ts';

/** Why a version exists. */
const causeSchema: z.ZodEnum<Record<VersionCause, VersionCause>> = z.enum(CAUSES);

/** RFC 3339. */
export const dateTimeSchema: z.ZodString = z.string().meta({ format: 'date-time' });

/** A count, from 0. */
export function countSchema(description?: string): z.ZodInt {
  return description === undefined ? z.int().min(0) : z.int().min(0).meta({ description });
}

/** The value of a core field. */
export function coreFieldSchema(field: AnyCoreField): z.ZodType {
  const schema = valueSchema(field);
  return (field.nullable ? schema.nullable() : schema).meta({ description: field.description });
}

/** The core fields by name. @param isAsked selects them */
export function coreShape(isAsked: (field: AnyCoreField) => boolean = () => true): Record<string, z.ZodType> {
  return Object.fromEntries(CORE_FIELDS.filter(isAsked).map((field) => [field.name, coreFieldSchema(field)]));
}

/** A whole record. */
export const recordSchema: z.ZodObject = z.object({
  ...coreShape(),
  data: z
    .record(z.string(), z.unknown())
    .meta({ description: 'The register’s own fields, as its definition declares them.' }),
});

/** A version of a record. @param record the schema of the record */
export function versionSchema(record: z.ZodType): z.ZodObject {
  return z.object({
    feed_id: z.string(),
    record_id: z.string(),
    position: z.int().min(1),
    version: z.int().min(1).meta({ description: 'Its number, from 1.' }),
    change: z.int().min(1).meta({ description: 'The change number, rising within the register.' }),
    cause: causeSchema,
    recorded_at: dateTimeSchema.meta({ format: 'date-time', description: 'When it was recorded.' }),
    changed: z
      .array(z.string())
      .meta({ description: 'The fields that differ from the version before; `data.x` for the register’s own.' }),
    undoes: z.int().min(1).optional().meta({
      description: 'The number of the import that this version takes back, if it does.',
    }),
    record: record.nullable().meta({ description: 'The record as it then was; null once it was erased.' }),
  });
}

/** The public definition of a register. */
export const definitionSchema: z.ZodObject = z.object({
  id: z.string().regex(ID_PATTERNS.feed),
  title: z.string(),
  description: z.string(),
  language: z.string().nullable(),
  author: z.string().nullable(),
  rights: z.string().nullable(),
  homepage: z.string().nullable(),
  created_at: dateTimeSchema,
  uuid: z
    .string()
    .regex(ID_PATTERNS.uuid)
    .meta({ description: 'The register’s own UUID. Permanent ids are made of it where there is no authority.' }),
  authority: z.string().nullable(),
  year: z.int().min(1970).max(9999).nullable(),
  access: z.literal('open').optional().meta({ description: 'Open: everybody sees everything. Absent: tiered.' }),
  search: z.literal(false).optional().meta({ description: 'False: the words of its records cannot be searched.' }),
  log: z
    .literal('pro')
    .optional()
    .meta({ description: 'Pro: the entries of its log are for who reads all its records. Absent: for everybody.' }),
  every: z
    .string()
    .regex(DEFINITION_PATTERNS.every)
    .optional()
    .meta({ description: 'How often a file is expected, such as 7d. Absent: nothing is expected.' }),
  fields: z.array(
    z.object({
      name: z.string().regex(FIELD_NAMES.pattern),
      label: z.string(),
      type: z.enum(FIELD_TYPES),
      description: z.string().optional(),
      source_names: z.array(z.string()).optional().meta({ description: 'Names that it had, or has in files.' }),
      from_file: z
        .literal(true)
        .optional()
        .meta({ description: 'True: an import found it, and its name and label are the publisher’s words.' }),
      filterable: z.literal(true).optional().meta({ description: 'True: it has filters and facets.' }),
    }),
  ),
});

/** The public definition of a register of a service that sells records. */
export const pricedDefinitionSchema: z.ZodObject = definitionSchema.extend({
  prices: pricesSchema.optional().meta({ description: 'What its records cost one by one. Absent: they are not sold.' }),
});

function valueSchema({ type, values, minimum, maxLength, pattern, format }: AnyCoreField): z.ZodType {
  if (type === 'integer') return z.int().min(minimum ?? Number.MIN_SAFE_INTEGER);
  if (values !== undefined) return z.enum(values);
  let schema = z.string();
  if (maxLength !== undefined) schema = schema.max(maxLength);
  if (pattern !== undefined) schema = schema.regex(pattern);
  return format === undefined ? schema : schema.meta({ format });
}
