// What agents see of prices and of what is left, and how a tool says that something is to be paid.
import { z } from 'zod';
import { priceOf } from '../../money.ts';
import { toJsonSchema } from '../../register/schemas/json-schema.ts';
import type { RegisterEntry } from '../../stores/contract/registers.ts';
import { isSelling, leftOf } from '../../views/offers.ts';
import type { RegisterView } from '../../views/registers.ts';
import type { JsonObject } from '../protocol.ts';
import { withoutBounds } from './schemas.ts';
import type { ToolCall } from './tool.ts';

/** Where a payment comes (x402 v2, transport for MCP). */
export const PAYMENT_META = 'x402/payment';

/** The detail of an error that has the answer of x402, as JSON. */
export const REQUIRED_DETAIL = 'paymentRequired';

/** The detail of an error that has the page where the owner of the account sees what is left. */
export const CREDIT_DETAIL = 'creditUrl';

/** A price in an answer. Its members are named in a text: every model reads all schemas before it asks anything. */
export const PRICE: z.ZodType = brief('What a preview costs: amount (in the smallest unit), currency.');

/** What is left in an answer. */
export const LEFT: z.ZodType = brief('What you can still spend.');

/** An object of whose members its description tells. */
export function brief(description: string): z.ZodType {
  return z.unknown().meta({ type: 'object', description }).optional();
}

/** Whether any of these registers sells records: otherwise no tool says anything of it. */
export function sells(entries: readonly RegisterEntry[]): boolean {
  return isSelling(entries.map(({ definition }) => definition));
}

/** The schema of a tool's results with more members, of it or of its records. */
export function withMembers(schema: JsonObject, members: Readonly<Record<string, z.ZodType>>): JsonObject {
  const { properties } = schema as { readonly properties: JsonObject };
  const own = Object.entries(members).map(([name, member]) => [name, withoutBounds(toJsonSchema(member))] as const);
  return { ...schema, properties: { ...properties, ...Object.fromEntries(own) } };
}

/** The schema of a tool's results with more members of each item of a list. @param list the name of the list */
export function withItemMembers(
  schema: JsonObject,
  list: string,
  members: Readonly<Record<string, z.ZodType>>,
): JsonObject {
  const { properties } = schema as { readonly properties: Readonly<Record<string, JsonObject>> };
  const items = withMembers(properties[list]!.items as JsonObject, members);
  return { ...schema, properties: { ...properties, [list]: { ...properties[list], items } } };
}

/** `PREVIEW`: the member of a record that is to be bought. */
export const PREVIEW: z.ZodType = z.literal(true).optional();

/** What is beside records: what a preview costs, and what is left; nothing where nothing is sold. */
export function pricesFor(view: Pick<RegisterView, 'entry'>, { access }: ToolCall): JsonObject {
  const price = priceOf(view.entry.definition);
  if (price === null || access.tier === 'pro') return {};
  const left = leftOf(access.buyer);
  return { price, ...(left === null ? {} : { left }) };
}
