// What openapi.json says where records are sold, and nowhere else: the members of previews, registers and problems, and what
// each operation can cost (`x-payment-info`).
import type { z } from 'zod';
import { balance, budget, budgetInput } from '../../../http/description/account-answers.ts';
import { isObject } from '../../../checks.ts';
import type { ErrorCode } from '../../../errors.ts';
import { priceOf } from '../../../money.ts';
import type { RegisterDefinition } from '../../../register/record.ts';
import { describeSchema, toJsonSchema } from '../../../register/schemas/json-schema.ts';
import { pricesSchema } from '../../../register/schemas/prices.ts';

/** What every description of an expected price says. */
export const EXPECTED_PRICE_TEXT =
  'The price that you saw, such as `2.00 EUR`: if the record costs more by then, or is sold in another currency, the answer is 409 `price_changed` and nothing is charged.';

/** Codes that only operations return which sell something. */
const SELLING_CODES: readonly ErrorCode[] = [
  ...([
    'payment_required',
    'payment_pending',
    'insufficient_credit',
    'budget_exhausted',
    'day_budget_exhausted',
  ] as const),
  ...(['item_changed', 'expected_price_required', 'price_changed'] as const),
];

type Node = Readonly<Record<string, unknown>>;

const PRICE = {
  type: 'object',
  properties: { amount: { type: 'integer', minimum: 0 }, currency: { type: 'string' } },
  required: ['amount', 'currency'],
  additionalProperties: false,
  description: 'What it costs, in the smallest unit of the currency.',
} as const;

const BUY_URL = { type: 'string', format: 'uri', description: 'Where it is bought.' } as const;

const OFFERS = {
  type: 'array',
  items: {
    type: 'object',
    properties: { what: { const: 'record' }, price: PRICE, buy_url: { type: 'string' } },
    required: ['what', 'price', 'buy_url'],
    additionalProperties: false,
  },
  description: 'What can be bought of the register: a single record, at the address with its id.',
} as const;

const { schema: BUDGET, named: BUDGETS } = describeSchema(budget, (name) => `#/components/schemas/${name}`);

/** What schemas have besides. */
const MORE: Readonly<Record<string, (schema: Node) => Node>> = {
  RecordPreview: (schema) => withMembers(schema, { price: PRICE, buy_url: BUY_URL }),
  ListedRecord: (schema) =>
    withMembers(schema, {
      ...{ preview: { const: true }, note: { type: 'string' }, price: PRICE, buy_url: BUY_URL },
    }),
  Account: (schema) => withMembers(schema, { balance: toJsonSchema(balance) }),
  ...Object.fromEntries(
    ['Key', 'IssuedKey', 'RotatedKey'].map((name) => [name, (schema: Node) => withMembers(schema, { budget: BUDGET })]),
  ),
  ...Object.fromEntries(
    ['KeyChange', 'NewKey'].map((name) => [name, (schema: Node) => withMembers(schema, membersOf(budgetInput))]),
  ),
  Feed: (schema) => withPrices(withMembers(schema, { offers: OFFERS })),
  Problem: (schema) => withMembers(withCodes(schema), { price: PRICE, buy_url: BUY_URL }),
};

/** The document of a service in which these registers sell something, or in which something was sold. */
export function withSelling(document: Node, definitions: readonly RegisterDefinition[]): Node {
  const { components, paths } = document as {
    readonly components: Node;
    readonly paths: Readonly<Record<string, Node>>;
  };
  const schemas = components.schemas as Readonly<Record<string, Node>>;
  const described = Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, MORE[name]?.(schema) ?? schema]),
  );
  const prices = definitions.flatMap((definition) => {
    const price = priceOf(definition);
    return price === null ? [] : [{ feed_id: definition.id, ...price }];
  });
  const isOnChain = definitions.some((definition) => definition.prices?.x402 !== undefined);
  const payment = { 'x-payment-info': { protocols: isOnChain ? ['prepaid', 'x402'] : ['prepaid'], prices } };
  return {
    ...document,
    components: { ...components, schemas: { ...described, ...BUDGETS } },
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, operations]) => [
        path,
        SOLD_PATHS.includes(path)
          ? Object.fromEntries(
              Object.entries(operations).map(([method, one]) => [method, { ...(one as Node), ...payment }]),
            )
          : operations,
      ]),
    ),
  };
}

/** The paths of what is sold. */
const SOLD_PATHS: readonly string[] = ['/records/{record_id}/full', '/records/{record_id}/purchase'];

/** The schema of a register whose definition may have prices. */
function withPrices(feed: Node): Node {
  const { definition } = feed.properties as Readonly<Record<string, Node>>;
  return withMembers(feed, { definition: withMembers(definition!, { prices: toJsonSchema(pricesSchema) }) });
}

/** A schema of an object with more members, which need not be there. */
function withMembers(schema: Node, members: Node): Node {
  return { ...schema, properties: { ...(isObject(schema.properties) ? schema.properties : {}), ...members } };
}

/** The members of a schema, each as JSON Schema. */
function membersOf({ shape }: z.ZodObject): Node {
  return Object.fromEntries(Object.entries(shape).map(([name, member]) => [name, toJsonSchema(member as z.ZodType)]));
}

/** The schema of a problem with the codes of what is sold. */
function withCodes(problem: Node): Node {
  const properties = problem.properties as Readonly<Record<string, Node>>;
  const code = { ...properties.code, enum: [...(properties.code!.enum as readonly string[]), ...SELLING_CODES] };
  return { ...problem, properties: { ...properties, code } };
}
