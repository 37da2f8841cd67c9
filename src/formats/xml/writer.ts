// Writes the markup of records, and counts the records in which a character was replaced.
import type { Output } from '../format.ts';
import type { Report } from '../report.ts';
import { toXmlOutput, type XmlOutput } from './output.ts';
import { type Escape, hasForbidden, type Replacements } from './text.ts';

/**
 * Escaped texts up to this length are joined with the markup around them, except those with a two-byte character, which
 * would make the whole string slow to build and to encode.
 */
const BUILT_IN_UP_TO = 64;
/** Texts up to this length that stay as they are are joined with the markup around them: that saves calls of the encoder. */
const JOINED_UP_TO = 1024;
const TWO_BYTE = /[\u0100-\uffff]/;

/**
 * Writes markup. A sink either writes bytes piece by piece, which is fastest if no piece is needed twice, or passes a
 * string from call to call that each call extends.
 *
 * @example
 * xml.markup(TITLE);
 * xml.escaped(record.title, escapeText);
 * xml.end(record.id);
 * @example
 * const start = xml.append('<title>', record.title, escapeText);
 * xml.text(`${start}</title>`);
 * xml.end(record.id);
 */
export class XmlWriter implements Replacements {
  /** Whether anything was replaced since the last {@link end}. */
  isReplaced = false;
  readonly #out: XmlOutput;
  readonly #report: Report | undefined;

  constructor(out: Output, report: Report | undefined) {
    this.#out = toXmlOutput(out);
    this.#report = report;
  }

  /** Writes markup that was encoded once for all records. At most 64 KiB: larger arrays would be given away. */
  markup(bytes: Uint8Array<ArrayBuffer>): void {
    this.#out.bytes(bytes);
  }

  /** Writes markup, and values that need no escaping. */
  text(text: string): void {
    this.#out.text(text);
  }

  /** Writes a text, escaped. */
  escaped(text: string, escape: Escape): void {
    if (this.#out.escaped(text, escape)) this.isReplaced = true;
  }

  /** Returns the string to continue with: `before` and the escaped text, or nothing if both are already written. */
  append(before: string, text: string, escape: Escape): string {
    if (text.length <= BUILT_IN_UP_TO) {
      if (!escape.unusual.test(text)) return before + text;
      const escaped = escape(text, this);
      if (!TWO_BYTE.test(escaped)) return before + escaped;
    } else if (text.length <= JOINED_UP_TO && !escape.bytes.special.test(text) && !hasForbidden(text)) {
      return before + text;
    }
    this.text(before);
    this.escaped(text, escape);
    return '';
  }

  /** Ends a record, or the head when `recordId` is null. */
  end(recordId: string | null): void {
    if (!this.isReplaced) return;
    this.isReplaced = false;
    this.#report?.add('replaced_characters', recordId);
  }
}
