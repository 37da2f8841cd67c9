// Converts Zod schemas to JSON Schema 2020-12, which OpenAPI 3.1 uses unchanged: by Zod's own `toJSONSchema`, in a
// shorter form.
import { z } from 'zod';

/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A schema, and the schemas it refers to. */
export interface DescribedSchema {
  readonly schema: JsonSchema;
  /** The schemas with a name (`meta({ id })`), by name. */
  readonly named: Readonly<Record<string, JsonSchema>>;
}

/**
 * The JSON Schema of a schema's input: a default makes a member optional, and an object may have further members unless
 * it is strict.
 *
 * @param refTo returns the reference to a named schema
 * @example describe(z.object({ limit: z.int() }), (name) => `#/$defs/${name}`).schema
 */
export function describeSchema(schema: z.ZodType, refTo: (name: string) => string): DescribedSchema {
  // A named schema would be written out if it is the outermost one; inside this wrapper it never is.
  const { properties, $defs } = z.toJSONSchema(z.object({ it: schema }), {
    io: 'input',
    override({ jsonSchema }) {
      makeBrief(jsonSchema);
    },
  });
  const withRefs = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(withRefs);
    if (typeof node !== 'object' || node === null) return node;
    const members = Object.entries(node).map(([name, value]) => {
      const ref = name === '$ref' && typeof value === 'string' ? /^#\/\$defs\/(.*)$/.exec(value)?.[1] : undefined;
      return [name, ref === undefined ? withRefs(value) : refTo(ref)] as const;
    });
    return Object.fromEntries(members);
  };
  const named = Object.entries($defs ?? {}).map(([name, one]) => [name, withRefs(one) as JsonSchema]);
  return {
    schema: withRefs(properties!.it) as JsonSchema,
    named: Object.fromEntries(named) as Record<string, JsonSchema>,
  };
}

/** The JSON Schema of a schema's input, with the named schemas in it as its own definitions. */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { schema: described, named } = describeSchema(schema, (name) => `#/$defs/${name}`);
  return Object.keys(named).length === 0 ? described : { ...described, $defs: named };
}

/**
 * A schema without `format`: the dates and addresses of a register may be wider than those of a validator, and strict
 * validators refuse formats that they do not know.
 */
export function withoutFormats(schema: JsonSchema): JsonSchema {
  const isFormat = (name: string, value: unknown): boolean => name === 'format' && typeof value === 'string';
  const text = JSON.stringify(schema, (name, value: unknown) => (isFormat(name, value) ? undefined : value));
  return JSON.parse(text) as JsonSchema;
}

/** Writes `anyOf` with null as a list of types, and omits `propertyNames` that say no more than that names are texts. */
function makeBrief(schema: z.core.JSONSchema.BaseSchema): void {
  if (Object.keys(schema.propertyNames ?? {}).join() === 'type') delete schema.propertyNames;
  const [one, other, third] = schema.anyOf ?? [];
  const isNullable = other?.type === 'null' && third === undefined;
  if (!isNullable || typeof one?.type !== 'string') return;
  const { type, enum: values, ...rest } = one;
  delete schema.anyOf;
  const outer = { ...schema };
  Object.assign(schema, rest, { type: [type, 'null'] }, values === undefined ? {} : { enum: [...values, null] }, outer);
}
