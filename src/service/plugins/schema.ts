// The schemas of plugins: of JSON Schema (2020-12) those keywords of which every one refuses what it says. Others are refused by name,
// because a description that nothing checks is not kept.
import { z } from 'zod';
import { isObject } from '../../checks.ts';
import { GazetteError, quote } from '../../errors.ts';
import type { JsonObject } from './plugin.ts';

/** What describes, and refuses nothing. */
const ANNOTATIONS = 'title description default examples'.split(' ');

const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];

/** The keywords that belong to a type. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern'],
  number: BOUNDS,
  integer: BOUNDS,
  boolean: [],
  array: ['items', 'minItems', 'maxItems'],
  object: ['properties', 'required', 'additionalProperties'],
};

/**
 * What checks values by a schema.
 *
 * @param what whose schema it is, for messages
 * @throws GazetteError `invalid_option` for a keyword that is not checked
 */
export function readSchema(what: string, schema: JsonObject): z.ZodType {
  checkSchema(what, schema);
  try {
    return z.fromJSONSchema(schema);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new GazetteError('invalid_option', `${what} must be a JSON Schema: ${reason}`, {
      ...{ cause, details: { option: 'plugins' } },
    });
  }
}

function checkSchema(what: string, schema: unknown): void {
  if (!isObject(schema)) throw wrong(what, 'an object', schema);
  const { type, properties, items } = schema;
  const known = typeof type === 'string' && Object.hasOwn(KEYWORDS, type) ? KEYWORDS[type]! : null;
  if (known === null) throw wrong(`${what}: type`, `one of ${Object.keys(KEYWORDS).join(', ')}`, type);
  const chosen = 'enum' in schema ? ['enum'] : 'const' in schema ? ['const'] : known;
  const names = ['type', ...chosen, ...ANNOTATIONS];
  const other = Object.keys(schema).find((name) => !names.includes(name));
  if (other !== undefined) throw wrong(what, `made of ${names.join(', ')}`, other);
  if ('additionalProperties' in schema && typeof schema.additionalProperties !== 'boolean') {
    throw wrong(`${what}: additionalProperties`, 'true or false', schema.additionalProperties);
  }
  if (items !== undefined) checkSchema(`${what}: items`, items);
  if (properties === undefined) return;
  if (!isObject(properties)) throw wrong(`${what}: properties`, 'an object', properties);
  for (const [name, one] of Object.entries(properties)) checkSchema(`${what}: ${name}`, one);
}

function wrong(what: string, expected: string, got: unknown): GazetteError {
  const shown = typeof got === 'string' ? quote(got) : JSON.stringify(got);
  return new GazetteError('invalid_option', `${what} must be ${expected}, got ${shown}`, {
    details: { option: 'plugins' },
  });
}
