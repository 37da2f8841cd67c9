// Answers that were found before, by the revision of the register they were read from: agents ask for the top of a
// register again and again, and nothing in it has changed.
import type { JsonObject } from './protocol.ts';
import type { RegisterView } from '../views/registers.ts';

/** How many are kept: each is shorter than the budget. */
const MAX_ANSWERS = 200;

/** Keeps what was asked for last. */
export class Answers {
  readonly #kept = new Map<string, JsonObject>();

  /**
   * The answer to a question about a register as it is now.
   *
   * @param question a plain value that tells it from all others about this register, the tier and the address included
   */
  async to(
    { entry, source, revision }: RegisterView,
    question: unknown,
    find: () => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const key = JSON.stringify([entry.definition.id, revision, question]);
    const known = this.#kept.get(key);
    if (known !== undefined) {
      this.#keep(key, known);
      return known;
    }
    const answer = await find();
    // Written to meanwhile: it may be newer than the revision it would be kept under.
    if ((await source.revision!()) === revision) this.#keep(key, answer);
    return answer;
  }

  #keep(key: string, answer: JsonObject): void {
    this.#kept.delete(key);
    this.#kept.set(key, answer);
    if (this.#kept.size > MAX_ANSWERS) this.#kept.delete(this.#kept.keys().next().value!);
  }
}
