// The arguments of a call: what takes them is what `tools/list` describes. Here is said in which words they are refused.
import { z } from 'zod';
import { GazetteError, quote } from '../../errors.ts';
import { CORE_FIELDS } from '../../register/fields.ts';
import { type Parameter, refusal } from '../../register/parameters.ts';
import type { RegisterDefinition } from '../../register/record.ts';
import { AGENT_PRO_FIELDS, type Tier } from '../../register/tier.ts';
import { cutText } from '../budget.ts';
import { isObject, type JsonObject } from '../protocol.ts';

/** How many fields a refusal names: whoever asked shall learn what there is, not read a book. */
const MAX_NAMED = 40;

/** How much of a name it shows. */
const MAX_NAME_LENGTH = 100;

/** What must be there: a text. */
export function requiredText(description: string): z.ZodString {
  return z.string({ error: 'must be given as a text' }).meta({ description });
}

/** What `record_id` is. */
export const RECORD_ID_TEXT = 'The id that read_register gave, such as permits:2026-0191.';

/** What every record may be asked for; its register's own fields are `data.x`. */
const KNOWN_FIELDS: readonly string[] = [...CORE_FIELDS.map(({ name }) => name), 'data', 'history_url'];

/** `fields`. */
export const FIELDS_ARGUMENT: z.ZodOptional<z.ZodArray<z.ZodString>> = z
  .array(z.string({ error: `must be some of ${KNOWN_FIELDS.join(', ')} and data.x` }), {
    error: 'must be a list of names',
  })
  .optional()
  .meta({
    description:
      'Only these fields: names of core fields, data for all of the register’s own, data.x for one. id and source_url always come. Asking for less makes room for more records.',
  });

/**
 * The arguments of a call. Null, which models send for what they leave out, is nothing.
 *
 * @param schema all that there are
 * @param parameters those of them that the REST interface has too: they are refused in the same words
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
  const args = Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== null));
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
  const name = String(issue.path[0]);
  const value = args[name];
  const parameter = parameters.find((asked) => asked.name === name);
  if (parameter === undefined) {
    const item = issue.path[1];
    const wrong = Array.isArray(value) && typeof item === 'number' ? (value[item] as unknown) : value;
    throw invalid(name, `${name} ${issue.message}`, wrong);
  }
  const type = parameter.kind === 'integer' ? 'number' : 'string';
  if (typeof value === type) throw refusal(parameter, value);
  throw invalid(name, `${name} must be a ${parameter.kind === 'integer' ? 'number' : 'text'}`, value);
}

/** Which fields a record is shown with; null: all that there are. */
export type FieldChoice = ReadonlySet<string> | null;

/** What every record shows, whatever is chosen: what it is called by and what it is cited by. */
const ALWAYS: readonly string[] = ['id', 'source_url'];

/**
 * The argument `fields`.
 *
 * @throws GazetteError `invalid_parameter` for a field there is none of; `credentials_required` for one that needs a key.
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
    if (tier !== 'pro' && isProField(name)) {
      throw new GazetteError(
        'credentials_required',
        `the field ${name} needs an API key: leave it out, or send Authorization: Bearer <API_KEY>`,
      );
    }
  }
  return new Set([...ALWAYS, ...fields]);
}

/** A record with the chosen fields alone, in their own order. */
export function chooseFields(record: JsonObject, choice: FieldChoice): JsonObject {
  if (choice === null) return record;
  const chosen = Object.entries(record).filter(([name]) => choice.has(name));
  if (isObject(record.data) && !choice.has('data')) {
    const own = Object.entries(record.data).filter(([name]) => choice.has(`data.${name}`));
    if (own.length > 0) chosen.push(['data', Object.fromEntries(own)]);
  }
  return Object.fromEntries(chosen);
}

/** The first of some names, as much of each as tells which it is, and how many more there are. */
function listOf(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).map((name) => cutText(name, MAX_NAME_LENGTH));
  const more = names.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more, which list_registers names` : ''}`;
}

function isProField(name: string): boolean {
  return name === 'history_url' || (AGENT_PRO_FIELDS as readonly string[]).includes(name.split('.')[0]!);
}

function invalid(parameter: string, expected: string, got: unknown): GazetteError {
  const shown = got === undefined ? 'nothing' : quote(got);
  return new GazetteError('invalid_parameter', `${expected}, got ${shown}`, { details: { parameter } });
}
