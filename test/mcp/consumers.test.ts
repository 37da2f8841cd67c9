// Whether the hosts of models take the definitions of the tools: a host that refuses one keyword of one tool refuses the whole
// conversation. Each row is what one kind of host was seen to refuse; each is tried with what it has to refuse, too.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { defineRegister } from '../../src/register/definition.ts';
import { at } from '../contracts/store-register.ts';
import { world, type World } from '../world.ts';
import { post, rpc } from './agent.ts';

interface Schema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly [keyword: string]: unknown;
}
interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Schema;
  readonly outputSchema: Schema;
}

/** All schemas in one, with their paths: what is below a keyword that is none of ours included. */
function nodes(schema: unknown, path = '$'): readonly (readonly [path: string, node: Schema])[] {
  if (Array.isArray(schema)) return schema.flatMap((one, index) => nodes(one, `${path}[${index}]`));
  if (typeof schema !== 'object' || schema === null) return [];
  const inner = Object.entries(schema).flatMap(([name, value]) =>
    name === 'properties' || name === '$defs'
      ? Object.entries(value as object).flatMap(([member, one]) => nodes(one, `${path}.${member}`))
      : nodes(value, `${path}/${name}`),
  );
  return [[path, schema as Schema], ...inner];
}

const whereOf = (schema: Schema, isWrong: (node: Schema) => boolean): readonly string[] =>
  nodes(schema).flatMap(([path, node]) => (isWrong(node) ? [path] : []));
const names = (schema: Schema): readonly string[] =>
  nodes(schema).flatMap(([, { properties }]) => Object.keys(properties ?? {}));
const LOOKAROUND = /\(\?<?[=!]|\\[1-9pPbB]/;

/** What the Schema object of the Gemini API knows: of other members it says "Cannot find field". */
const GEMINI: readonly string[] = [
  ...['type', 'format', 'title', 'description', 'nullable', 'enum', 'maxItems', 'minItems', 'properties', 'required'],
  ...['minProperties', 'maxProperties', 'minLength', 'maxLength', 'pattern', 'example', 'anyOf', 'propertyOrdering'],
  ...['default', 'items', 'minimum', 'maximum'],
];
const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object'];

/** A host, its source, what it finds wrong with a tool, and a change of the arguments' schema that it has to find. */
const CONSUMERS: readonly (readonly [
  host: string,
  source: string,
  faults: (tool: Tool) => readonly string[],
  wrong: Schema,
])[] = [
  [
    'OpenAI’s functions, not strict',
    'platform.openai.com/docs/guides/function-calling; "regex lookaround is not supported", "array schema missing items"',
    ({ name, description, inputSchema }) => [
      ...(/^[a-zA-Z0-9_-]{1,64}$/.test(name) ? [] : ['name']),
      ...(description.length <= 1024 ? [] : ['description']),
      ...(inputSchema.type === 'object' && inputSchema.properties !== undefined ? [] : ['root']),
      ...whereOf(inputSchema, ({ pattern }) => typeof pattern === 'string' && LOOKAROUND.test(pattern)),
      ...whereOf(inputSchema, ({ type, items }) => type === 'array' && items === undefined),
    ],
    { type: 'string', pattern: '^(?!-)a$' },
  ],
  [
    'Gemini’s function declarations',
    'ai.google.dev/api/caching#Schema; "Unknown name", "Proto field is not repeating", "only allowed for STRING type", "should be non-empty for OBJECT type"',
    ({ inputSchema }) => [
      ...whereOf(inputSchema, (node) => Object.keys(node).some((keyword) => !GEMINI.includes(keyword))),
      ...whereOf(inputSchema, ({ type, anyOf }) => anyOf === undefined && !TYPES.includes(String(type))),
      ...whereOf(inputSchema, ({ type }) => Array.isArray(type)),
      ...whereOf(inputSchema, ({ type, enum: values }) => values !== undefined && type !== 'string'),
      ...whereOf(
        inputSchema,
        ({ type, properties }) => (type === 'object') !== Object.keys(properties ?? {}).length > 0,
      ),
      ...whereOf(inputSchema, ({ required, properties }) =>
        ((required ?? []) as readonly string[]).some((name) => !(name in (properties ?? {}))),
      ),
    ],
    { type: ['string', 'array'] },
  ],
  [
    'Anthropic’s tools',
    'platform.claude.com, tool use: no oneOf, allOf, anyOf at the top, no $ref, "property keys should match pattern"',
    ({ inputSchema }) => [
      ...['oneOf', 'allOf', 'anyOf'].filter((keyword) => keyword in inputSchema),
      ...whereOf(inputSchema, (node) => '$ref' in node),
      ...names(inputSchema).filter((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name)),
    ],
    { $ref: '#/$defs/texts' },
  ],
  [
    'llama.cpp’s grammars',
    'ggml-org/llama.cpp, json-schema-to-grammar: patterns without anchors or with lookaround or shorthands, objects without members, 2,000 repetitions',
    ({ inputSchema }) => [
      ...whereOf(inputSchema, ({ pattern }) => typeof pattern === 'string' && !/^\^[^\\?]*\$$/.test(pattern)),
      ...whereOf(
        inputSchema,
        ({ type, properties }) => type === 'object' && Object.keys(properties ?? {}).length === 0,
      ),
      ...whereOf(inputSchema, ({ maxLength, maxItems }) =>
        [maxLength, maxItems].some((bound) => Number(bound) >= 2000),
      ),
    ],
    { type: 'string', maxLength: 2000 },
  ],
  [
    'regular expressions of Go and Rust (RE2)',
    'github.com/google/re2/wiki/Syntax: no lookaround, no backreference',
    ({ inputSchema }) => whereOf(inputSchema, ({ pattern }) => typeof pattern === 'string' && LOOKAROUND.test(pattern)),
    { type: 'string', pattern: '(?<=a)b' },
  ],
  [
    'Copilot CLI, Cursor and converters, which drop references',
    'reports of their users: an argument whose schema is a reference arrives without a type',
    ({ inputSchema }) => whereOf(inputSchema, (node) => ['$ref', '$defs', 'definitions'].some((word) => word in node)),
    { $ref: '#/$defs/texts' },
  ],
  [
    'all of them',
    'what is left if one stays clear of everything that any of them refuses',
    ({ inputSchema }) => [
      ...whereOf(inputSchema, (node) => Object.keys(node).some((keyword) => !PLAIN.includes(keyword))),
      ...whereOf(inputSchema, ({ type }) => !TYPES.includes(String(type)) || Array.isArray(type)),
      ...names(inputSchema).filter((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name)),
      ...(Buffer.byteLength(JSON.stringify(inputSchema)) <= 8192 ? [] : ['size']),
    ],
    { type: 'string', minLength: 1 },
  ],
];

const PLAIN: readonly string[] = [
  ...['type', 'properties', 'required', 'items', 'enum', 'description', 'default', 'minimum', 'maximum', 'maxLength'],
];

/** The list of tools of a service in which these registers are. */
async function toolsOf(service: Pick<World, 'fetch'>): Promise<readonly Tool[]> {
  return (await post(service, rpc('tools/list'))).body!.result!.tools as readonly Tool[];
}

describe.each([
  ['nothing', 0, 0],
  ['registers that sell, with filterable fields', 3, 20],
  ['very many registers with very many fields', 120, 60],
])('the tools over %s', async (_, registers, fields) => {
  const service = await world({ records: 0 });
  const { store } = service;
  for (let index = 0; index < registers; index++) {
    const own = Array.from({ length: fields }, (__, field) => ({
      name: `${'f'.repeat(50)}_${index}_${field}`,
      label: `Field ${field}`,
      type: 'text' as const,
      filterable: true,
    }));
    const prices = { currency: 'EUR', per_record: 2 };
    const id = `${'register-'.repeat(6)}${index}`;
    await store.createRegister(defineRegister({ id, title: id, created_at: at(0), fields: own, prices }));
  }
  const tools = await toolsOf(service);

  it.each(CONSUMERS)('are taken by %s', (host, source, faults, wrong) => {
    expect(tools).toHaveLength(8);
    for (const tool of tools) {
      expect([host, tool.name, faults(tool)]).toEqual([host, tool.name, []]);
      const { inputSchema } = tool;
      const spoilt = { ...inputSchema, properties: { ...inputSchema.properties, spoilt: wrong } };
      expect([source, faults({ ...tool, inputSchema: spoilt }).length > 0]).toEqual([source, true]);
    }
  });

  it('have schemas that a validator takes, those of results without a reference', () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false });
    for (const { name, inputSchema, outputSchema } of tools) {
      ajv.compile(inputSchema);
      ajv.compile(outputSchema);
      expect([name, whereOf(outputSchema, (node) => '$ref' in node || '$defs' in node)]).toEqual([name, []]);
    }
  });
});
