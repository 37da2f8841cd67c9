// `completion/complete`: the values that an argument of a resource's address may have, within what the caller's tier lists.
import { z } from 'zod';
import { isGazetteError } from '../errors.ts';
import { foldName } from '../nearest.ts';
import type { RegisterStore } from '../stores/contract/registers.ts';
import type { RegisterViews } from '../views/registers.ts';
import type { JsonObject } from './protocol.ts';
import { RECORD_TEMPLATE, REGISTER_TEMPLATE } from './resources.ts';
import type { Suggestions } from './tools/suggestions.ts';
import { type ToolCall, viewFor } from './tools/tool.ts';

/** The maximum number of values in an answer (2025-06-18, completion: Completion Results). */
const MAX_VALUES = 100;

const PARAMS = z.object({
  // The filters of a template change with the registers, and a client may have listed it before.
  ref: z.object({
    type: z.literal('ref/resource'),
    uri: z.string().refine((uri) => uri === RECORD_TEMPLATE || uri.startsWith(REGISTER_TEMPLATE)),
  }),
  argument: z.object({ name: z.string(), value: z.string() }),
  context: z.object({ arguments: z.record(z.string(), z.string()).optional() }).optional(),
});

/** What completion needs. */
export interface CompletionServices {
  readonly store: Pick<RegisterStore, 'catalogue'>;
  readonly registers: RegisterViews;
  readonly suggestions: Suggestions;
}

/** The values that an argument may have; null for parameters that are none of completion. */
export async function complete(
  params: JsonObject,
  call: ToolCall,
  services: CompletionServices,
): Promise<JsonObject | null> {
  const { data } = PARAMS.safeParse(params);
  if (data === undefined) return null;
  const { name, value } = data.argument;
  if (name === 'feed_id' && data.ref.uri !== RECORD_TEMPLATE) return { completion: await feedsOf(value, services) };
  const known =
    data.ref.uri === RECORD_TEMPLATE ? [] : await valuesOf(name, value, data.context?.arguments, call, services);
  const values = known.slice(0, MAX_VALUES);
  return { completion: { values, total: known.length, hasMore: known.length > values.length } };
}

/** The ids of registers that begin so. Where there are more than a page of them, only signs as the id has them match. */
async function feedsOf(value: string, { store }: CompletionServices): Promise<JsonObject> {
  const first = { offset: 0, limit: MAX_VALUES };
  const all = await store.catalogue.page(first);
  const { registers, nextOffset } =
    all.nextOffset === null ? all : await store.catalogue.page({ ...first, startsWith: value.trim().toLowerCase() });
  const ids = registers.map(({ definition }) => definition.id);
  const values = ids.filter((id) => foldName(id).startsWith(foldName(value)));
  return nextOffset === null ? { values, total: values.length, hasMore: false } : { values, hasMore: true };
}

async function valuesOf(
  name: string,
  value: string,
  given: Readonly<Record<string, string>> | undefined,
  call: ToolCall,
  { registers, suggestions }: CompletionServices,
): Promise<readonly string[]> {
  const feedId = given?.feed_id;
  if (feedId === undefined) return [];
  try {
    const view = await viewFor({ registers }, feedId, call);
    return await suggestions.beginning(view, name, value, call);
  } catch (error) {
    // Nothing completes the name of a register that is still being typed.
    if (isGazetteError(error, 'unknown_feed') || isGazetteError(error, 'insufficient_scope')) return [];
    throw error;
  }
}
