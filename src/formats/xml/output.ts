// What the XML writers need of an output beyond text and bytes: escaping where the text is encoded. The driver's own output
// has it; over any other one the text is escaped first.
import type { Output } from '../format.ts';
import type { Escape } from './text.ts';

/** An output that escapes by itself. */
export interface XmlOutput extends Output {
  /** Appends text as markup of XML: escaped, what XML cannot carry replaced. Answers whether something was. */
  escaped(text: string, escape: Escape): boolean;
}

/** An output as the XML writers use it. Asked once for each document, so that no text is written more slowly for it. */
export function toXmlOutput(out: Output | XmlOutput): XmlOutput {
  return 'escaped' in out ? out : new EscapingOutput(out);
}

class EscapingOutput implements XmlOutput {
  readonly #out: Output;

  constructor(out: Output) {
    this.#out = out;
  }

  text(text: string): void {
    this.#out.text(text);
  }

  bytes(bytes: Uint8Array<ArrayBuffer>): void {
    this.#out.bytes(bytes);
  }

  escaped(text: string, escape: Escape): boolean {
    const replacements = { isReplaced: false };
    this.#out.text(escape(text, replacements));
    return replacements.isReplaced;
  }
}
