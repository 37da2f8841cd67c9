// openapi.json of one register: the operations on it, its own fields typed in `data`, its filters by their names. It says
// nothing that is not true of this register: a tier that it does not have is no value, and where a list of values is not
// fixed there is none.
import type { JsonValue } from '../../register/canonical-json.ts';
import type { Field, FieldType, RegisterDefinition, RegisterRecord } from '../../register/record.ts';
import type { JsonSchema } from '../../register/schemas/json-schema.ts';
import { firstCharacters } from '../../register/tier.ts';
import { PROBLEM_MEDIA_TYPE } from '../../problem.ts';
import type { Route } from '../route.ts';
import { type DescribedService, openApiDocument } from './openapi.ts';
import { filterParametersOf } from './own-filters.ts';
import type { Selling } from '../../views/selling.ts';

/** What the document of a register is made of. */
export interface DescribedRegister extends Omit<DescribedService, 'ownFilters'> {
  readonly definition: RegisterDefinition;
  /** The latest record, if the public sees one. */
  readonly latest: RegisterRecord | null;
  /** How its records are, or were, sold. Null: they were not. */
  readonly selling: Pick<Selling, 'described'> | null;
}

/** The longest document, in bytes. */
const MAX_LENGTH = 40_000;

/** What a document has of a register; the further down, the less. */
const EXTENTS = [
  { hasTexts: true, filters: Infinity, isTyped: true },
  { hasTexts: false, filters: Infinity, isTyped: true },
  { hasTexts: false, filters: 20, isTyped: true },
  { hasTexts: false, filters: 0, isTyped: true },
  { hasTexts: false, filters: 0, isTyped: false },
] as const;

type Extent = (typeof EXTENTS)[number];
type Node = Readonly<Record<string, unknown>>;
type Nodes = Readonly<Record<string, Node>>;

/** The document. That of a register with very many fields says less of each, so that it stays short. */
export function registerDocument(routes: readonly Route[], register: DescribedRegister): object {
  let document: Node = {};
  for (const extent of EXTENTS) {
    document = documentOf(routes, register, extent);
    if (Buffer.byteLength(JSON.stringify(document)) < MAX_LENGTH) break;
  }
  return document;
}

function documentOf(routes: readonly Route[], register: DescribedRegister, extent: Extent): Node {
  const { definition, selling, api } = register;
  const { id, title, description } = definition;
  const own = { ...register, ownFilters: filterParametersOf(definition).slice(0, extent.filters) };
  const all = openApiDocument(
    routes.filter(isOfRegister).map((route) => asServed(route, definition)),
    own,
  );
  const document = selling?.described(all, [definition]) ?? all;
  const { openapi, info, servers, tags, paths, components } = document as {
    readonly tags: readonly Node[];
    readonly paths: Readonly<Record<string, Nodes>>;
    readonly components: Readonly<Record<'schemas' | 'parameters' | 'responses' | 'securitySchemes', Nodes>>;
  } & Nodes;
  const used = new Set(Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(({ tags }) => tags)));
  const whatItIs = `One register of the service that <${api}/openapi.json> describes: there is more there of each operation, its errors and its header fields.`;
  return withoutUnused({
    openapi,
    info: { ...info, title, description: [description, whatItIs].filter((text) => text !== '').join('\n\n') },
    servers,
    tags: tags.filter(({ name }) => used.has(name)),
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, methods]) => [path.replace('{feed_id}', id), mapped(methods, inShort)]),
    ),
    components: {
      ...components,
      parameters: inTypes(mapped(components.parameters, shortened), extent),
      responses: { ...mapped(components.responses, shortened), Problem: PROBLEM },
      schemas: schemasOf(inTypes(components.schemas, extent), register, extent),
    },
  });
}

function mapped(nodes: Nodes, change: (node: Node) => Node): Nodes {
  return Object.fromEntries(Object.entries(nodes).map(([name, node]) => [name, change(node)]));
}

/** What answers with records of the register, or what is counted of them. The rest is the same for all registers. */
const OPERATIONS: readonly string[] = [
  ...['listRecords', 'getRecord', 'getHistory', 'listChanges', 'listFacets'],
  ...['exportRecords', 'downloadRegister', 'getFullRecord', 'buyRecord'],
];

function isOfRegister({ documentation }: Route): boolean {
  return OPERATIONS.includes(documentation?.operationId ?? '');
}

/** In an open register nobody needs a key. */
function asServed(route: Route, definition: RegisterDefinition): Route {
  const documentation = route.documentationFor?.(definition) ?? route.documentation;
  const isOpen = definition.access === 'open' && route.isOpenable === true;
  return { ...route, documentation, ...(isOpen ? { access: 'public' } : {}) };
}

/**
 * An operation of one register: without the parameter that says which one, without the one that makes the list’s records less
 * than whole, and in short: what each error means, the document of the service says.
 */
function inShort(operation: Node): Node {
  const { operationId, description, parameters, responses } = operation as {
    readonly operationId: string;
    readonly description: string;
    readonly parameters: readonly Node[];
    readonly responses: Nodes;
  };
  const isGiven = ({ $ref }: Node): boolean =>
    $ref === `${PARAMETERS}feed_id` || (operationId === 'listRecords' && $ref === `${PARAMETERS}fields`);
  const answers = Object.entries(responses).filter(([status]) => Number(status) < 400 || status === '402');
  return {
    ...operation,
    description: firstSentence(description),
    parameters: parameters.filter((parameter) => !isGiven(parameter)),
    responses: {
      ...mapped(Object.fromEntries(answers), shortened),
      ...{ 400: ANY_PROBLEM, default: ANY_PROBLEM },
    },
  };
}

/** Up to the first full stop or colon that ends something. */
function firstSentence(text: string): string {
  return /^.*?[^.](?:[.]|:)(?= |\n|$)/s.exec(text)?.[0].replace(/:$/, '.') ?? text;
}

/** What a schema says besides types: the document of the service has it. */
const BOUNDS: ReadonlySet<string> = new Set(['pattern', 'minLength', 'maxLength', 'minItems', 'maxItems']);

/** Schemas and parameters with what makes types of them alone. @param extent.hasTexts whether they keep their descriptions */
function inTypes(nodes: Nodes, { hasTexts }: Extent): Nodes {
  const text = JSON.stringify(nodes, (name, value: unknown) => {
    const isBound = BOUNDS.has(name) && typeof value !== 'object';
    const isAny = typeof value === 'number' && Math.abs(value) === Number.MAX_SAFE_INTEGER;
    return isBound || isAny || (name === 'description' && typeof value === 'string' && !hasTexts) ? undefined : value;
  });
  return JSON.parse(text) as Nodes;
}

/** How operations refer to it. Linters want one status to be named. */
const ANY_PROBLEM = { $ref: '#/components/responses/Problem' };

/** Any error. */
const PROBLEM = {
  description: 'What is wrong, by its `code`.',
  content: { [PROBLEM_MEDIA_TYPE]: { schema: ref('Problem') } },
};

/** The header fields that programs seldom read. */
const SELDOM: readonly string[] = ['Cache-Control', 'Last-Modified'];

/** A parameter or an answer with the first sentence of its description, and what programs read of its header fields. */
function shortened({ description, headers, ...rest }: Node): Node {
  const read = Object.entries((headers ?? {}) as Nodes).filter(([name]) => !SELDOM.includes(name));
  return {
    ...rest,
    ...(typeof description === 'string' ? { description: firstSentence(description) } : {}),
    ...(read.length === 0 ? {} : { headers: Object.fromEntries(read) }),
  };
}

const PARAMETERS = '#/components/parameters/';

/** A reference to a schema. */
function ref(name: string): Node {
  return { $ref: `#/components/schemas/${name}` };
}

/** The schemas, as they are for this register. What two have in common but for a member or two stands once. */
function schemasOf(schemas: Nodes, { definition, latest, selling }: DescribedRegister, extent: Extent): Nodes {
  const { access, fields } = definition;
  const example = extent.hasTexts && latest !== null ? exampleOf(latest) : null;
  const tiers = access === undefined ? ['public', 'pro'] : [access];
  const narrow = mapped(schemas, (schema) => narrowed(schema, tiers));
  const { RecordPage: page, WholePage: whole, OneRecord: one, RegisterRecord: record, Change: change } = narrow;
  const data = extent.isTyped ? { data: dataOf(fields, extent) } : {};
  return {
    ...narrow,
    RegisterRecord: {
      ...record,
      properties: { ...(one!.properties as Node), ...data },
      ...(example === null ? {} : { examples: [example] }),
    },
    OneRecord: ref('RegisterRecord'),
    ListedRecord: selling !== null ? { anyOf: [ref('RegisterRecord'), ref('RecordPreview')] } : ref('RegisterRecord'),
    WholePage: withMember(whole!, 'records', { type: 'array', items: ref('RegisterRecord') }),
    RecordPage: access === undefined ? withMapping(page!, tiers) : ref('WholePage'),
    RecordVersion: change!,
    Change: ref('RecordVersion'),
  };
}

/** A schema whose member `tier`, if it has one, has the values of this register. */
function narrowed(schema: Node, tiers: readonly string[]): Node {
  const { tier } = (schema.properties ?? {}) as { readonly tier?: Node };
  const values = (tier?.enum as readonly string[] | undefined)?.filter((value) => tiers.includes(value));
  return values === undefined ? schema : withMember(schema, 'tier', { ...tier, enum: values });
}

function withMember(schema: Node, name: string, member: Node): Node {
  return { ...schema, properties: { ...(schema.properties as Node), [name]: member } };
}

function withMapping(page: Node, tiers: readonly string[]): Node {
  const { mapping, ...discriminator } = page.discriminator as { readonly mapping: Node };
  const known = Object.entries(mapping).filter(([tier]) => tiers.includes(tier));
  return { ...page, discriminator: { ...discriminator, mapping: Object.fromEntries(known) } };
}

/** What shows the values of each type. A whole number beyond what JSON’s hold safely is a text of its digits. */
const SHOWN: Readonly<Record<FieldType, JsonSchema>> = {
  ...{ text: { type: ['string', 'null'] }, url: { type: ['string', 'null'] }, json: {} },
  ...{ number: { type: ['number', 'null'] }, integer: { type: ['integer', 'string', 'null'] } },
  ...{ decimal: { type: ['string', 'null'] }, boolean: { type: ['boolean', 'null'] } },
  ...{ date: { type: ['string', 'null'] }, datetime: { type: ['string', 'null'] } },
};

/** The own fields: each is there, null where the record has no value. The publisher’s own words for them stay out. */
function dataOf(fields: readonly Field[], { hasTexts }: Extent): Node {
  const members = fields.map(({ name, type, label, description, from_file: isFound }) => {
    const text = hasTexts && isFound !== true ? { description: description ?? label } : {};
    return [name, { ...SHOWN[type], ...text }] as const;
  });
  const names = fields.map(({ name }) => name);
  return { type: 'object', properties: Object.fromEntries(members), required: names, additionalProperties: false };
}

/** Texts longer than this are cut in an example, which is to be looked at. */
const MAX_TEXT = 200;

/** The longest example, in bytes. */
const MAX_EXAMPLE = 4000;

/** A record as an example, with long texts cut; null if it is too long all the same. */
function exampleOf(record: RegisterRecord): object | null {
  const cut = (value: JsonValue): JsonValue =>
    typeof value === 'string' && value.length > MAX_TEXT && !URL.canParse(value)
      ? `${firstCharacters(value, MAX_TEXT)}…`
      : value;
  const data = Object.entries(record.data).map(([name, value]) => [name, cut(value)] as const);
  const { title, summary, content } = record;
  const example = {
    ...record,
    ...{ title: cut(title), summary: cut(summary), content: cut(content), data: Object.fromEntries(data) },
  };
  return Buffer.byteLength(JSON.stringify(example)) > MAX_EXAMPLE ? null : example;
}

/** The document without the components that nothing refers to. */
function withoutUnused(document: Node): Node {
  const components = document.components as Readonly<Record<string, Nodes>>;
  const used = new Set<string>();
  const visit = (node: unknown): void => {
    for (const [, kind, name] of JSON.stringify(node).matchAll(/"#[/]components[/](\w+)[/]([^"]+)"/g)) {
      if (used.has(`${kind}/${name}`)) continue;
      used.add(`${kind}/${name}`);
      visit(components[kind!]![name!]);
    }
  };
  visit(document.paths);
  const left = Object.entries(components).map(([kind, named]) => {
    const those = Object.entries(named).filter(([name]) => kind === 'securitySchemes' || used.has(`${kind}/${name}`));
    return [kind, Object.fromEntries(those)] as const;
  });
  return { ...document, components: Object.fromEntries(left) };
}
