// Records of the XML format from the bytes of a store's cells. Characters are escaped as they are copied; a record with one
// that XML cannot carry is written from its values, which reports it.
import { canonicalJson, type JsonValue } from '../../register/canonical-json.ts';
import { recordKey } from '../../register/identity.ts';
import type { Field, RegisterDefinition } from '../../register/record.ts';
import {
  BYTE_CELLS,
  CELL_END,
  DATA_CELL,
  IS_NULLABLE,
  KEY_CELL,
  NULL_CELL,
  ODD_CELL,
} from '../../register/sources/byte-rows.ts';
import { doubleText } from '../check-value.ts';
import { escapeText, LEAD, STAYS, utf8 } from '../xml/text.ts';
import { BACKSLASH, QUOTE, RowWriter, shownIn, textOf } from './row-writer.ts';

const SPACE = 0x20;
const CR = 0x0d;

/** The second byte of U+FFFE and U+FFFF after {@link LEAD}, and the least third one. */
const FORBIDDEN_2 = 0xbf;
const FORBIDDEN_3 = 0xbe;

/** What stands around the value of an element. */
interface ElementMarkup {
  readonly open: Uint8Array;
  readonly close: Uint8Array;
}

/** What stands around the values of a record. */
export interface RecordMarkup {
  /** Before the value of each attribute, by its cell. */
  readonly attributes: readonly (readonly [before: string, cell: string])[];
  /** Behind the last one. */
  readonly start: string;
  readonly end: string;
  /** The markup of an element. */
  element(name: string, field?: Field): readonly [open: string, close: string];
}

/** Writes records from their cells. */
export class XmlRows extends RowWriter {
  readonly #attributes: readonly { readonly before: Uint8Array; readonly cell: number }[];
  readonly #start: Uint8Array;
  readonly #end: Uint8Array;
  /** By cell: the markup of its element; null: it is an attribute. */
  readonly #elements: readonly (ElementMarkup | null)[];
  readonly #own: readonly ElementMarkup[];
  /** Where each cell begins, and where its value ends. */
  readonly #starts = new Int32Array(DATA_CELL);
  readonly #ends = new Int32Array(DATA_CELL);
  readonly #growth = escapeText.bytes.growth;
  readonly #references = escapeText.bytes.references;

  constructor(definition: RegisterDefinition, markup: RecordMarkup) {
    const encoded = (name: string, field?: Field): ElementMarkup => {
      const [open, close] = markup.element(name, field);
      return { open: utf8(open), close: utf8(close) };
    };
    const attributes = markup.attributes.map(([before, cell]) => ({
      before: utf8(before),
      cell: BYTE_CELLS.indexOf(cell),
    }));
    const elements = BYTE_CELLS.slice(0, DATA_CELL).map((name, cell) =>
      attributes.some((attribute) => attribute.cell === cell) ? null : encoded(name),
    );
    const own = definition.fields.map((field) => encoded(field.name, field));
    const parts = [...elements, ...own].flatMap((one) => (one === null ? [] : [one.open, one.close]));
    const start = utf8(markup.start);
    const end = utf8(markup.end);
    const others = [...attributes.map(({ before }) => before), start, end];
    // An ampersand takes five bytes.
    super(
      definition,
      6,
      [...parts, ...others].reduce((sum, { length }) => sum + length, 0),
    );
    this.#attributes = attributes;
    this.#elements = elements;
    this.#own = own;
    this.#start = start;
    this.#end = end;
  }

  protected record(bytes: Uint8Array, start: number): number {
    const { gap, none } = this.layout;
    const starts = this.#starts;
    const ends = this.#ends;
    let at = start;
    for (let cell = 0; cell < DATA_CELL; cell++) {
      const first = bytes[at];
      if (first === ODD_CELL || (first === NULL_CELL && !IS_NULLABLE[cell]!)) return -1;
      starts[cell] = at;
      if (first === NULL_CELL) {
        at += none;
        continue;
      }
      while (bytes[at] !== CELL_END) at++;
      ends[cell] = at;
      at += 1 + gap;
    }
    for (const { before, cell } of this.#attributes) {
      this.put(before);
      for (let from = starts[cell]!; from < ends[cell]!; from++) this.target[this.at++] = bytes[from]!;
    }
    this.put(this.#start);
    for (let cell = 0; cell < DATA_CELL; cell++) {
      const element = this.#elements[cell] ?? null;
      if (element === null) continue;
      const from = starts[cell]!;
      if (bytes[from] !== NULL_CELL) {
        if (!this.#element(bytes, element, from, ends[cell]!)) return -1;
      } else if (cell === KEY_CELL && !this.#key(element, textOf(bytes, start, ends[0]!))) return -1;
    }
    const end = this.own(bytes, at);
    this.put(this.#end);
    return end;
  }

  protected value(bytes: Uint8Array, index: number, from: number, to: number): boolean {
    const field = this.definition.fields[index]!;
    const element = this.#own[index]!;
    const begun = this.at;
    if (field.type === 'text' && bytes[from] === QUOTE && !hasEscape(bytes, from, to)) {
      return this.#element(bytes, element, from + 1, to - 1);
    }
    this.put(element.open);
    if (!this.plain(bytes, field.type, from, to)) {
      const json = textOf(bytes, from, to);
      const shown = shownIn(json, field);
      if (shown === null) {
        this.at = begun;
        return true;
      }
      if (!this.#escaped(textOfValue(field, shown), json)) return false;
    }
    this.put(element.close);
    return true;
  }

  protected none(): void {
    // There is no element.
  }

  #key(element: ElementMarkup, id: string): boolean {
    this.put(element.open);
    if (!this.#escaped(recordKey(id), id)) return false;
    this.put(element.close);
    return true;
  }

  #escaped(text: string, json: string): boolean {
    const replacements = { isReplaced: false };
    const escaped = escapeText(text, replacements);
    if (replacements.isReplaced || text.length > 2 * json.length) return false;
    this.text(escaped);
    return true;
  }

  /** Writes an element. @returns false for a character that XML cannot carry */
  #element(bytes: Uint8Array, { open, close }: ElementMarkup, start: number, end: number): boolean {
    this.put(open);
    const { target } = this;
    let to = this.at;
    for (let from = start; from < end; from++) {
      const byte = bytes[from]!;
      const growth = this.#growth[byte]!;
      if (growth === STAYS) target[to++] = byte;
      else if (growth === LEAD) {
        if (bytes[from + 1] === FORBIDDEN_2 && bytes[from + 2]! >= FORBIDDEN_3) return false;
        target[to++] = byte;
      } else {
        if (byte < SPACE && byte !== CR) return false;
        const reference = this.#references[byte]!;
        let index = 0;
        while (index < reference.length) target[to++] = reference[index++]!;
      }
    }
    this.at = to;
    this.put(close);
    return true;
  }
}

function hasEscape(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] === BACKSLASH) return true;
  return false;
}

function textOfValue({ type }: Field, value: JsonValue): string {
  if (type === 'json' || typeof value === 'object') return canonicalJson(value);
  return typeof value === 'number' && type === 'number' ? doubleText(value) : String(value);
}
