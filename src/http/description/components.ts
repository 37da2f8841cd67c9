// What the operations of openapi.json have in common: each schema, parameter, answer and header field stands once, in
// `components`, and operations refer to it.
import { z } from 'zod';
import { type DescribedSchema, describeSchema, type JsonSchema } from '../../register/schemas/json-schema.ts';
import { TIME_PATTERNS } from '../../register/time.ts';
import type { DocumentedBody } from '../../web/documentation.ts';
import type { HeadedResponse, Responses } from './errors.ts';
import { type DescribedHeader, HEADERS } from './headers.ts';

/** A parameter as the document has it. */
export interface DescribedParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly [member: string]: unknown;
}

/** The pattern of dates is long, and that of many parameters: their schema stands once. */
const DATE = TIME_PATTERNS.dateOrDateTime.source;

/** What is known of each schema. A schema never changes, most are the same in every document, and an error's is in all routes. */
const known = new WeakMap<z.ZodType, DescribedSchema>();
const knownInBrief = new WeakMap<z.ZodType, DescribedSchema>();

/** Describes a schema. To do so takes most of the time of a document. */
function describedOnce(schema: z.ZodType): DescribedSchema {
  const described = known.get(schema) ?? describeSchema(schema, (name) => `#/components/schemas/${name}`);
  known.set(schema, described);
  return described;
}

/** The same without the largest number that programs hold exactly, which Zod names with each integer that has no other bound. */
function describedInBrief(schema: z.ZodType): DescribedSchema {
  const isSafe = (name: string, value: unknown): boolean => name === 'maximum' && value === Number.MAX_SAFE_INTEGER;
  const brief = (): DescribedSchema => {
    const text = JSON.stringify(describedOnce(schema), (name, value: unknown) =>
      isSafe(name, value) ? undefined : value,
    );
    return JSON.parse(text) as DescribedSchema;
  };
  const described = knownInBrief.get(schema) ?? brief();
  knownInBrief.set(schema, described);
  return described;
}

/** The components of one document, which are those that were asked for. */
export class Components {
  readonly #schemas: Record<string, JsonSchema> = {};
  readonly #parameters: Record<string, DescribedParameter> = {};
  readonly #responses: Record<string, object> = {};
  readonly #headers: Record<string, DescribedHeader> = {};

  /** The schema; those with a name are referred to. */
  schema(schema: DocumentedBody['schema'], describe: typeof describedInBrief = describedInBrief): JsonSchema {
    if (!(schema instanceof z.ZodType)) return schema;
    const described = describe(schema);
    Object.assign(this.#schemas, described.named);
    return described.schema;
  }

  /** The members of an object as parameters; a list is a repeated one, as OpenAPI has it by default. @param own those of own fields, which stand for the member `data` */
  parametersOf(
    place: DescribedParameter['in'],
    schema: z.ZodType | undefined,
    own: readonly DescribedParameter[] = [],
  ): readonly DescribedParameter[] {
    if (schema === undefined) return [];
    // A number above the largest one is refused.
    const { properties = {}, required = [] } = describedOnce(schema).schema as {
      readonly properties?: Readonly<Record<string, JsonSchema>>;
      readonly required?: readonly string[];
    };
    return Object.entries(properties).flatMap(([name, { description, ...member }]) => {
      // The one member that is an object stands for parameters that only a register names.
      if (member.type === 'object') return own;
      return {
        ...{ name, in: place, ...(required.includes(name) ? { required: true } : {}) },
        ...(description === undefined ? {} : { description }),
        schema: member.pattern === DATE ? this.#named('DateOrDateTime', member) : member,
      };
    });
  }

  #named(name: string, schema: JsonSchema): JsonSchema {
    this.#schemas[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  }

  /** Refers to a parameter. @param operationId distinguishes it from another of the same name */
  parameter(described: DescribedParameter, operationId: string): object {
    return refTo('parameters', this.#parameters, described, described.name, operationId);
  }

  /** The answers by status; those with a name are referred to. @param operationId distinguishes them from others of the same name */
  responses(responses: Responses, operationId: string): Readonly<Record<string, object>> {
    return Object.fromEntries(
      Object.entries(responses).map(([status, response]) => {
        const described = this.#response(response);
        const { name } = response;
        const answer =
          name === undefined ? described : refTo('responses', this.#responses, described, name, operationId);
        return [status, answer] as const;
      }),
    );
  }

  /** Answers that no operation has: linters want only what operations use among the components. */
  otherResponses(responses: Responses): Readonly<Record<string, object>> {
    const described = Object.entries(responses).map(([status, response]) => {
      return [status, this.#response(response, (name) => this.#known(name) ?? HEADERS[name]!)] as const;
    });
    return Object.fromEntries(described);
  }

  /** The bodies of answers by media type. */
  content(
    content: Readonly<Record<string, DocumentedBody>>,
    describe: typeof describedInBrief = describedInBrief,
  ): object {
    const described = Object.entries(content).map(([type, { schema }]) => [
      type,
      { schema: this.schema(schema, describe) },
    ]);
    return Object.fromEntries(described) as object;
  }

  /** The bodies of requests, in which a number above the largest one is refused. */
  asked(content: Readonly<Record<string, DocumentedBody>>): object {
    return this.content(content, describedOnce);
  }

  /** All that were asked for. */
  get all(): object {
    return {
      ...{ schemas: this.#schemas, parameters: this.#parameters },
      ...{ responses: this.#responses, headers: this.#headers },
    };
  }

  #response({ description, headers, content }: HeadedResponse, header = this.#header.bind(this)): object {
    const described = headers.map((name) => [name.split(': ')[0]!, header(name)] as const);
    return {
      description,
      headers: Object.fromEntries(described),
      ...(content === undefined ? {} : { content: this.content(content) }),
    };
  }

  #header(name: string): object {
    this.#headers[componentOf(name)] = HEADERS[name]!;
    return this.#known(name)!;
  }

  #known(name: string): object | undefined {
    return componentOf(name) in this.#headers ? { $ref: `#/components/headers/${componentOf(name)}` } : undefined;
  }
}

/** Refers to a component, which is kept under its name; with another one of that name, under that of the operation too. */
function refTo<T extends object>(
  kind: string,
  kept: Record<string, T>,
  described: T,
  name: string,
  operationId: string,
): object {
  const text = JSON.stringify(described);
  const isFree = (key: string): boolean => !(key in kept) || JSON.stringify(kept[key]) === text;
  const others = (): readonly string[] => Object.keys(kept).filter((key) => key.startsWith(`${name}.`));
  const key = isFree(name) ? name : (others().find(isFree) ?? `${name}.${operationId}`);
  kept[key] = described;
  return { $ref: `#/components/${kind}/${key}` };
}

/** The name of a header field among the components. */
function componentOf(name: string): string {
  return name.replace(': ', '.');
}
