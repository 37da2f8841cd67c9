// What openapi.json says where records are sold, and nowhere else: the members of previews, registers and problems, and what
// each operation can cost (`x-payment-info`).
import type { z } from 'zod';
import { balance, budget, budgetInput } from './account-answers.ts';
import { isObject } from '../../checks.ts';
import type { ErrorCode } from '../../errors.ts';
import { priceOf } from '../../money.ts';
import type { RegisterDefinition } from '../../register/record.ts';
import { toJsonSchema } from '../../register/schemas/json-schema.ts';
import { PRICE_TEXTS } from '../../money.ts';
import { pricesSchema } from '../../register/schemas/prices.ts';

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

/** The document of a service in which these registers sell something, or in which something was sold. */
export function withSelling(document: Node, definitions: readonly RegisterDefinition[]): Node {
  const { components, paths } = document as {
    readonly components: Node;
    readonly paths: Readonly<Record<string, Node>>;
  };
  const schemas = components.schemas as Readonly<Record<string, Node>>;
  const described = {
    ...schemas,
    RecordPreview: withMembers(schemas.RecordPreview!, { price: PRICE, buy_url: BUY_URL }),
    RecordPage: withPreviews(schemas.RecordPage!),
    ChosenFields: withMembers(schemas.ChosenFields!, {
      ...{ preview: { const: true }, note: { type: 'string' }, price: PRICE, buy_url: BUY_URL },
    }),
    Account: withMembers(schemas.Account!, { balance: toJsonSchema(balance) }),
    ...Object.fromEntries(
      ['Key', 'IssuedKey', 'RotatedKey'].map((name) => [
        name,
        withMembers(schemas[name]!, { budget: toJsonSchema(budget) }),
      ]),
    ),
    ...Object.fromEntries(
      ['KeyChange', 'NewKey'].map((name) => [name, withMembers(schemas[name]!, membersOf(budgetInput))]),
    ),
    Feed: withPrices(withMembers(schemas.Feed!, { offers: OFFERS })),
    Problem: withMembers(withCodes(schemas.Problem!), { price: PRICE, buy_url: BUY_URL }),
  };
  const prices = definitions.flatMap((definition) => {
    const price = priceOf(definition);
    return price === null ? [] : [{ feed_id: definition.id, ...price }];
  });
  const isOnChain = definitions.some((definition) => definition.prices?.x402 !== undefined);
  const payment = { 'x-payment-info': { protocols: isOnChain ? ['prepaid', 'x402'] : ['prepaid'], prices } };
  return {
    ...document,
    components: { ...components, headers: { ...(components.headers as Node), ...PAYMENT_HEADERS }, schemas: described },
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, operations]) => [
        path,
        SOLD_PATHS.includes(path)
          ? Object.fromEntries(
              Object.entries(operations).map(([method, one]) => [
                method,
                { ...withPaymentFields(one as Node), ...(method === 'get' ? withBound(one as Node) : {}), ...payment },
              ]),
            )
          : operations,
      ]),
    ),
  };
}

/** The paths of what is sold. */
const SOLD_PATHS: readonly string[] = ['/records/{record_id}/full', '/records/{record_id}/purchase'];

/** The header fields of payments. */
const PAYMENT_HEADERS = {
  'PAYMENT-REQUIRED': {
    description: 'What is to be paid, and how (x402 v2): JSON in Base64.',
    schema: { type: 'string' },
  },
  'PAYMENT-RESPONSE': {
    description: 'What became of a payment (x402 v2): JSON in Base64.',
    schema: { type: 'string' },
  },
};

/** Those, by the status of the answers that may have them. */
const PAYMENT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  200: ['PAYMENT-RESPONSE'],
  202: ['PAYMENT-RESPONSE', 'Retry-After'],
  402: ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE'],
};

/** An operation whose answers may have the header fields of payments: JSON in Base64 (x402 v2). */
function withPaymentFields(operation: Node): Node {
  const responses = Object.entries(operation.responses as Readonly<Record<string, Node>>).map(([status, answer]) => {
    const own = (PAYMENT_FIELDS[status] ?? []).map((name) => [name, { $ref: `#/components/headers/${name}` }] as const);
    return [status, { ...answer, headers: { ...(answer.headers as Node), ...Object.fromEntries(own) } }] as const;
  });
  return { ...operation, responses: Object.fromEntries(responses) };
}

/** How a request that is charged by reading says what it may cost. */
const EXPECTED_PRICE = {
  name: 'Gazette-Expected-Price',
  in: 'header',
  required: false,
  description: `What the record may cost a key that pays by reading, besides the key’s own bound. ${EXPECTED_PRICE_TEXT}`,
  schema: { type: 'string', pattern: PRICE_TEXTS.pattern.source },
};

function withBound({ parameters }: Node): Node {
  return { parameters: [...(parameters as readonly Node[]), EXPECTED_PRICE] };
}

/** The schema of a page whose records may be previews: a buyer’s. */
function withPreviews(page: Node): Node {
  const { records } = page.properties as { readonly records: { readonly items: { readonly anyOf: readonly Node[] } } };
  const anyOf = [...records.items.anyOf, { $ref: '#/components/schemas/RecordPreview' }];
  return withMembers(page, { records: { ...records, items: { ...records.items, anyOf } } });
}

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
