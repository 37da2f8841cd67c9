// XML: gazette's own small vocabulary, in a namespace that never changes. One `record` per record, one element per
// field in the order of allFields(); null has no element, the empty string an empty one. xsd.ts writes the schema that
// every document validates against.
import { allFields } from '../../register/fields.ts';
import { checkFields, columnsOf } from '../../register/finding/chosen-fields.ts';
import { filterText } from '../../register/finding/filter.ts';
import type { Page } from '../../register/page.ts';
import type { Field, FieldType, RegisterRecord } from '../../register/record.ts';
import {
  checkContentType,
  checkCount,
  checkId,
  checkLastChange,
  checkText,
  checkTime,
  checkUrl,
  fieldText,
} from '../check-value.ts';
import type { DocumentHead, FormatOptions, Output, Sink, VersionedFormat } from '../format.ts';
import { numberText } from '../number-text.ts';
import { type ChosenElements, writeChosen } from './chosen.ts';
import { escapeAttribute, escapeText, optionalAttribute, utf8 } from './text.ts';
import { XmlWriter } from './writer.ts';
import { VERSION } from '../../version.ts';

/** The namespace of gazette's vocabulary: documents in XML, and `observedAt` in feeds. It never changes. */
export const REGISTER_NAMESPACE = 'urn:gazette:register:1';

/** The root's name. */
export const ROOT_ELEMENT = 'register';

/** Types whose values are more than strings: their elements have a `type`, so that readers need no schema. */
export const MARKED_TYPES: ReadonlySet<FieldType> = new Set<FieldType>([
  'number',
  'decimal',
  'integer',
  'boolean',
  'json',
]);

/** Fields of a record that are written as attributes. */
export const RECORD_ATTRIBUTES: ReadonlySet<string> = new Set(['id', 'position', 'version']);

/** Types whose text never needs escaping. */
const PLAIN_TYPES: ReadonlySet<FieldType> = new Set<FieldType>([
  'number',
  'decimal',
  'integer',
  'boolean',
  'date',
  'datetime',
]);

/**
 * The XML writer.
 *
 * @throws GazetteError `invalid_record` from `write()` when a value does not fit its declared type, naming the record's
 *   id, the field and what was expected; `internal_error` from `open()` when a source gives an invalid last change.
 * @example for await (const chunk of encode(pages(source), xml, head)) process.stdout.write(chunk);
 */
export const xml: VersionedFormat = {
  name: 'xml',
  mediaType: 'application/xml; charset=utf-8',
  extension: 'xml',
  encoderVersion: VERSION,
  optionNames: [],
  takesFields: true,
  open: (out, head, options) => new XmlSink(out, head, options),
};

/**
 * The root's attributes in order; those without a value are left out.
 *
 * @throws GazetteError `internal_error` when `lastChange` is not a date or date-time.
 */
export function registerAttributes(head: DocumentHead): readonly (readonly [name: string, value: string | null])[] {
  const { definition, asOf, filter, fields, links } = head;
  return [
    ['id', definition.id],
    ['as_of', asOf === null ? null : String(asOf)],
    ['title', definition.title],
    ['author', definition.author],
    ['rights', definition.rights],
    ['homepage', definition.homepage],
    ['last_change', checkLastChange(head)],
    ['filter', filter === undefined ? null : filterText(filter)],
    ['fields', fields === undefined ? null : checkFields(fields, definition).join(',')],
    ['self', links?.self ?? null],
    ['next', links?.next ?? null],
    ['xml:lang', definition.language],
    ...schemaAttributes(links?.schema),
  ];
}

/** Where the schema is (XML Schema 1.0 part 1, 4.3.2): the namespace and its location, separated by a space. */
function schemaAttributes(schema: string | undefined): readonly (readonly [name: string, value: string])[] {
  if (schema === undefined) return [];
  return [
    ['xmlns:xsi', 'http://www.w3.org/2001/XMLSchema-instance'],
    ['xsi:schemaLocation', `${REGISTER_NAMESPACE} ${schema.replace(/\s/g, encodeURIComponent)}`],
  ];
}

/** The markup around a value. */
interface Element {
  readonly open: string;
  readonly close: string;
}

/** Positions of the core's elements; the definition's own follow from `OWN` on, and then the record's end. */
const TITLE = 0;
const SUMMARY = 1;
const CONTENT = 2;
const TEXT_TYPE = 3;
const HTML_TYPE = 4;
const AUTHOR = 5;
const DOCUMENT_TYPE = 6;
const FACILITY = 7;
const SOURCE = 8;
const PUBLISHED = 9;
const OBSERVED = 10;
const UPDATED = 11;
const OWN = 12;

/** The core's elements by their positions. The feed's id and the key come before them. */
const CORE_ELEMENTS: readonly Element[] = [
  elementOf('title'),
  elementOf('summary'),
  elementOf('content'),
  { open: '<content_type>text', close: '</content_type>\n' },
  { open: '<content_type>html', close: '</content_type>\n' },
  elementOf('author'),
  elementOf('document_type'),
  elementOf('facility_id'),
  elementOf('source_url'),
  elementOf('published_at'),
  elementOf('observed_at'),
  elementOf('updated_at'),
];

const RECORD = utf8('<record id="');
const KEY_END = utf8('</key>\n<title>');
const POSITION = utf8('" position="');

/** Versions whose markup is created in advance; few records are corrected more often. */
const USUAL_VERSIONS = 10;

class XmlSink implements Sink {
  readonly #xml: XmlWriter;
  readonly #feedId: string;
  /** By version: the start of a record, with the feed's id, up to the value of the key. */
  readonly #starts: readonly Uint8Array<ArrayBuffer>[];
  /** By the positions of two elements: the markup between their values. */
  readonly #between: readonly (readonly Uint8Array<ArrayBuffer>[])[];
  readonly #fields: readonly { readonly field: Field; readonly isPlain: boolean }[];
  /** The fields that were asked for; null: all. */
  readonly #chosen: ChosenElements | null;

  constructor(out: Output, head: DocumentHead, options: FormatOptions | undefined) {
    const { definition } = head;
    const xml = new XmlWriter(out, options?.report);
    this.#xml = xml;
    this.#feedId = definition.id;
    this.#chosen = head.fields === undefined ? null : chosenElements(head, head.fields);
    this.#starts = Array.from({ length: USUAL_VERSIONS }, (_, version) => startOf(version, definition.id, xml));
    this.#fields = definition.fields.map((field) => ({ field, isPlain: PLAIN_TYPES.has(field.type) }));
    const elements = [
      ...CORE_ELEMENTS,
      ...definition.fields.map(({ name, type }) => elementOf(name, type)),
      { open: '</record>\n', close: '' },
    ];
    this.#between = elements.map(({ close }) => elements.map(({ open }) => utf8(close + open)));
    let attributes = '';
    for (const [name, value] of registerAttributes(head)) attributes += optionalAttribute(name, value, xml);
    xml.text(`<?xml version="1.0" encoding="UTF-8"?>\n<${ROOT_ELEMENT} xmlns="${REGISTER_NAMESPACE}"${attributes}>\n`);
    xml.end(null);
  }

  write(page: Page): void {
    for (const record of page.records) {
      if (this.#chosen === null) this.#record(record);
      else writeChosen(record, this.#chosen, this.#xml);
      this.#xml.end(record.id);
    }
  }

  close(): void {
    this.#xml.text(`</${ROOT_ELEMENT}>\n`);
  }

  #record(record: RegisterRecord): void {
    const { position, version, title, summary, content, author, document_type, facility_id, source_url } = record;
    const { published_at, observed_at, updated_at } = record;
    const xml = this.#xml;
    xml.markup(RECORD);
    xml.escaped(checkId(record), escapeAttribute);
    if (position !== null) {
      xml.markup(POSITION);
      xml.text(numberText(checkCount(record, 'position', position)));
    }
    checkCount(record, 'version', version);
    // In gazette's own stores every record has the register's id.
    const isUsual = version < USUAL_VERSIONS && record.feed_id === this.#feedId;
    xml.markup(isUsual ? this.#starts[version]! : startOf(version, checkText(record, 'feed_id', record.feed_id), xml));
    xml.escaped(checkText(record, 'key', record.key), escapeText);
    xml.markup(KEY_END);
    xml.escaped(checkText(record, 'title', title), escapeText);
    let at = this.#text(record, 'summary', summary, TITLE, SUMMARY);
    at = this.#text(record, 'content', content, at, CONTENT);
    const type = checkContentType(record) === 'text' ? TEXT_TYPE : HTML_TYPE;
    xml.markup(this.#between[at]![type]!);
    at = this.#text(record, 'author', author, type, AUTHOR);
    at = this.#text(record, 'document_type', document_type, at, DOCUMENT_TYPE);
    at = this.#text(record, 'facility_id', facility_id, at, FACILITY);
    xml.markup(this.#between[at]![SOURCE]!);
    xml.escaped(checkUrl(record, 'source_url', source_url), escapeText);
    at = this.#time(record, 'published_at', published_at, SOURCE, PUBLISHED);
    xml.markup(this.#between[at]![OBSERVED]!);
    xml.text(checkTime(record, 'observed_at', observed_at));
    at = this.#time(record, 'updated_at', updated_at, OBSERVED, UPDATED);
    let place = OWN;
    for (const { field, isPlain } of this.#fields) {
      const value = fieldText(record, field);
      if (value !== null) {
        xml.markup(this.#between[at]![place]!);
        if (isPlain) xml.text(value);
        else xml.escaped(value, escapeText);
        at = place;
      }
      place++;
    }
    xml.markup(this.#between[at]![place]!);
  }

  /**
   * Writes a text that may be missing, after the element at position `at`. Returns the position of the last one
   * written.
   */
  #text(record: RegisterRecord, name: string, text: string | null, at: number, place: number): number {
    if (text === null) return at;
    this.#xml.markup(this.#between[at]![place]!);
    this.#xml.escaped(checkText(record, name, text), escapeText);
    return place;
  }

  /** The same for a time. */
  #time(record: RegisterRecord, name: string, time: string | null, at: number, place: number): number {
    if (time === null) return at;
    this.#xml.markup(this.#between[at]![place]!);
    this.#xml.text(checkTime(record, name, time));
    return place;
  }
}

/** The elements of fields, in the order of the schema. */
function chosenElements({ definition }: DocumentHead, names: readonly string[]): ChosenElements {
  const chosen: ReadonlySet<Field> = new Set(columnsOf(definition, names));
  const fields = allFields(definition).filter((field) => chosen.has(field));
  const has = (name: string): boolean => fields.some((field) => field.name === name);
  return {
    hasPosition: has('position'),
    hasVersion: has('version'),
    elements: fields
      .filter(({ name }) => !RECORD_ATTRIBUTES.has(name))
      .map((field) => ({ field, ...elementOf(field.name, field.type) })),
  };
}

function elementOf(name: string, type?: FieldType): Element {
  const mark = type !== undefined && MARKED_TYPES.has(type) ? ` type="${type}"` : '';
  return { open: `<${name}${mark}>`, close: `</${name}>\n` };
}

function startOf(version: number, feedId: string, xml: XmlWriter): Uint8Array<ArrayBuffer> {
  return utf8(`" version="${version}">\n<feed_id>${escapeText(feedId, xml)}</feed_id>\n<key>`);
}
