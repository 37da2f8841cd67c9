// XML: a small vocabulary of gazette's own, in a namespace that never changes. One `record` per record, one element per
// field in the order of allFields(); null is no element, the empty string an empty one. xsd.ts writes the schema that
// every document validates against.
import type { Page } from '../register/page.ts';
import type { Field, FieldType, RegisterRecord } from '../register/record.ts';
import {
  checkContentType,
  checkCount,
  checkId,
  checkLastChange,
  checkText,
  checkTime,
  checkUrl,
  fieldText,
} from './check-value.ts';
import type { FeedHead, Format, FormatOptions, Output, Sink } from './format.ts';
import { escapeAttribute, escapeText, optionalAttribute, XmlWriter } from './xml-text.ts';

/** The namespace of gazette's vocabulary: documents in XML, and `observedAt` in feeds. Constant for ever. */
export const REGISTER_NAMESPACE = 'urn:gazette:register:1';

/** The root's name. */
export const ROOT_ELEMENT = 'register';

/** Types whose values are not strings in JSON: their elements carry a `type`, so that no schema is needed to read them. */
export const MARKED_TYPES: ReadonlySet<FieldType> = new Set<FieldType>(['number', 'integer', 'boolean', 'json']);

/** Fields of a record that stand in attributes. */
export const RECORD_ATTRIBUTES: ReadonlySet<string> = new Set(['id', 'position', 'version']);

/** Types whose text never needs escaping. */
const PLAIN_TYPES: ReadonlySet<FieldType> = new Set<FieldType>(['number', 'integer', 'boolean', 'date', 'datetime']);

/**
 * The XML writer.
 *
 * @throws GazetteError `invalid_record` from `write()` when a value does not fit its declared type, naming the record's
 *   id, the field and what was expected; `internal_error` from `open()` when a source's last change is no date.
 * @example for await (const chunk of encode(pages(source), xml, head)) process.stdout.write(chunk);
 */
export const xml: Format = {
  name: 'xml',
  mediaType: 'application/xml; charset=utf-8',
  extension: 'xml',
  http: true,
  optionNames: [],
  open: (out, head, options) => new XmlSink(out, head, options),
};

/**
 * The root's attributes in their order; those without a value are left out.
 *
 * @throws GazetteError `internal_error` when `lastChange` is no date or date-time.
 */
export function registerAttributes(head: FeedHead): readonly (readonly [name: string, value: string | null])[] {
  const { definition, asOf, filter, links } = head;
  return [
    ['id', definition.id],
    ['as_of', asOf === null ? null : String(asOf)],
    ['title', definition.title],
    ['author', definition.author],
    ['rights', definition.rights],
    ['homepage', definition.homepage],
    ['last_change', checkLastChange(head)],
    ['document_type', filter?.documentType ?? null],
    ['facility_id', filter?.facilityId ?? null],
    ['self', links?.self ?? null],
    ['next', links?.next ?? null],
    ['xml:lang', definition.language],
  ];
}

/** The core fields whose values are any text. */
type TextField = 'feed_id' | 'title' | 'summary' | 'content' | 'author' | 'document_type' | 'facility_id';

/** One of the definition's own fields, with what stands around its values. */
interface Element {
  readonly field: Field;
  readonly open: string;
  readonly close: string;
  readonly isPlain: boolean;
}

class XmlSink implements Sink {
  readonly #out: Output;
  readonly #xml: XmlWriter;
  readonly #feedId: string;
  readonly #feedElement: string;
  readonly #elements: readonly Element[];

  constructor(out: Output, head: FeedHead, options: FormatOptions | undefined) {
    const xml = new XmlWriter(out, options?.report);
    this.#out = out;
    this.#xml = xml;
    this.#feedId = head.definition.id;
    this.#feedElement = `<feed_id>${escapeText(head.definition.id, xml)}</feed_id>\n<title>`;
    this.#elements = head.definition.fields.map((field) => ({
      field,
      open: `<${field.name}${MARKED_TYPES.has(field.type) ? ` type="${field.type}"` : ''}>`,
      close: `</${field.name}>\n`,
      isPlain: PLAIN_TYPES.has(field.type),
    }));
    let attributes = '';
    for (const [name, value] of registerAttributes(head)) attributes += optionalAttribute(name, value, xml);
    const root = `<${ROOT_ELEMENT} xmlns="${REGISTER_NAMESPACE}"${attributes}>`;
    xml.end(`<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`, null);
  }

  write(page: Page): void {
    for (const record of page.records) this.#xml.end(this.#record(record), record.id);
  }

  close(): void {
    this.#out.text(`</${ROOT_ELEMENT}>\n`);
  }

  /** Writes a record but for its end, which is answered. */
  #record(record: RegisterRecord): string {
    const xml = this.#xml;
    const position = record.position === null ? '' : ` position="${checkCount(record, 'position', record.position)}"`;
    let text = `<record id="${escapeAttribute(checkId(record), xml)}"${position} version="${checkCount(record, 'version', record.version)}">\n`;
    // Every record of gazette's own has the register's id here.
    text +=
      record.feed_id === this.#feedId
        ? this.#feedElement
        : `<feed_id>${this.#text(record, 'feed_id')}</feed_id>\n<title>`;
    text = `${xml.append(text, this.#text(record, 'title'))}</title>\n`;
    if (record.summary !== null) {
      text = `${xml.append(`${text}<summary>`, this.#text(record, 'summary'))}</summary>\n`;
    }
    if (record.content !== null) {
      text = `${xml.append(`${text}<content>`, this.#text(record, 'content'))}</content>\n`;
    }
    text += `<content_type>${checkContentType(record)}</content_type>\n`;
    if (record.author !== null) text += `<author>${this.#text(record, 'author')}</author>\n`;
    if (record.document_type !== null) {
      text += `<document_type>${this.#text(record, 'document_type')}</document_type>\n`;
    }
    if (record.facility_id !== null) text += `<facility_id>${this.#text(record, 'facility_id')}</facility_id>\n`;
    text += `<source_url>${escapeText(checkUrl(record, 'source_url', record.source_url), xml)}</source_url>\n`;
    if (record.published_at !== null) {
      text += `<published_at>${checkTime(record, 'published_at', record.published_at)}</published_at>\n`;
    }
    text += `<observed_at>${checkTime(record, 'observed_at', record.observed_at)}</observed_at>\n`;
    if (record.updated_at !== null) {
      text += `<updated_at>${checkTime(record, 'updated_at', record.updated_at)}</updated_at>\n`;
    }
    for (const { field, open, close, isPlain } of this.#elements) {
      const value = fieldText(record, field);
      if (value === null) continue;
      text = isPlain ? text + open + value + close : xml.append(text + open, escapeText(value, xml)) + close;
    }
    return `${text}</record>\n`;
  }

  #text(record: RegisterRecord, name: TextField): string {
    return escapeText(checkText(record, name, record[name]), this.#xml);
  }
}
