// Registers and records as resources. A register is the first page of its records, a record what `read_record` answers:
// the same tools, tiers and limits.
import { GazetteError, quote } from '../errors.ts';
import { isObject } from '../checks.ts';
import { escapeInvisible } from '../invisible.ts';
import type { FilterField } from '../register/finding/filters.ts';
import { OWN_PREFIX } from '../register/finding/own-filters.ts';
import type { CatalogueStore, RegisterEntry } from '../stores/contract/catalogue.ts';
import { cutText } from './budget.ts';
import type { JsonObject } from './protocol.ts';
import { argumentsOf, declaredOwnFilters } from './tools/filters.ts';
import type { Tool, ToolCall } from './tools/tool.ts';

/** How many registers one page of the list names. */
const PAGE_SIZE = 50;

/** How much of a title and of a description the list has. */
const MAX_TEXT_LENGTH = 120;

const MIME_TYPE = 'application/json';

/** The addresses of registers, without filters, and of records (RFC 6570). */
export const REGISTER_TEMPLATE = 'gazette://registers/{feed_id}';
export const RECORD_TEMPLATE = 'gazette://records/{record_id}';

/** `resources/templates/list`: the address of a register has the filters as its query. */
export function listTemplates(filters: readonly FilterField[], entries: readonly RegisterEntry[]): JsonObject {
  const own = declaredOwnFilters(entries).map((name) => OWN_PREFIX + name);
  const names = [...filters.map(({ name }) => name), ...own];
  return {
    resourceTemplates: [
      {
        uriTemplate: `${REGISTER_TEMPLATE}{?${names.join(',')}}`,
        name: 'register',
        title: 'A register',
        description: 'Its newest records, all or those that match.',
        mimeType: MIME_TYPE,
      },
      {
        uriTemplate: RECORD_TEMPLATE,
        name: 'record',
        title: 'A record',
        description: 'One record by its id.',
        mimeType: MIME_TYPE,
      },
    ],
  };
}

/** `resources/list`: a page of the registers. Null for a cursor that no list gave. */
export async function listResources(catalogue: CatalogueStore, cursor: unknown): Promise<JsonObject | null> {
  const start = cursor === undefined || cursor === null ? 0 : readCursor(cursor);
  if (start === null) return null;
  const { registers, nextOffset } = await catalogue.page({ offset: start, limit: PAGE_SIZE });
  if (registers.length === 0 && start > (await catalogue.count())) return null;
  const resources = registers.map(({ definition }) => ({
    uri: `gazette://registers/${definition.id}`,
    name: definition.id,
    title: cutText(definition.title, MAX_TEXT_LENGTH),
    description: cutText(definition.description, MAX_TEXT_LENGTH),
    mimeType: MIME_TYPE,
  }));
  return { resources, ...(nextOffset === null ? {} : { nextCursor: String(nextOffset) }) };
}

function readCursor(cursor: unknown): number | null {
  return typeof cursor === 'string' && /^[1-9]\d{0,8}$/.test(cursor) ? Number(cursor) : null;
}

/**
 * `resources/read`.
 *
 * @throws GazetteError `invalid_parameter` for an address that no template gives, and the errors of the tools
 */
export async function readResource(
  uri: unknown,
  { tools, filters }: { readonly tools: readonly Tool[]; readonly filters: readonly FilterField[] },
  call: ToolCall,
): Promise<JsonObject> {
  const { tool: name, args } = askedBy(uri, filters);
  const read = await tools.find((tool) => tool.name === name)!.run(args, { ...call, isResource: true });
  return { contents: [{ uri, mimeType: MIME_TYPE, text: escapeInvisible(JSON.stringify(read)) }] };
}

/** The register of an address that was read; null where the address does not name it. */
export function registerOf(uri: unknown, filters: readonly FilterField[]): string | null {
  const { args } = askedBy(uri, filters);
  const [feedId, ...key] = String(args.feed_id ?? args.record_id).split(':');
  return args.record_id !== undefined && key.length === 0 ? null : feedId!;
}

/** The call of a tool that an address stands for. */
function askedBy(uri: unknown, filters: readonly FilterField[]): { readonly tool: string; readonly args: JsonObject } {
  const url = typeof uri === 'string' ? URL.parse(uri) : null;
  const id = url === null ? null : decoded(url.pathname.slice(1));
  if (url?.protocol === 'gazette:' && id !== null && id !== '') {
    const conditions = argumentsOf(url.searchParams, filters);
    if (url.host === 'registers' && conditions !== null) {
      return { tool: 'read_register', args: { feed_id: id, ...conditions, format: 'records' } };
    }
    if (url.host === 'records' && url.search === '') return { tool: 'read_record', args: { record_id: id } };
  }
  throw new GazetteError(
    'invalid_parameter',
    `uri must be ${REGISTER_TEMPLATE}, with or without filters as its query, or ${RECORD_TEMPLATE}, got ${quote(uri)}`,
    { details: { parameter: 'uri' } },
  );
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not an address that a template gives.
    return null;
  }
}

/** The link to the resource of a record: in results, beside the record itself. */
function linkTo(id: string): JsonObject {
  return { type: 'resource_link', uri: `gazette://records/${id}`, name: id, mimeType: MIME_TYPE };
}

/** How many bytes the link to a record takes in an answer. */
export function linkCost(record: JsonObject): number {
  return typeof record.id === 'string' ? JSON.stringify(linkTo(record.id)).length + 1 : 0;
}

/** The links to the records in a tool's result. */
export function linksIn({ records, record }: JsonObject): readonly JsonObject[] {
  const shown: readonly unknown[] = Array.isArray(records) ? records : [record];
  return shown.flatMap((one) => (isObject(one) && typeof one.id === 'string' ? [linkTo(one.id)] : []));
}
