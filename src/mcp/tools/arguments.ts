// Validates the arguments of a call by the schemas that `tools/list` describes, and words the errors.
import { z } from 'zod';
import { isObject } from '../../checks.ts';
import { GazetteError, quote, shorten } from '../../errors.ts';
import { CORE_FIELDS } from '../../register/fields.ts';
import { type Parameter, refusal } from '../../register/parameters.ts';
import type { RegisterDefinition } from '../../register/record.ts';
import { isKeyField, type Tier } from '../../register/tier.ts';
import { cutText } from '../budget.ts';
import type { JsonObject } from '../protocol.ts';

/** How many fields an error names: enough to help, without a long list. */
const MAX_NAMED = 40;

/** How much of each name it shows. */
const MAX_NAME_LENGTH = 100;

/** A required text. */
export function requiredText(description: string): z.ZodString {
  return z.string({ error: 'must be given as a text' }).meta({ description });
}

/** The description of `record_id`. */
export const RECORD_ID_TEXT = 'The id that read_register gave, such as permits:2026-0191.';

/** The fields that every record has; a register's own fields are `data.x`. */
const KNOWN_FIELDS: readonly string[] = [...CORE_FIELDS.map(({ name }) => name), 'data', 'history_url'];

/** `fields`. */
export const FIELDS_ARGUMENT: z.ZodOptional<z.ZodArray<z.ZodString>> = z
  .array(z.string({ error: `must be some of ${KNOWN_FIELDS.join(', ')} and data.x` }), {
    error: 'must be a list of names',
  })
  .optional()
  .meta({
    description:
      'Only these fields: names of core fields, data for all of the register’s own, data.x for one. id always comes; name source_url to cite.',
  });

/**
 * Reads the arguments of a call. Null counts as absent, because models send it for omitted arguments; a text is taken for the number
 * or the list that it stands for.
 *
 * @param schema all arguments of the tool
 * @param parameters those that the REST interface has too: they have the same error messages
 * @throws GazetteError `invalid_parameter`
 */
export function readArguments<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape, z.core.$strict>,
  parameters: readonly Parameter[],
  given: unknown,
): z.output<z.ZodObject<Shape, z.core.$strict>> {
  if (given !== undefined && given !== null && !isObject(given)) {
    throw invalid('arguments', 'arguments must be an object', given);
  }
  const args = Object.fromEntries(
    Object.entries(given ?? {})
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, meant(value, schema.shape[name])]),
  );
  const result = schema.safeParse(args);
  if (result.success) return result.data;
  const { issues } = result.error;
  const stranger = issues.find((issue) => issue.code === 'unrecognized_keys');
  if (stranger !== undefined) {
    const known = `there are ${Object.keys(schema.shape).join(', ')}`;
    throw new GazetteError('invalid_parameter', `there is no argument ${quote(stranger.keys[0])}: ${known}`, {
      details: { parameter: 'arguments' },
    });
  }
  const issue = issues[0]!;
  const name = issue.path.filter((part) => typeof part === 'string').join('.');
  const value = issue.path.reduce((at: unknown, part) => (at as Readonly<Record<PropertyKey, unknown>>)[part], args);
  const parameter = parameters.find((asked) => asked.name === name);
  if (parameter === undefined || value === undefined)
    throw invalid(shorten(name), `${shorten(name)} ${issue.message}`, value);
  if (parameter.kind === 'integer' && typeof value === 'number') throw refusal(parameter, value);
  const isList = parameter.kind === 'texts' && parameter.maxItems > 1;
  if (parameter.kind === 'texts' && (isList || !Array.isArray(value))) {
    const given = [value].flat();
    if (given.every((one) => typeof one === 'string')) throw refusal(parameter, given);
  }
  const texts = isList ? 'a text, or a list of texts' : 'a text';
  throw invalid(name, `${name} must be ${parameter.kind === 'integer' ? 'a number' : texts}`, value);
}

/**
 * What a value stands for that models send in place of a number or a list: `"5"`, `"[\"id\",\"title\"]"`, `"id,title"` for names,
 * one item without its list.
 */
function meant(value: unknown, schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return meant(value, schema.unwrap());
  if (schema instanceof z.ZodArray) {
    const areNames = schema.element instanceof z.ZodString;
    const list = typeof value === 'string' ? (listIn(value) ?? (areNames ? namesIn(value) : value)) : value;
    return isObject(list) ? [list] : list;
  }
  if (typeof value !== 'string') return value;
  if (schema instanceof z.ZodNumber) return /^\s*-?\d+\s*$/.test(value) ? Number(value) : value;
  return schema instanceof z.ZodUnion ? (listIn(value) ?? value) : value;
}

/** The list or the object that a text is as JSON; null: none. */
function listIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return JSON.parse(text);
  } catch {
    // A value that begins so.
    return null;
  }
}

function namesIn(text: string): readonly string[] {
  return text.split(',').map((name) => name.trim());
}

/** The fields of a record to show; null: all. */
export type FieldChoice = ReadonlySet<string> | null;

/**
 * The argument `fields`.
 *
 * @throws GazetteError `invalid_parameter` for an unknown field; `credentials_required` for one that needs a key.
 */
export function checkFields(
  fields: readonly string[] | undefined,
  definition: RegisterDefinition,
  tier: Tier,
): FieldChoice {
  if (fields === undefined) return null;
  const own = definition.fields.map(({ name }) => `data.${name}`);
  const known = [...KNOWN_FIELDS, ...own];
  for (const name of fields) {
    if (!known.includes(name)) {
      throw invalid('fields', `fields must be some of ${listOf(known)}`, name);
    }
    if (tier !== 'pro' && isKeyField(name)) {
      throw new GazetteError(
        'credentials_required',
        `the field ${name} needs an API key: leave it out, or send Authorization: Bearer <API_KEY>`,
      );
    }
  }
  return new Set(['id', ...fields]);
}

/** A record with only the chosen fields, in their own order. */
export function chooseFields(record: JsonObject, choice: FieldChoice): JsonObject {
  if (choice === null) return record;
  const chosen = Object.entries(record).filter(([name]) => choice.has(name));
  if (isObject(record.data) && !choice.has('data')) {
    const own = Object.entries(record.data).filter(([name]) => choice.has(`data.${name}`));
    if (own.length > 0) chosen.push(['data', Object.fromEntries(own)]);
  }
  return Object.fromEntries(chosen);
}

/** The first names of a list, each cut to a recognisable length, and the number of the others. */
function listOf(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).map((name) => cutText(name, MAX_NAME_LENGTH));
  const more = names.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more, which list_registers names` : ''}`;
}

function invalid(parameter: string, expected: string, got: unknown): GazetteError {
  const shown = got === undefined ? 'nothing' : quote(got);
  return new GazetteError('invalid_parameter', `${expected}, got ${shown}`, { details: { parameter } });
}
