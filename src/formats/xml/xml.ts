// XML: gazette's own small vocabulary, in a namespace that never changes. One `record` per record, one element per
// field in the order of allFields(); null has no element, the empty string an empty one. xsd.ts writes the schema that
// every document validates against.
import { allFields } from '../../register/fields.ts';
import { checkFields, columnsOf } from '../../register/finding/chosen-fields.ts';
import { filterText } from '../../register/finding/filter.ts';
import type { Page } from '../../register/page.ts';
import {
  type CoreFieldName,
  coreValues,
  type Field,
  type FieldType,
  type RegisterDefinition,
  type RegisterRecord,
} from '../../register/record.ts';
import {
  checkCoreFields,
  checkCount,
  checkId,
  checkLastChange,
  checkText,
  CORE_CHECKS,
  type CoreCheck,
  coreText,
  fieldText,
} from '../check-value.ts';
import type { DocumentHead, Format, FormatOptions, Output, Sink } from '../format.ts';
import { numberText } from '../number-text.ts';
import { escapeAttribute, escapeText, optionalAttribute, utf8 } from './text.ts';
import { XmlWriter } from './writer.ts';
import type { ByteRows } from '../../register/sources/byte-rows.ts';
import { type RecordMarkup, XmlRows } from '../rows/xml-rows.ts';
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
export const xml: Format = {
  name: 'xml',
  mediaType: 'application/xml; charset=utf-8',
  extension: 'xml',
  encoderVersion: VERSION,
  optionNames: [],
  takesFields: true,
  takesRows: true,
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
interface Markup {
  readonly open: string;
  readonly close: string;
}

/** An element of a record. All have one shape, because the loop over them is the fastest so. */
class Element {
  readonly field: Field;
  /** Null for an own field. */
  readonly core: CoreCheck | null;
  /** Whether its text never needs escaping. */
  readonly isPlain: boolean;
  /** Its only values, which are part of the markup; null: any value. */
  readonly values: readonly string[] | null;
  /** Where its markup is in `#between`, that of its first value. */
  readonly place: number;

  constructor(field: Field, place: number) {
    this.field = field;
    this.place = place;
    this.core = CORE_CHECKS.find(({ name }) => name === field.name) ?? null;
    this.values = this.core?.values ?? null;
    this.isPlain = PLAIN_TYPES.has(field.type);
  }
}

const RECORD = utf8('<record id="');
const POSITION = utf8('" position="');

/** Versions whose markup is created in advance; few records are corrected more often. */
const USUAL_VERSIONS = 10;

class XmlSink implements Sink {
  readonly #out: Output;
  readonly #definition: RegisterDefinition;
  /** Made when rows come: pages need none. */
  #rows: XmlRows | undefined;
  readonly #xml: XmlWriter;
  /** Those of core fields, and those of the register's own behind them. */
  readonly #core: readonly Element[];
  readonly #own: readonly Element[];
  /**
   * By the places of two elements: the markup between their values. The beginning of the record is before the first, its end
   * behind the last.
   */
  readonly #between: readonly (readonly Uint8Array<ArrayBuffer>[])[];
  /** Whether some fields were asked for: the others are then not checked by their elements. */
  readonly #isChosen: boolean;
  readonly #hasPosition: boolean;
  readonly #hasVersion: boolean;
  readonly #hasFeedId: boolean;
  readonly #feedId: string;
  /** By version: the start of a record of this register. */
  readonly #starts: readonly Uint8Array<ArrayBuffer>[];

  constructor(out: Output, head: DocumentHead, options: FormatOptions | undefined) {
    const { definition } = head;
    const xml = new XmlWriter(out, options?.report);
    this.#xml = xml;
    this.#out = out;
    this.#definition = definition;
    const chosen: ReadonlySet<Field> = new Set(columnsOf(definition, head.fields));
    // In the order of the schema, whatever the order in which they were asked for.
    const fields = allFields(definition).filter((field) => chosen.has(field));
    const has = (name: CoreFieldName): boolean => fields.some((field) => field.name === name);
    this.#isChosen = head.fields !== undefined;
    this.#hasPosition = has('position');
    this.#hasVersion = has('version');
    this.#hasFeedId = has('feed_id');
    this.#feedId = definition.id;
    this.#starts = Array.from({ length: USUAL_VERSIONS }, (_, version) => utf8(this.#startOf(version, this.#feedId)));
    const inElements = fields.filter(({ name }) => !RECORD_ATTRIBUTES.has(name) && name !== 'feed_id');
    const markup: Markup[] = [{ open: '', close: '' }];
    const elements = inElements.map((field) => {
      const element = new Element(field, markup.length);
      markup.push(...markupsOf(element));
      return element;
    });
    this.#core = elements.filter(({ core }) => core !== null);
    this.#own = elements.filter(({ core }) => core === null);
    markup.push({ open: '</record>\n', close: '' });
    this.#between = markup.map(({ close }) => markup.map(({ open }) => utf8(close + open)));
    let attributes = '';
    for (const [name, value] of registerAttributes(head)) attributes += optionalAttribute(name, value, xml);
    xml.text(`<?xml version="1.0" encoding="UTF-8"?>\n<${ROOT_ELEMENT} xmlns="${REGISTER_NAMESPACE}"${attributes}>\n`);
    xml.end(null);
  }

  write(page: Page): void {
    for (const record of page.records) {
      this.#record(record);
      this.#xml.end(record.id);
    }
  }

  writeRows(rows: ByteRows, from: number): number {
    this.#rows ??= new XmlRows(this.#definition, rowMarkup(this.#definition.id));
    return this.#rows.write(this.#out, rows, from);
  }

  close(): void {
    this.#xml.text(`</${ROOT_ELEMENT}>\n`);
  }

  #record(record: RegisterRecord): void {
    const { position, version } = record;
    const values = coreValues(record);
    const xml = this.#xml;
    if (this.#isChosen) checkCoreFields(record);
    xml.markup(RECORD);
    xml.escaped(checkId(record), escapeAttribute);
    if (this.#hasPosition && position !== null) {
      xml.markup(POSITION);
      xml.text(numberText(checkCount(record, 'position', position)));
    }
    checkCount(record, 'version', version);
    // In gazette's own stores every record has the register's id.
    const isUsual = version < USUAL_VERSIONS && record.feed_id === this.#feedId;
    if (isUsual) xml.markup(this.#starts[version]!);
    else xml.text(this.#startOf(version, checkText(record, 'feed_id', record.feed_id)));
    let last = 0;
    for (const element of this.#core)
      last = this.#element(element, coreText(record, element.core!, values[element.core!.at]!), last);
    for (const element of this.#own) last = this.#element(element, fieldText(record, element.field), last);
    xml.markup(this.#between[last]![this.#between.length - 1]!);
  }

  /** Writes an element, if it has a value, behind the one at `last`. @returns the place of the last one written */
  #element(element: Element, value: string | null, last: number): number {
    if (value === null) return last;
    if (element.values !== null) {
      const place = element.place + element.values.indexOf(value);
      this.#xml.markup(this.#between[last]![place]!);
      return place;
    }
    this.#xml.markup(this.#between[last]![element.place]!);
    if (element.isPlain) this.#xml.text(value);
    else this.#xml.escaped(value, escapeText);
    return element.place;
  }

  /** The start of a record behind its position, up to the first element that records differ in. */
  #startOf(version: number, feedId: string): string {
    const attribute = this.#hasVersion ? `" version="${numberText(version)}` : '';
    return `${attribute}">\n${this.#hasFeedId ? `<feed_id>${escapeText(feedId, this.#xml)}</feed_id>\n` : ''}`;
  }
}

/** What stands around the values of a record of a store. */
function rowMarkup(feedId: string): RecordMarkup {
  return {
    attributes: [
      ['<record id="', 'id'],
      ['" position="', 'position'],
      ['" version="', 'version'],
    ],
    start: `">\n<feed_id>${feedId}</feed_id>\n`,
    end: '</record>\n',
    element: (name, field) => elementMarkup(name, field?.type ?? 'text'),
  };
}

/** What stands around the value of an element. */
function elementMarkup(name: string, type: FieldType): readonly [open: string, close: string] {
  return [`<${name}${MARKED_TYPES.has(type) ? ` type="${type}"` : ''}>`, `</${name}>\n`];
}

/** The markup of an element, or of each of its only values. */
function markupsOf({ field: { name, type }, values }: Element): readonly Markup[] {
  const [open, close] = elementMarkup(name, type);
  return (values ?? ['']).map((value) => ({ open: open + value, close }));
}
