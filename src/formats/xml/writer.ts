// Markup of records, and the count of those in which something had to be replaced.
import type { Output } from '../format.ts';
import type { Report } from '../report.ts';
import { toXmlOutput, type XmlOutput } from './output.ts';
import type { Escape, Replacements } from './text.ts';

/**
 * Escaped texts up to this long are built into the markup around them, but for those with a two-byte character: one makes
 * the whole string it stands in slow to build and to encode.
 */
const BUILT_IN_UP_TO = 64;
const TWO_BYTE = /[\u0100-\uffff]/;

/**
 * Writes markup. A sink either writes it as bytes, piece by piece, which is fastest where no piece is needed twice, or hands
 * a string that is being built from call to call.
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

  /** Markup that was encoded once for all records, at most 64 KiB: more would be given away. */
  markup(bytes: Uint8Array<ArrayBuffer>): void {
    this.#out.bytes(bytes);
  }

  /** Markup, and values that have nothing to escape. */
  text(text: string): void {
    this.#out.text(text);
  }

  /** A text, escaped. */
  escaped(text: string, escape: Escape): void {
    if (this.#out.escaped(text, escape)) this.isReplaced = true;
  }

  /** What is to be built on: `before` and the escaped text, or nothing when both are written already. */
  append(before: string, text: string, escape: Escape): string {
    if (text.length <= BUILT_IN_UP_TO) {
      const escaped = escape(text, this);
      if (!TWO_BYTE.test(escaped)) return before + escaped;
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
