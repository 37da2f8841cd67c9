// The arguments of a call. What they may be is decided by register/query.ts, as for every surface; here is said only
// that JSON has types, and which names a tool knows.
import { GazetteError, quote } from '../../errors.ts';
import { AGENT_PRO_FIELDS, type Tier } from '../../register/tier.ts';
import { CORE_FIELDS } from '../../register/fields.ts';
import type { RegisterDefinition } from '../../register/record.ts';
import { cutText } from '../budget.ts';
import { isObject, type JsonObject } from '../protocol.ts';

/** How many fields a refusal names: whoever asked shall learn what there is, not read a book. */
const MAX_NAMED = 40;

/** How much of a name it shows. */
const MAX_NAME_LENGTH = 100;

/** Arguments that are numbers; every other is a text. */
const NUMBERS: ReadonlySet<string> = new Set(['limit', 'offset']);

/**
 * The arguments of a call as an object that has none but `names`. Null, which models send for what they leave out, is
 * nothing.
 *
 * @throws GazetteError `invalid_parameter`
 */
export function checkArguments(value: unknown, names: readonly string[]): JsonObject {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw invalid('arguments', 'arguments must be an object', value);
  const entries = Object.entries(value).filter(([, given]) => given !== null);
  const stranger = entries.find(([name]) => !names.includes(name));
  if (stranger !== undefined) {
    const known = names.length === 0 ? 'there are none' : `there are ${names.join(', ')}`;
    throw new GazetteError('invalid_parameter', `there is no argument ${quote(stranger[0])}: ${known}`, {
      details: { parameter: 'arguments' },
    });
  }
  return Object.fromEntries(entries);
}

/** @throws GazetteError `invalid_parameter` unless it is there and a text. */
export function requiredText(args: JsonObject, name: string): string {
  const value = args[name];
  if (typeof value === 'string') return value;
  throw invalid(name, `${name} must be given as a text`, value);
}

/**
 * Arguments as the query parameters of the same name, for those who parse these.
 *
 * @throws GazetteError `invalid_parameter` for a value of another type.
 */
export function toParameters(args: JsonObject, names: readonly string[]): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const name of names) {
    const value = args[name];
    if (value === undefined) continue;
    const isNumber = NUMBERS.has(name);
    if (isNumber && typeof value === 'number') parameters.set(name, String(value));
    else if (!isNumber && typeof value === 'string') parameters.set(name, value);
    else throw invalid(name, `${name} must be a ${isNumber ? 'number' : 'text'}`, value);
  }
  return parameters;
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
export function checkFields(args: JsonObject, definition: RegisterDefinition, tier: Tier): FieldChoice {
  const { fields } = args;
  if (fields === undefined) return null;
  const own = definition.fields.map(({ name }) => `data.${name}`);
  const known = [...CORE_FIELDS.map(({ name }) => name as string), 'data', 'history_url', ...own];
  if (!Array.isArray(fields)) throw invalid('fields', 'fields must be a list of names', fields);
  for (const name of fields as readonly unknown[]) {
    if (typeof name !== 'string' || !known.includes(name)) {
      throw invalid('fields', `fields must be some of ${listOf(known)}`, name);
    }
    if (tier !== 'pro' && isProField(name)) {
      throw new GazetteError(
        'credentials_required',
        `the field ${name} needs an API key: leave it out, or send Authorization: Bearer <API_KEY>`,
      );
    }
  }
  return new Set([...ALWAYS, ...(fields as readonly string[])]);
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
