// Cached answers by the revision of the register they were read from: agents often ask for the top of a register that
// has not changed. Also as they are written: encoding an answer takes longer than the rest of a call.
import { escapeInvisible } from '../invisible.ts';
import { linksIn } from './resources.ts';
import type { JsonObject } from './protocol.ts';
import type { RegisterView } from '../views/registers.ts';

const encoder = new TextEncoder();

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

/** The results of tools as they are sent, as long as somebody keeps them. */
export class WrittenAnswers {
  readonly #written = new WeakMap<JsonObject, Readonly<Record<'text' | 'links' | 'structured', Uint8Array>>>();

  /** A result without its end. @param hasLinks whether the client knows links to resources in the content of results */
  parts(structured: JsonObject, hasLinks: boolean): readonly Uint8Array[] {
    let parts = this.#written.get(structured);
    if (parts === undefined) {
      const json = JSON.stringify(structured);
      const text = JSON.stringify(escapeInvisible(json));
      const links = linksIn(structured).map((link) => `,${JSON.stringify(link)}`);
      parts = {
        text: encoder.encode(`{"content":[{"type":"text","text":${text}}`),
        links: encoder.encode(links.join('')),
        structured: encoder.encode(`],"structuredContent":${json},"isError":false`),
      };
      this.#written.set(structured, parts);
    }
    return [parts.text, ...(hasLinks ? [parts.links] : []), parts.structured];
  }
}
