// The vocabulary of a register: its definition, its fields, its records. Types alone: what
// is true of each core field stands in fields.ts; what a record must hold is checked in record-input.ts and definition.ts.
import type { JsonValue } from './canonical-json.ts';

/**
 * The type of a field's values. `date` is `YYYY-MM-DD`; `datetime` an RFC 3339 date-time, or a date where the source
 * gives no time; `url` an absolute http(s) URL; `integer` a safe integer, or a text of decimal digits beyond that;
 * `json` any JSON value, shown as canonical JSON text (RFC 8785) where a format has only text.
 */
export type FieldType = 'text' | 'number' | 'integer' | 'boolean' | 'date' | 'datetime' | 'url' | 'json';

/** One field of a register's records: a column, an element, a property. */
export interface Field {
  /** `[a-z][a-z0-9_]{0,63}`, never the name of a core field. */
  readonly name: string;
  /** What people read instead of the name. */
  readonly label: string;
  /** What its values are. */
  readonly type: FieldType;
  /** One sentence on what the values mean. */
  readonly description?: string;
}

/** What a register is: its name, its constants for permanent ids, and the fields its records have beside the core ones. */
export interface RegisterDefinition {
  /** The feed id: `[a-z0-9][a-z0-9-]{0,63}`. */
  readonly id: string;
  /** The name of the register, for people. */
  readonly title: string;
  /** What the register holds; may be empty. */
  readonly description: string;
  /** A BCP 47 language tag; null when the register does not say. */
  readonly language: string | null;
  /** The issuing body, as people should read it. */
  readonly author: string | null;
  /** Who may do what with the records; null when the register does not say. */
  readonly rights: string | null;
  /** Absolute http(s) URL of the register's own page for people. */
  readonly homepage: string | null;
  /** When the register began, an RFC 3339 date-time: the feed's date while nothing has happened. */
  readonly created_at: string;
  /** The domain name or e-mail address permanent ids are made under (RFC 4151 2.1). RSS and Atom require it. */
  readonly authority: string | null;
  /** A year in which `authority` belonged to the publisher (RFC 4151 2.1): constant for ever. */
  readonly year: number | null;
  /** The register's own fields, in the order that documents have them. */
  readonly fields: readonly Field[];
}

/** One record in its current version. The property names are those of the JSON. */
export interface RegisterRecord {
  /** `<feed_id>:<key>`, stable for ever, unique in the deployment. */
  readonly id: string;
  /** The register it belongs to. */
  readonly feed_id: string;
  /** The name of the record, for people. */
  readonly title: string;
  /** What it is about, in a few sentences of plain text; null when the source has none. */
  readonly summary: string | null;
  /** The whole text, at most 1 MiB; null when the source has none. */
  readonly content: string | null;
  /** What `content` is written in. */
  readonly content_type: 'text' | 'html';
  /** Who wrote it; null when the source does not say. */
  readonly author: string | null;
  /** What kind of document it is, a filter; null when the source does not say. */
  readonly document_type: string | null;
  /** Which facility it is about, a filter; null when the source does not say. */
  readonly facility_id: string | null;
  /** The original source, absolute http(s). */
  readonly source_url: string;
  /** When the source published it, at the source's precision (date or RFC 3339 date-time). */
  readonly published_at: string | null;
  /** When the register first observed it: another event than publication, and never a stand-in for it. */
  readonly observed_at: string;
  /** When the current version was recorded; null where the source keeps no versions. */
  readonly updated_at: string | null;
  /** The current version's number, from 1. */
  readonly version: number;
  /** Its place in the register, from 1, for ever; null in a one-pass stream, which has no places. */
  readonly position: number | null;
  /** The register's own fields, by name. */
  readonly data: Readonly<Record<string, JsonValue>>;
}

/**
 * Why a version exists. `source_change`: the source changed; `extraction_correction`: our reading of it was wrong;
 * the others are what their names say.
 */
export type VersionCause = 'first_observed' | 'source_change' | 'extraction_correction' | 'withdrawn' | 'restored';

/** One version of a record, as the register's log keeps it for ever. The property names are those of the JSON. */
export interface RecordVersion {
  /** The register the record belongs to. */
  readonly feed_id: string;
  /** The record. */
  readonly record_id: string;
  /** The record's place in the register, the same in every version. */
  readonly position: number;
  /** The version's number, from 1, dense within the record. */
  readonly version: number;
  /** The change number: 1, 2, 3 … in the order in which the register's versions were recorded. */
  readonly change: number;
  /** Why there is this version. */
  readonly cause: VersionCause;
  /** RFC 3339 date-time. */
  readonly recorded_at: string;
  /** The fields that differ from the version before: names of core fields, `data.x` for the register's own. */
  readonly changed: readonly string[];
  /** SHA-256 of the canonical JSON of what the publisher said, in hex. */
  readonly sha256: string;
  /** The record as it then was; of a withdrawn one, as it last was. Null once its content was erased. */
  readonly record: RegisterRecord | null;
}

/** The name of a core field: every property of a record but `data`. */
export type CoreFieldName = Exclude<keyof RegisterRecord, 'data'>;
