// The results of `--json` for programs, and files that the commands read: one Zod schema for each kind. `npm run schemas`
// generates the JSON Schemas next to this file, which are published as `gazette/schemas/*.json`.
import { z } from 'zod';
import { type JsonSchema, toJsonSchema, withoutFormats } from '../../register/schemas/json-schema.ts';
import { configurationSchema } from '../configuration/file.ts';
import { deskEntry, editor } from './editors.ts';
import { FINDING_ACTIONS, FINDING_CODES } from '../../import/proposals/finding-codes.ts';
import { ORDERS } from '../../register/sources/order.ts';
import { examined } from './examined.ts';
import { guess, imported, importEntry, proposal } from './imported.ts';
import {
  anyLedgerEntry,
  delivery,
  endpoint,
  newEndpoint,
  newKey,
  oneDelivery,
  sellingAccount,
  sellingKey,
} from '../../http/description/account-answers.ts';
import { describedEvents } from '../../http/description/event-schemas.ts';
import { definitionFileSchema } from '../../register/schemas/definition-file.ts';
import { countSchema, pricedDefinitionSchema, recordSchema, versionSchema } from '../../register/schemas/records.ts';

/** A kind of result. */
interface Answer {
  readonly title: string;
  readonly schema: z.ZodType;
}

const text = z.string();
const time = z.string();
const timeOrNull = (description: string): z.ZodType => time.nullable().meta({ description });

const MORE = 'Later versions may add members.';

const register = z.object({
  definition: pricedDefinitionSchema.meta({ description: 'What the register says of itself, and its fields.' }),
  definition_version: countSchema('The number of the definition, which every change of it raises.'),
  records: countSchema('Live records.'),
  positions: countSchema('The highest position: how many records there have ever been.'),
  change: countSchema('The number of the latest change.'),
  order: z.enum(ORDERS).nullable().meta({
    description:
      'Which end of the publisher’s files is the newest, or that they are sorted by date; null until an import has found out.',
  }),
  last_change: timeOrNull('When the register last changed, RFC 3339; null when nothing ever happened.'),
  index_complete: z.boolean().optional().meta({
    description: 'Whether every record is found by words; gazette register show alone says it.',
  }),
  findings: z.partialRecord(z.enum(FINDING_CODES), z.enum(FINDING_ACTIONS)).optional().meta({
    description:
      'What imports do with what they find in a file, where it is not the default; gazette register show alone says it.',
  }),
});

const record = z.object({
  id: text,
  feed_id: text,
  position: z.int().min(1),
  version: z.int().min(1),
  state: z.enum(['live', 'withdrawn', 'redacted']),
  record: recordSchema.nullable().meta({
    description: 'The record; of a withdrawn one, as it last was; null when redacted.',
  }),
  versions: z.array(versionSchema(recordSchema)).meta({ description: 'Newest first.' }),
});

const redaction = z.object({
  id: text,
  result: z.enum(['erased', 'erased_before', 'lifted', 'not_erased']).meta({
    description: 'What was done: with --lift, lifted, or not_erased where there was nothing to lift.',
  }),
  pending: z
    .object({
      asked_at: time,
      parts: z.array(text).meta({ description: 'What may still have what was erased.' }),
      failure: text.nullable().meta({ description: 'What went wrong; null: others hold it up.' }),
    })
    .nullable()
    .meta({ description: 'The purge that every later command and gazette serve try again; null: none is left.' }),
  beyond: z.array(text).meta({ description: 'What gazette cannot reach, and until when.' }),
});

const ANSWERS: Readonly<Record<string, Answer>> = {
  account: {
    title: 'Answer of gazette account add, extend, update, suspend and resume',
    schema: sellingAccount.meta({ description: `One account. ${MORE}` }),
  },
  ledger: {
    title: 'Answer of gazette account ledger',
    schema: z.array(anyLedgerEntry).meta({ description: `Entries of the ledger, newest first. ${MORE}` }),
  },
  entry: {
    title: 'Answer of gazette account credit and refund',
    schema: anyLedgerEntry
      .extend({ entered: z.boolean().meta({ description: 'False: it was entered before, and nothing was done now.' }) })
      .meta({ description: `One entry of the ledger. ${MORE}` }),
  },
  accounts: {
    title: 'Answer of gazette account list',
    schema: z.array(sellingAccount).meta({ description: `All accounts, by id. ${MORE}` }),
  },
  definition: {
    title: 'Definition of a register: a file for --definition',
    schema: definitionFileSchema.meta({
      description:
        'What gazette register add, gazette register update and gazette export - take. Besides, no name may belong to two fields, and dates and addresses must exist.',
    }),
  },
  deliveries: {
    title: 'Answer of gazette webhook deliveries',
    schema: z.array(delivery).meta({ description: `An endpoint's deliveries, newest first. ${MORE}` }),
  },
  delivery: {
    title: 'Answer of gazette webhook test and of gazette webhook deliveries with a delivery',
    schema: oneDelivery.meta({ description: `One delivery. ${MORE}` }),
  },
  doctor: {
    title: 'Answer of gazette doctor',
    schema: examined.meta({ description: `What is wrong with an installation. ${MORE}` }),
  },
  editor: {
    title: 'Answer of gazette editor add and change',
    schema: editor.meta({ description: `One editor. ${MORE}` }),
  },
  editors: {
    title: 'Answer of gazette editor list',
    schema: z.array(editor).meta({ description: `All editors, by name. ${MORE}` }),
  },
  'editor-log': {
    title: 'Answer of gazette editor log',
    schema: z.array(deskEntry).meta({ description: `What was done, newest first. ${MORE}` }),
  },
  import: {
    title: 'Answer of gazette import',
    schema: imported.meta({ description: `What an import did, or with dry_run would do. ${MORE}` }),
  },
  gazette: {
    title: 'Configuration of an installation: gazette.json',
    schema: configurationSchema().meta({
      description:
        'The settings of gazette serve and of other commands that have them, by the names of their options, and the registers. What a value must be is decided by its option.',
    }),
  },
  guess: {
    title: 'Answer of gazette import --guess',
    schema: guess.meta({ description: `How a file can be imported. ${MORE}` }),
  },
  imports: {
    title: 'Answer of gazette imports list',
    schema: z.array(importEntry).meta({ description: `The imports of a register, newest first. ${MORE}` }),
  },
  key: {
    title: 'Answer of gazette key create, update, rotate and revoke',
    schema: newKey.meta({ description: `One key. ${MORE}` }),
  },
  keys: {
    title: 'Answer of gazette key list',
    schema: z.array(sellingKey).meta({ description: `All keys of an account, newest first. ${MORE}` }),
  },
  proposal: {
    title:
      'Answer of gazette imports show, approve, discard and undo, and of gazette record correct, withdraw and restore',
    schema: proposal.meta({ description: `One import, with what a proposal would do. ${MORE}` }),
  },
  record: {
    title: 'Answer of gazette record show',
    schema: record.meta({ description: `One record with its versions. ${MORE}` }),
  },
  redaction: {
    title: 'Answer of gazette record redact',
    schema: redaction.meta({ description: `What was erased, and what is left of it. ${MORE}` }),
  },
  register: {
    title: 'Answer of gazette register add, update and show',
    schema: register.meta({ description: `One register. ${MORE}` }),
  },
  registers: {
    title: 'Answer of gazette register list',
    schema: z.array(register).meta({ description: `All registers, by id. ${MORE}` }),
  },
  rekey: {
    title: 'Answer of gazette webhook rekey',
    schema: z
      .object({ rekeyed: countSchema('How many secrets were encrypted again, the prepared ones too.') })
      .meta({ description: MORE }),
  },
  replay: {
    title: 'Answer of gazette webhook replay',
    schema: z
      .object({ replayed: countSchema('How many deliveries are to be sent again.') })
      .meta({ description: MORE }),
  },
  webhook: {
    title: 'Answer of gazette webhook add, disable, enable and rotate-secret',
    schema: newEndpoint.meta({ description: `One endpoint. ${MORE}` }),
  },
  webhooks: {
    title: 'Answer of gazette webhook list',
    schema: z.array(endpoint).meta({ description: `Endpoints. ${MORE}` }),
  },
};

/** The JSON Schemas of all results and files, by file name. */
export function answerSchemas(): ReadonlyMap<string, JsonSchema> {
  const answers = Object.entries(ANSWERS).map(([name, { title, schema }]) => {
    return [name, title, withoutFormats(toJsonSchema(schema))] as const;
  });
  const events = describedEvents().map(({ type, summary, schema }) => {
    return [`event.${type}`, `Event ${type}`, { ...schema, description: `${summary} ${MORE}` }] as const;
  });
  return new Map(
    [...answers, ...events].map(([name, title, { description, ...rest }]) => {
      const head = { $schema: 'https://json-schema.org/draft/2020-12/schema', $id: `urn:gazette:schema:${name}` };
      return [`${name}.schema.json`, { ...head, title, description, ...rest }];
    }),
  );
}
