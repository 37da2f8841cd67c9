// The results of `gazette import` and `gazette imports` for programs.
import { z } from 'zod';
import { FIELD_TYPES } from '../../register/definition.ts';
import { countSchema, definitionSchema, recordSchema } from '../../register/schemas/records.ts';
import { ORDERS } from '../../register/sources/order.ts';
import { IMPORT_CAUSES } from '../../stores/contract/imports/causes.ts';
import { IMPORT_KINDS, IMPORT_STATES } from '../../stores/contract/imports/log.ts';
import { INPUT_FORMATS } from '../../import/from-file/open-file.ts';

const text = z.string();
const time = z.string();

/** What was found in a file. */
const findings = z
  .array(
    z.object({
      code: text,
      stops: z.boolean().meta({ description: 'Whether it stops an import until --accept names it.' }),
      message: text,
      records: z.array(text).optional().meta({ description: 'Records that it is about, a thousand at most.' }),
    }),
  )
  .meta({ description: 'What was found.' });

/** What an import did, or would do. */
export const imported: z.ZodObject = z.object({
  feed_id: text.meta({ description: 'The register.' }),
  dry_run: z.boolean().meta({ description: 'Whether nothing was changed.' }),
  added: countSchema('New records.'),
  changed: countSchema('Records with a new version.'),
  unchanged: countSchema('Records that say the same as before.'),
  withdrawn: countSchema('Records the file lacks, withdrawn by --withdraw-missing.'),
  restored: countSchema('Records that had been withdrawn and came back.'),
  refused: countSchema('Records that do not fit, skipped by --skip-invalid.'),
  redacted: countSchema('Records passed over because their content was erased.'),
  import: countSchema('The number of the import.').nullable().meta({
    description: 'The number of the import, by which its proposal is approved and it is taken back; null in a dry run.',
  }),
  proposed: z.boolean().meta({ description: 'Whether nothing was written, and a proposal waits.' }),
  changed_fields: z.record(z.string(), countSchema('Records.')).meta({
    description: 'How many of the changed records changed each field, or would.',
  }),
  corrected: z
    .object({
      compared: countSchema('Withdrawn records that were compared with the new ones.'),
      found: countSchema('Those of them that come anew with other values.'),
    })
    .nullable()
    .meta({
      description:
        'Where keys are made of rows, what became of corrected rows; `changed_fields` counts them too. Null: nothing.',
    }),
  findings,
  order: z.enum(ORDERS).meta({ description: 'The order in which the file was read.' }),
  rejects: text.nullable().meta({
    description: 'The file with the refused records and the reasons; null when there are none.',
  }),
});

/** An import in the log. */
export const importEntry: z.ZodObject = z.object({
  number: countSchema('Rises with every import into the store.'),
  file: text.meta({ description: 'The file as it was named.' }),
  hmac_sha256: text.nullable().meta({
    description:
      'HMAC-SHA-256 of the file’s bytes under a key of the store: two imports of one file have the same. Null when the import was not completed, and when it was erased with the content of a record.',
  }),
  cause: z.enum(IMPORT_CAUSES),
  who: text.nullable().meta({ description: 'The user of the operating system.' }),
  begun_at: time,
  ended_at: time.nullable().meta({ description: 'Null when it runs, waits, or was interrupted.' }),
  kind: z.enum(IMPORT_KINDS).meta({
    description: 'What it is of: a file, what takes an earlier import back, what a person did to records, or settings.',
  }),
  undoes: countSchema('The number of the import that it takes back.').nullable(),
  state: z.enum(IMPORT_STATES).meta({
    description:
      'An import whose process was killed runs until the next one begins, and is interrupted then. What is proposed waits to be approved; what is approved is being carried out, or will be by the next command.',
  }),
  decided_by: text.nullable().meta({ description: 'Who approved or discarded it; null: nobody had to.' }),
  error: text.nullable().meta({ description: 'The code of the error that ended it.' }),
  ...imported.pick({
    ...{ added: true, changed: true, unchanged: true, withdrawn: true, restored: true, refused: true, redacted: true },
  }).shape,
});

const json = z.unknown().meta({ description: 'As in the record.' });

const example = z.object({ record_id: text, before: json, after: json });

/** An import, with what a proposal would do. */
export const proposal: z.ZodObject = importEntry.extend({
  digest: text.nullable().meta({
    description:
      'SHA-256 of all that the proposal would write: --digest approves this one only. Null where it does not wait.',
  }),
  fields: z
    .array(
      z.object({
        field: text.meta({ description: 'The name of a core field, or data.x.' }),
        changed: countSchema('Records that change in it.'),
        examples: z.array(example),
        largest: example
          .extend({ factor: z.number().meta({ description: 'How many times the number before.' }) })
          .nullable()
          .meta({ description: 'The greatest relative change of a number.' }),
      }),
    )
    .meta({ description: 'The fields that change, most often changed first.' }),
  settings: z
    .array(
      z.object({
        setting: text.meta({ description: 'A member of the definition, filterable, or finding and a code.' }),
        ...{ before: json, after: json },
      }),
    )
    .meta({ description: 'The settings of the register that change.' }),
  findings,
  refused_records: z
    .array(z.object({ where: text, reason: text }))
    .meta({ description: 'The first of the records that were refused.' }),
});

/** How a file can be imported. */
export const guess: z.ZodObject = z.object({
  feed_id: text.meta({ description: 'The register. It need not exist.' }),
  format: z.enum(INPUT_FORMATS),
  encoding: text.nullable().meta({ description: 'The encoding of the text; null for a workbook.' }),
  delimiter: text.nullable().meta({ description: 'The character between the fields; null where it is not CSV.' }),
  header: z.boolean().meta({ description: 'Whether the file has a row with the names of the columns.' }),
  header_row: z.int().min(1).nullable().meta({
    description: 'The line or row of the header; null where nothing stands above it, or there is none.',
  }),
  date_format: text
    .nullable()
    .meta({ description: 'How dates are written; null for RFC 3339, or where it is not certain.' }),
  decimal_comma: z.boolean().meta({ description: 'Whether amounts have a decimal comma.' }),
  order: z.enum(ORDERS).meta({ description: 'The order in which the file would be read.' }),
  records: countSchema('Records in the file.'),
  refused: countSchema('Records that an import with this guess would refuse.'),
  map: z.array(text).meta({ description: 'FIELD=SOURCE, each for one --map.' }),
  key: z.enum(['row']).nullable().meta({
    description: 'row where no column and no few columns tell the records apart; null where the map has their id.',
  }),
  definition: definitionSchema.omit({ uuid: true, authority: true, year: true }).meta({
    description: 'A definition for --definition.',
  }),
  columns: z.array(
    z.object({
      name: text.meta({ description: 'The publisher’s name.' }),
      field: text.nullable().meta({ description: 'The core field that it fills, or data.NAME; null: none.' }),
      type: z.enum(FIELD_TYPES).meta({ description: 'The type that all values fit.' }),
      values: countSchema('Records that have a value.'),
      unique: z.boolean().meta({ description: 'Whether every record has a value, and no two have the same.' }),
    }),
  ),
  remarks: z.array(text).meta({ description: 'What a person should look at.' }),
  commands: z.array(text).meta({ description: 'The commands that import the file so, for a POSIX shell.' }),
  first: z.array(recordSchema).meta({ description: 'The first records as they would be published.' }),
});

/** Each kind of result, and of file, by the name of its schema. */
