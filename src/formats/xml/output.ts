// What the XML writers need of an output beyond text and bytes: escaping during encoding. The driver's own output can
// do it; for any other output the text is escaped first.
import type { Output } from '../format.ts';
import type { Escape } from './text.ts';

/** An output that escapes text itself. */
export interface XmlOutput extends Output {
  /**
   * Appends text as XML markup: escaped, with characters that XML cannot carry replaced. Returns whether any was
   * replaced.
   */
  escaped(text: string, escape: Escape): boolean;
}

/**
 * An output as the XML writers use it. Called once for each document, so that it does not slow down the writing of
 * texts.
 */
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
