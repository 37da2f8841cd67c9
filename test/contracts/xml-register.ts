// Reads gazette's XML back into records, and says what a record is once XML has carried it.
import { canonicalJson, type JsonValue } from '../../src/register/canonical-json.ts';
import type { Field, RegisterDefinition, RegisterRecord } from '../../src/register/record.ts';
import { carried } from './xml-tree.ts';

/** What a reader found in one `record` element. */
export interface ReadRecord {
  readonly attributes: Readonly<Record<string, string>>;
  /** Local names and texts, in the order of the document. */
  readonly fields: readonly (readonly [name: string, text: string])[];
}

/** The record a reader's findings stand for. */
export function toRegisterRecord(definition: RegisterDefinition, read: ReadRecord): RegisterRecord {
  const { attributes } = read;
  const fields = new Map(read.fields);
  if (fields.size !== read.fields.length) throw new Error(`record ${attributes.id}: an element occurs twice`);
  const text = (name: string): string | null => fields.get(name) ?? null;
  return {
    id: attributes.id!,
    feed_id: text('feed_id')!,
    key: text('key')!,
    title: text('title')!,
    summary: text('summary'),
    content: text('content'),
    content_type: text('content_type') as 'text' | 'html',
    author: text('author'),
    document_type: text('document_type'),
    facility_id: text('facility_id'),
    source_url: text('source_url')!,
    published_at: text('published_at'),
    observed_at: text('observed_at')!,
    updated_at: text('updated_at'),
    version: Number(attributes.version),
    position: attributes.position === undefined ? null : Number(attributes.position),
    data: Object.fromEntries(definition.fields.map((field) => [field.name, valueOf(field, text(field.name))])),
  };
}

/** The record as it comes back: characters replaced where XML has none for them, data as the definition declares it. */
export function carriedRecord(definition: RegisterDefinition, record: RegisterRecord): RegisterRecord {
  const core = Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, typeof value === 'string' ? carried(value) : value]),
  );
  const data = definition.fields.map((field): [string, JsonValue] => {
    const value = Object.hasOwn(record.data, field.name) ? record.data[field.name]! : null;
    if (value === null) return [field.name, null];
    if (field.type === 'json') return [field.name, JSON.parse(carried(canonicalJson(value))) as JsonValue];
    if (field.type === 'integer') return [field.name, integer(canonicalJson(value).replaceAll('"', ''))];
    return [field.name, typeof value === 'string' ? carried(value) : value];
  });
  return { ...core, data: Object.fromEntries(data) } as unknown as RegisterRecord;
}

function valueOf(field: Field, text: string | null): JsonValue {
  if (text === null) return null;
  switch (field.type) {
    case 'number':
      return text === 'NaN' ? NaN : text.endsWith('INF') ? Number(text.replace('INF', 'Infinity')) : Number(text);
    case 'integer':
      return integer(text);
    case 'boolean':
      return text === 'true';
    case 'json':
      return JSON.parse(text) as JsonValue;
    default:
      return text;
  }
}

/** Safe integers as numbers, others as their digits. */
function integer(text: string): number | string {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}
