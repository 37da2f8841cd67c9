// What keeps a walk from going on for ever: texts that were met before, and the error for a service that repeats itself.
import { GazetteError } from '../errors.ts';
import { where } from './requester.ts';

/** How many pages in a row may hold nothing new: what is added meanwhile moves the others down. */
export const MAX_REPEATED = 2;

/** How many characters are remembered: ids, or addresses, of some hundred pages at least. */
const MAX_REMEMBERED = 4_000_000;

/** The error for a service that ignores where a page is to begin, and answers the same again and again. */
export function repeats(address: URL): GazetteError {
  return new GazetteError('invalid_answer', `${where(address)} answers again what it answered before`);
}

/** The latest texts that were met, as many as there is room for. */
export class Remembered {
  readonly #texts = new Set<string>();
  #characters = 0;

  has(text: string): boolean {
    return this.#texts.has(text);
  }

  add(text: string): void {
    if (this.#texts.has(text)) return;
    this.#texts.add(text);
    this.#characters += text.length;
    for (const oldest of this.#texts) {
      if (this.#characters <= MAX_REMEMBERED) break;
      this.#texts.delete(oldest);
      this.#characters -= oldest.length;
    }
  }
}
