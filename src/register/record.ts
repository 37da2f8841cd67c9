// The types of a register: its definition, its fields, its records. fields.ts contains the properties of each core
// field; record-input.ts and definition.ts check records and definitions.
import type { JsonValue } from './canonical-json.ts';

/**
 * The type of a field's values. `date` is `YYYY-MM-DD`; `datetime` an RFC 3339 date-time, or a date where the source
 * gives no time; `url` an absolute http(s) URL; `integer` a safe integer, or a text of decimal digits beyond that;
 * `decimal` an exact number, as text of its digits such as `12.50`; `json` any JSON value, shown as canonical JSON text (RFC 8785) where a format has only text.
 */
export type FieldType = 'text' | 'number' | 'decimal' | 'integer' | 'boolean' | 'date' | 'datetime' | 'url' | 'json';

/** Whether the values of a type are numbers. Integers and decimals may be longer than a number of the machine, and are texts then. */
export function isNumberType(type: FieldType): boolean {
  return type === 'number' || type === 'integer' || type === 'decimal';
}

/** One field of a register's records: a column, an element, a property. */
export interface Field {
  /** `[a-z][a-z0-9_]{0,63}`, never the name of a core field. */
  readonly name: string;
  /** The name for people. */
  readonly label: string;
  /** The type of its values. */
  readonly type: FieldType;
  /** One sentence on what the values mean. */
  readonly description?: string;
  /**
   * Other names under which statements hold its values, newest first: those that it had, and the one that the
   * publisher's name gives. Absent: none. A file with such a column fills the field.
   */
  readonly source_names?: readonly string[];
  /**
   * True: an import found the field, and its name and label are the publisher's words. The agents' list of tools does not
   * have them. Absent: an operator declared the field.
   */
  readonly from_file?: true;
  /** True: records can be found by its values, as `data.NAME`. Absent: they cannot. */
  readonly filterable?: true;
}

/** What a record of a register costs, for each of its content versions. Nothing is converted between currencies. */
export interface Prices {
  /** A code of ISO 4217 such as `EUR`. */
  readonly currency: string;
  /** In the smallest unit of the currency (cents): a whole number from 1 on. */
  readonly per_record: number;
  /** The same on chain, by x402: one for each asset that is accepted. Absent: none. */
  readonly x402?: readonly ChainPrice[];
}

/** A price on chain. */
export interface ChainPrice {
  /** CAIP-2, such as `eip155:8453`. */
  readonly network: string;
  /** The address of the asset. */
  readonly asset: string;
  /** In the smallest unit of the asset: digits, such as `"1000000000000000000"` for one token of 18 decimals. */
  readonly amount: string;
  /** The address that is paid. */
  readonly pay_to: string;
  /** The name of the asset's contract, which payers sign (EIP-712). */
  readonly name: string;
  /** The version of the asset's contract, which payers sign too. */
  readonly version: string;
}

/**
 * The definition of a register: its name, its constants for permanent ids, and the fields its records have in addition
 * to the core ones.
 */
export interface RegisterDefinition {
  /** The feed id: `[a-z0-9][a-z0-9-]{0,63}`. */
  readonly id: string;
  /** The name of the register, for people. */
  readonly title: string;
  /** What the register contains; may be empty. */
  readonly description: string;
  /** A BCP 47 language tag; null when the register does not state it. */
  readonly language: string | null;
  /** The issuing body, for people. */
  readonly author: string | null;
  /** The rights to the records; null when the register does not state them. */
  readonly rights: string | null;
  /** Absolute http(s) URL of the register's own page for people. */
  readonly homepage: string | null;
  /** When the register began, an RFC 3339 date-time: the feed's date before the first change. */
  readonly created_at: string;
  /**
   * The register's own UUID (RFC 9562) in lower case. A store gives one to every register when it is made, and it never
   * changes. Null in a definition that no store has.
   */
  readonly uuid: string | null;
  /** The domain name or e-mail address in permanent ids (RFC 4151 2.1). Without it they are made of `uuid`. */
  readonly authority: string | null;
  /** A year in which `authority` belonged to the publisher (RFC 4151 2.1); it never changes. */
  readonly year: number | null;
  /** `open`: everybody sees everything, as if with a key. Absent: the public sees the latest records alone. */
  readonly access?: 'open';
  /** What its records cost one by one. Absent: they are not sold. */
  readonly prices?: Prices;
  /** False: the words of its records are not indexed, and `q` is refused. Absent: they are. */
  readonly search?: false;
  /** `pro`: the entries of its log are for those who read all its records. Absent: they are for everybody, as its tiles are. */
  readonly log?: 'pro';
  /** How often a file is expected: a number of hours, days or weeks such as `7d`. Absent: nothing is expected. */
  readonly every?: string;
  /** The register's own fields, in the order of documents. */
  readonly fields: readonly Field[];
}

/** One record in its current version. The property names are those of the JSON. */
export interface RegisterRecord {
  /** `<feed_id>:<key when it was first observed>`: never changes, and is unique in the deployment. */
  readonly id: string;
  /** The register it belongs to. */
  readonly feed_id: string;
  /** The publisher's own identifier, exactly as the publisher writes it now. The id contains the first one in an encoded form. */
  readonly key: string;
  /** The name of the record, for people. */
  readonly title: string;
  /** A summary in a few sentences of plain text; null when the source has none. */
  readonly summary: string | null;
  /** The full text, at most 1 MiB; null when the source has none. */
  readonly content: string | null;
  /** The format of `content`. */
  readonly content_type: 'text' | 'html';
  /** The author; null when the source does not state it. */
  readonly author: string | null;
  /** The type of the document, a filter; null when the source does not state it. */
  readonly document_type: string | null;
  /** The facility it is about, a filter; null when the source does not state it. */
  readonly facility_id: string | null;
  /** The original source, absolute http(s). */
  readonly source_url: string;
  /** When the source published it, at the source's precision (date or RFC 3339 date-time). */
  readonly published_at: string | null;
  /** When the register first observed it: a different event from publication, and never a substitute for it. */
  readonly observed_at: string;
  /** When the current version was recorded; null if the source has no versions. */
  readonly updated_at: string | null;
  /** The current version's number, from 1. */
  readonly version: number;
  /** Its permanent position in the register, from 1; null in a one-pass stream, which has no positions. */
  readonly position: number | null;
  /** The register's own fields, by name. */
  readonly data: Readonly<Record<string, JsonValue>>;
}

/**
 * Why a version exists. `source_change`: the source changed; `extraction_correction`: our reading of the source was
 * wrong; `renumbered`: the publisher gave the record another key; `redacted`: the content of all versions was erased; the others
 * mean what their names say.
 */
export type VersionCause =
  'first_observed' | 'source_change' | 'extraction_correction' | 'renumbered' | 'withdrawn' | 'restored' | 'redacted';

/** Every cause of a version. */
export const CAUSES: readonly VersionCause[] = [
  'first_observed',
  'source_change',
  'extraction_correction',
  'renumbered',
  'withdrawn',
  'restored',
  'redacted',
];

/** One version of a record, as the register's log keeps it permanently. The property names are those of the JSON. */
export interface RecordVersion {
  /** The register the record belongs to. */
  readonly feed_id: string;
  /** The record. */
  readonly record_id: string;
  /** The record's position in the register, the same in every version. */
  readonly position: number;
  /** The version's number, from 1, dense within the record. */
  readonly version: number;
  /** The change number: 1, 2, 3 … in the order in which the register's versions were recorded. */
  readonly change: number;
  /** Why this version was recorded. */
  readonly cause: VersionCause;
  /** RFC 3339 date-time. */
  readonly recorded_at: string;
  /** The fields that differ from the previous version: names of core fields, `data.x` for the register's own. */
  readonly changed: readonly string[];
  /** The number of the import that this version takes back. Absent: it takes none back. */
  readonly undoes?: number;
  /** The record at that time; for a withdrawal, its last content. Null once its content was erased. */
  readonly record: RegisterRecord | null;
  /**
   * What the publisher stated, whole: all own values as they were given, also those that the definition does not name.
   * The version commits to its canonical JSON (RFC 8785). Null in a withdrawal or redaction, and once it was erased. Only
   * where it was asked for.
   */
  readonly statement?: Readonly<Record<string, JsonValue>> | null;
  /** False: the record matched the filter that was asked with, and after this version it does not. Otherwise absent. */
  readonly matches?: false;
}

/** A version as streams have it. */
export interface StreamMessage extends Pick<
  RecordVersion,
  'change' | 'record_id' | 'version' | 'cause' | 'changed' | 'recorded_at' | 'matches'
> {
  /** The record by this version; null where it was withdrawn or redacted. */
  readonly record: RegisterRecord | null;
  /** Where the version stands in the log of its register, from 0. */
  readonly log_index: number;
}

/** The name of a core field: every property of a record except `data`. */
export type CoreFieldName = Exclude<keyof RegisterRecord, 'data'>;

/** Whether the record's content is HTML. */
export function hasHtml(record: RegisterRecord): record is RegisterRecord & { readonly content: string } {
  return record.content_type === 'html' && record.content !== null;
}

/** The value of a core field. */
export type CoreValue = RegisterRecord[CoreFieldName];

/**
 * The values of a record's core fields, in the order of the table in fields.ts, in a new array. Written out: to read them
 * by their names in a loop takes five times as long.
 */
export function coreValues(record: RegisterRecord): CoreValue[] {
  const values: CoreValue[] = [
    record.id,
    record.feed_id,
    record.key,
    record.title,
    record.summary,
    record.content,
    record.content_type,
    record.author,
    record.document_type,
    record.facility_id,
    record.source_url,
    record.published_at,
    record.observed_at,
    record.updated_at,
    record.version,
    record.position,
  ];
  return values;
}

/**
 * The record with these values of core fields, in the same order. One literal for all records: they have the same hidden
 * class, which makes whatever reads them faster.
 */
export function recordOfValues(
  values: readonly (CoreValue | undefined)[],
  data: RegisterRecord['data'],
): RegisterRecord {
  const place = { at: 0 };
  const core = {
    id: values[place.at++],
    feed_id: values[place.at++],
    key: values[place.at++],
    title: values[place.at++],
    summary: values[place.at++],
    content: values[place.at++],
    content_type: values[place.at++],
    author: values[place.at++],
    document_type: values[place.at++],
    facility_id: values[place.at++],
    source_url: values[place.at++],
    published_at: values[place.at++],
    observed_at: values[place.at++],
    updated_at: values[place.at++],
    version: values[place.at++],
    position: values[place.at++],
    data,
  } satisfies Record<keyof RegisterRecord, unknown>;
  return core as RegisterRecord;
}

/** What can happen to a record, as the type of an event. */
export const RECORD_EVENT_TYPES = [
  'record.published',
  'record.updated',
  'record.corrected',
  'record.withdrawn',
] as const;

/** The type of an event about a record. */
export type RecordEventType = (typeof RECORD_EVENT_TYPES)[number];

/** The type of an event about an endpoint that was disabled. It comes to the others of its account. */
export const DISABLED_EVENT_TYPE = 'endpoint.disabled';

/** The types of events that an endpoint may subscribe to. */
export const EVENT_TYPES: readonly [...typeof RECORD_EVENT_TYPES, typeof DISABLED_EVENT_TYPE] = [
  ...RECORD_EVENT_TYPES,
  DISABLED_EVENT_TYPE,
];
