// JSON Schemas (2020-12) of what tools take and give, made of the fields that records have. They name no `format`: what
// a register calls a date or an address may be wider than what a client's checker takes for one.
import { CORE_FIELDS } from '../../register/fields.ts';
import type { Field, FieldType } from '../../register/record.ts';
import type { RegisterEntry } from '../../stores/contract/registers.ts';
import { cutText } from '../budget.ts';
import type { JsonObject } from '../protocol.ts';

/** How many of the registers' own fields schemas name: every model reads them, whatever it asks. */
const MAX_OWN_FIELDS = 60;

/** How many bytes they take at most: three tools have them. */
const MAX_OWN_FIELDS_BYTES = 12_000;

/** How much of what is said of a field stands in a schema; list_registers has it whole. */
const MAX_DESCRIPTION_LENGTH = 200;
const MAX_LABEL_LENGTH = 100;

/** How many registers the argument `feed_id` names. */
const MAX_FEED_IDS = 50;

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** Core fields that every record fills. */
const NEVER_NULL: ReadonlySet<string> = new Set([
  'id',
  'feed_id',
  'title',
  'content_type',
  'source_url',
  'observed_at',
  'version',
]);

const TYPES: Readonly<Record<FieldType, readonly string[]>> = {
  text: ['string'],
  url: ['string'],
  date: ['string'],
  datetime: ['string'],
  number: ['number'],
  // Beyond what a number holds exactly it is a text of digits.
  integer: ['integer', 'string'],
  boolean: ['boolean'],
  json: [],
};

/** An object schema. */
export function objectSchema(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { $schema: DIALECT, type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

/** The schema of a tool's arguments: it takes no others. */
export function argumentsSchema(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { ...objectSchema(properties, required), additionalProperties: false };
}

/** A text or nothing, with what it means. */
export function text(description: string): JsonObject {
  return { type: 'string', description };
}

/** A whole number. */
export function integer(description: string, limits: JsonObject = {}): JsonObject {
  return { type: 'integer', description, ...limits };
}

/** `next_offset`. */
export const NEXT_OFFSET: JsonObject = {
  type: ['integer', 'null'],
  description: 'Call again with this offset for what follows; null: nothing does.',
};

/** `note`. */
export const NOTE: JsonObject = text('What is not shown, and how to get it.');

/** `feed_id`, with the registers there are. */
export function feedIdSchema(registers: readonly RegisterEntry[]): JsonObject {
  const examples = registers.slice(0, MAX_FEED_IDS).map(({ definition }) => definition.id);
  return { ...text('The register; list_registers names them.'), ...(examples.length === 0 ? {} : { examples }) };
}

/** `fields`. */
export const FIELDS_ARGUMENT: JsonObject = {
  type: 'array',
  items: { type: 'string' },
  description:
    'Only these fields: names of core fields, data for all of the register’s own, data.x for one. id and source_url always come. Asking for less makes room for more records.',
};

/** A record, of any of these registers. All but its id may be missing: by tier, by choice, for length. */
export function recordSchema(registers: readonly RegisterEntry[]): JsonObject {
  const core = CORE_FIELDS.map((field) => [field.name, fieldSchema([field], !NEVER_NULL.has(field.name))]);
  return {
    type: 'object',
    properties: {
      ...(Object.fromEntries(core) as JsonObject),
      data: { type: 'object', description: 'The register’s own fields.', properties: ownFields(registers) },
      history_url: text('Where its versions are, over REST.'),
      shortened: SHORTENED,
      full_url: FULL_URL,
    },
    required: ['id'],
  };
}

/** `shortened`. */
export const SHORTENED: JsonObject = {
  type: 'array',
  items: { type: 'string' },
  description: 'Fields that are cut or left out here because they are long.',
};

/** `full_url`. */
export const FULL_URL: JsonObject = text('Where it is whole, over REST.');

/** The own fields of all registers: one name may mean different things in two of them. */
function ownFields(registers: readonly RegisterEntry[]): JsonObject {
  const all = registers.flatMap(({ definition }) => definition.fields);
  const byName = [...Map.groupBy(all, ({ name }) => name)];
  const shown: [string, JsonObject][] = [];
  let bytes = 0;
  for (const [name, fields] of byName.slice(0, MAX_OWN_FIELDS)) {
    const schema = fieldSchema(fields, true);
    bytes += Buffer.byteLength(JSON.stringify([name, schema]));
    if (bytes > MAX_OWN_FIELDS_BYTES) break;
    shown.push([name, schema]);
  }
  return Object.fromEntries(shown);
}

function fieldSchema(fields: readonly Field[], isNullable: boolean): JsonObject {
  const description = fields.find((field) => field.description !== undefined)?.description;
  const types = new Set(fields.flatMap(({ type }) => TYPES[type]));
  const isAny = fields.some(({ type }) => type === 'json');
  if (isNullable) types.add('null');
  return {
    ...(isAny ? {} : { type: types.size === 1 ? [...types][0] : [...types] }),
    title: cutText(fields[0]!.label, MAX_LABEL_LENGTH),
    ...(description === undefined ? {} : { description: cutText(description, MAX_DESCRIPTION_LENGTH) }),
  };
}
