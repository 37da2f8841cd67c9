// The only table of core fields; that of the filters is in finding/filters.ts. Everything else is derived from it: the validation of requests,
// openapi.json, the schemas of the agents' tools and of the command line, the XSD, and the columns of stores, CSV, XLSX
// and feeds. Plain data.
import { ID_PATTERNS, MAX_ID_LENGTH, MAX_KEY_LENGTH } from './identity.ts';
import type { CoreFieldName, Field, RegisterDefinition, RegisterRecord } from './record.ts';

/** The longest `content`, in bytes of UTF-8: 1 MiB. */
export const MAX_CONTENT_BYTES = 1_048_576;

/** Who sees a field. `preview`: all, in every record. `latest`: all, in the latest records. `key`: agents need a key. */
export type FieldTier = 'preview' | 'latest' | 'key';

/** A core field with all its properties. */
export interface CoreField<Name extends CoreFieldName = CoreFieldName> extends Field {
  readonly name: Name;
  readonly description: string;
  /** Whether it may be null; checked against the type of the record. */
  readonly nullable: null extends RegisterRecord[Name] ? true : false;
  /** Who sees it. */
  readonly tier: FieldTier;
  /** False: no value of a publisher's file becomes its value. */
  readonly isMappable?: false;
  /**
   * Its place among the columns of a record's content, for fields that the publisher states. Short ones come first, so
   * that a filter need not read past long texts. Null: the id, and the fields that the register adds.
   */
  readonly column: Name extends StatedFieldName ? number : null;
  /**
   * Where people see it. `own`: pages and feeds have a place for it, or leave it out. `table`: among the register's own fields,
   * in the table of a record's values.
   */
  readonly place: 'own' | 'table';
  /** Whether a record often has the same value as the one before it: writers keep what they made of the last one. */
  readonly isRepeated?: true;
  /** The width of its column in a workbook, in characters. Absent: by its type. */
  readonly width?: number;
  /** Its value in the sample register. */
  readonly example?: string;
  /** The only allowed values. */
  readonly values?: readonly string[];
  /** The smallest number. */
  readonly minimum?: number;
  /** The longest text, in bytes of UTF-8. */
  readonly maxBytes?: number;
  /** The longest text, in characters. */
  readonly maxLength?: number;
  /** The pattern of a text; absent: any text. */
  readonly pattern?: RegExp;
  /** The format's name in JSON Schema. */
  readonly format?: 'date-time' | 'uri';
}

/** The fields that the publisher states, without the id and the register's own fields. */
export type StatedFieldName = Exclude<CoreFieldName, 'id' | 'feed_id' | 'key' | 'updated_at' | 'version' | 'position'>;

/** Any core field. */
export type AnyCoreField = { readonly [Name in CoreFieldName]: CoreField<Name> }[CoreFieldName];

/** The fields of every record, in the order of every format; the definition's own fields follow. */
export const CORE_FIELDS: readonly AnyCoreField[] = [
  {
    name: 'id',
    label: 'Record ID',
    type: 'text',
    description: 'Permanent identifier of the record.',
    nullable: false,
    tier: 'preview',
    column: null,
    place: 'own',
    width: 26,
    example: 'permits:2026-0191',
    maxLength: MAX_ID_LENGTH,
    pattern: ID_PATTERNS.record,
  },
  {
    name: 'feed_id',
    label: 'Register',
    type: 'text',
    description: 'Identifier of the register.',
    nullable: false,
    tier: 'preview',
    isMappable: false,
    column: null,
    place: 'own',
    isRepeated: true,
    width: 14,
    example: 'permits',
    pattern: ID_PATTERNS.feed,
  },
  {
    name: 'key',
    label: 'Key',
    type: 'text',
    description: 'The publisher’s own identifier, as the publisher writes it.',
    nullable: false,
    tier: 'preview',
    isMappable: false,
    column: null,
    place: 'own',
    width: 20,
    example: '2026-0191',
    maxLength: MAX_KEY_LENGTH,
  },
  {
    name: 'title',
    label: 'Title',
    type: 'text',
    description: 'Title of the record.',
    nullable: false,
    tier: 'preview',
    column: 5,
    place: 'own',
    width: 48,
  },
  {
    name: 'summary',
    label: 'Summary',
    type: 'text',
    description: 'Short text on the record.',
    nullable: true,
    tier: 'preview',
    column: 8,
    place: 'own',
    width: 60,
  },
  {
    name: 'content',
    label: 'Content',
    type: 'text',
    description: 'Full text of the record.',
    nullable: true,
    tier: 'key',
    column: 9,
    place: 'own',
    width: 60,
    maxBytes: MAX_CONTENT_BYTES,
  },
  {
    name: 'content_type',
    label: 'Content type',
    type: 'text',
    description: 'How to read the content: text or html.',
    nullable: false,
    tier: 'latest',
    column: 2,
    place: 'own',
    isRepeated: true,
    width: 8,
    values: ['text', 'html'],
  },
  {
    name: 'author',
    label: 'Author',
    type: 'text',
    description: 'The issuing body.',
    nullable: true,
    tier: 'key',
    column: 6,
    place: 'own',
    isRepeated: true,
    width: 28,
  },
  {
    name: 'document_type',
    label: 'Document type',
    type: 'text',
    description: 'Kind of document.',
    nullable: true,
    tier: 'preview',
    column: 0,
    place: 'own',
    isRepeated: true,
    width: 18,
  },
  {
    name: 'facility_id',
    label: 'Facility',
    type: 'text',
    description: 'Identifier of the facility concerned.',
    nullable: true,
    tier: 'latest',
    column: 1,
    place: 'own',
    isRepeated: true,
    width: 16,
  },
  {
    name: 'source_url',
    label: 'Source',
    type: 'url',
    description: 'The original source: cite this.',
    nullable: false,
    tier: 'preview',
    column: 7,
    place: 'own',
    width: 44,
    format: 'uri',
  },
  {
    name: 'published_at',
    label: 'Published',
    type: 'datetime',
    description: 'When the source published it, at the precision the source gives.',
    nullable: true,
    tier: 'preview',
    column: 3,
    place: 'own',
    isRepeated: true,
  },
  {
    name: 'observed_at',
    label: 'Observed',
    type: 'datetime',
    description: 'When the register first observed it; a different event than publication.',
    nullable: false,
    tier: 'preview',
    column: 4,
    place: 'own',
    isRepeated: true,
  },
  {
    name: 'updated_at',
    label: 'Updated',
    type: 'datetime',
    description: 'When the current version was recorded.',
    nullable: true,
    tier: 'key',
    column: null,
    place: 'own',
    isRepeated: true,
    format: 'date-time',
  },
  {
    name: 'version',
    label: 'Version',
    type: 'integer',
    description: 'Number of the current version, from 1.',
    nullable: false,
    tier: 'key',
    column: null,
    place: 'own',
    width: 8,
    minimum: 1,
  },
  {
    name: 'position',
    label: 'Position',
    type: 'integer',
    description: 'Place in the register, from 1.',
    nullable: true,
    tier: 'latest',
    isMappable: false,
    column: null,
    place: 'own',
    width: 10,
    minimum: 1,
  },
];

/** The place of each core field in the table, which is that of its value in `coreValues()`. */
export const CORE_AT = Object.fromEntries(CORE_FIELDS.map(({ name }, at) => [name, at])) as Readonly<
  Record<CoreFieldName, number>
>;

/**
 * The fields that the publisher states, in their order: a record is unchanged if these and its own fields are the same.
 */
export const STATED_FIELDS: readonly StatedFieldName[] = CORE_FIELDS.map(({ name }) => name).filter(isStated);

/** The same fields in the order of the stores' content columns. */
export const STATED_COLUMNS: readonly StatedFieldName[] = STATED_FIELDS.toSorted(
  (a, b) => coreField(a).column! - coreField(b).column!,
);

/** The fields that the register gives each record: a publisher's properties of these names are the publisher's own. */
export const GIVEN_FIELDS: readonly CoreFieldName[] = CORE_FIELDS.map(({ name }) => name).filter(
  (name) => name !== 'id' && !isStated(name),
);

/** The names of the core fields and `data`, which a definition's own fields must not have. */
export const RESERVED_FIELD_NAMES: ReadonlySet<string> = new Set([...CORE_FIELDS.map((field) => field.name), 'data']);

/** The core fields that people see in the table of a record's values, before the register's own. */
export const TABLE_FIELDS: readonly AnyCoreField[] = CORE_FIELDS.filter(({ place }) => place === 'table');

/** Every field of a register's records, core ones first, in the order of every format. */
export function allFields(definition: RegisterDefinition): readonly Field[] {
  return [...CORE_FIELDS, ...definition.fields];
}

/** The core field with this name. */
export function coreField(name: CoreFieldName): AnyCoreField {
  return CORE_FIELDS[CORE_AT[name]]!;
}

function isStated(name: CoreFieldName): name is StatedFieldName {
  return coreField(name).column !== null;
}
