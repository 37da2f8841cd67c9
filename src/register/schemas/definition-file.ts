// A definition as people write it into a file, as a Zod schema: what `defineRegister()` takes, as far as JSON Schema can
// say it. Only the parser refuses a name that two fields have, a day that its month does not have, and a homepage that
// is not a URL although it begins like one and has no character that URLs must not have.
import { z } from 'zod';
import { DEFINITION_PATTERNS, FIELD_NAMES, FIELD_TYPES } from '../definition.ts';
import { RESERVED_FIELD_NAMES } from '../fields.ts';
import { ID_PATTERNS } from '../identity.ts';
import { TIME_PATTERNS } from '../time.ts';
import { URL_PATTERNS } from '../url.ts';
import { pricesSchema } from './prices.ts';

const notEmpty = (description: string): z.ZodString => z.string().regex(/\S/).meta({ description });

const field = z.strictObject({
  name: z
    .string()
    .regex(FIELD_NAMES.pattern)
    .meta({
      description: 'The name of the column, element or property.',
      not: { enum: [...RESERVED_FIELD_NAMES] },
    }),
  label: notEmpty('The name for people. Default: the name.').optional(),
  type: z.enum(FIELD_TYPES).meta({ description: 'What all its values are; json: any.' }),
  description: notEmpty('What the values mean.').optional(),
  source_names: z
    .array(z.string().regex(FIELD_NAMES.pattern))
    .min(1)
    .optional()
    .meta({ uniqueItems: true, description: 'Names that the field had, or has in files.' }),
  from_file: z
    .boolean()
    .optional()
    .meta({ description: 'Whether an import found it: its name and label are the publisher’s words.' }),
  filterable: z.boolean().optional().meta({
    description:
      'Whether it has filters and facets. No field of type json has, and none whose name ends like a filter’s.',
  }),
});

/** Permanent ids need both or neither. */
const AUTHORITY_AND_YEAR = [
  { properties: { authority: { type: 'null' }, year: { type: 'null' } } },
  { properties: { authority: { type: 'string' }, year: { type: 'integer' } }, required: ['authority', 'year'] },
];

/** Everybody reads an open register whole: it sells nothing. */
const OPEN_WITH_PRICES = {
  properties: { access: { const: 'open' }, prices: { type: 'object' } },
  required: ['access', 'prices'],
};

/** A definition file. The command line's options replace its members, and give `id` and `created_at` where it has none. */
export const definitionFileSchema: z.ZodObject = z
  .strictObject({
    $schema: z.string().optional().meta({ description: 'The address of this schema, for editors.' }),
    id: z.string().regex(ID_PATTERNS.feed).optional().meta({ description: 'The id of the register.' }),
    title: notEmpty('The name of the register, for people.'),
    description: z.string().optional().meta({ description: 'What the register contains.' }),
    language: z
      .string()
      .regex(DEFINITION_PATTERNS.language)
      .nullable()
      .optional()
      .meta({ description: 'A BCP 47 language tag, such as en or de-CH.' }),
    author: notEmpty('The issuing body, for people.').nullable().optional(),
    rights: notEmpty('The rights to the records.').nullable().optional(),
    homepage: z
      .string()
      .regex(URL_PATTERNS.beginning)
      .regex(URL_PATTERNS.characters)
      .nullable()
      .optional()
      .meta({ description: 'The absolute http(s) URL of the register’s own page.' }),
    created_at: z
      .string()
      .regex(TIME_PATTERNS.dateTime)
      .optional()
      .meta({ description: 'When the register was made: an RFC 3339 date-time with seconds and an offset.' }),
    uuid: z.string().regex(ID_PATTERNS.uuid).nullable().optional().meta({
      description: 'The register’s own UUID. State it only to make a register again with the permanent ids it had.',
    }),
    authority: z.string().regex(DEFINITION_PATTERNS.authority).nullable().optional().meta({
      description: 'The domain name or e-mail address in permanent ids. It never changes.',
    }),
    year: z
      .int()
      .min(1970)
      .max(9999)
      .nullable()
      .optional()
      .meta({ description: 'A year in which the authority belonged to the publisher.' }),
    access: z
      .enum(['tiered', 'open'])
      .nullable()
      .optional()
      .meta({ description: 'Who sees what. open: everybody sees everything. Default: tiered.' }),
    prices: pricesSchema
      .nullable()
      .optional()
      .meta({ description: 'What its records cost one by one. Default: they are not sold. Not for open registers.' }),
    search: z.boolean().optional().meta({ description: 'Whether words of records can be searched. Default: true.' }),
    log: z.enum(['public', 'pro']).nullable().optional().meta({
      description: 'Who gets the entries of its log. pro: who reads all its records. Default: public.',
    }),
    every: z.string().regex(DEFINITION_PATTERNS.every).nullable().optional().meta({
      description:
        'How often a file is expected: hours, days or weeks such as 36h, 7d or 2w. Default: nothing is expected.',
    }),
    fields: z.array(field).nullable().optional().meta({ description: 'The register’s own fields, in their order.' }),
  })
  .meta({ anyOf: AUTHORITY_AND_YEAR, not: OPEN_WITH_PRICES });
