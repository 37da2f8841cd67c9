// Cached answers by the revision of the register they were read from: agents often ask for the top of a register that
// has not changed.
import type { JsonObject } from './protocol.ts';
import type { RegisterView } from '../views/registers.ts';

/** How many answers are kept: each is shorter than the budget. */
const MAX_ANSWERS = 200;

/** Keeps the most recently requested answers. */
export class Answers {
  readonly #kept = new Map<string, JsonObject>();

  /**
   * The answer to a question about the current state of a register.
   *
   * @param question a plain value that distinguishes it from all others about this register, including the tier and the
   *   address
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
    // The register changed meanwhile: the answer may be newer than the revision.
    if ((await source.revision!()) === revision) this.#keep(key, answer);
    return answer;
  }

  #keep(key: string, answer: JsonObject): void {
    this.#kept.delete(key);
    this.#kept.set(key, answer);
    if (this.#kept.size > MAX_ANSWERS) this.#kept.delete(this.#kept.keys().next().value!);
  }
}
