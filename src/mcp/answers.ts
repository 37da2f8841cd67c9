// Cached answers by the revision of the register they were read from: agents often ask for the top of a register that
// has not changed. Also as they are written: encoding an answer takes longer than the rest of a call.
import { escapeInvisible } from '../invisible.ts';
import { Shared } from '../shared.ts';
import { linksIn } from './resources.ts';
import { hasTable, textOf } from './tools/table.ts';
import type { JsonObject } from './protocol.ts';
import type { RegisterView } from '../views/registers.ts';

const encoder = new TextEncoder();

/** How many answers are kept: each is shorter than the budget. */
const MAX_ANSWERS = 200;

/** Keeps the most recently requested answers. */
export class Answers {
  readonly #kept = new Shared<string, JsonObject, RegisterView>({ capacity: MAX_ANSWERS });

  /**
   * The answer to a question about the current state of a register.
   *
   * @param question a plain value that distinguishes it from all others about this register, including the tier and the
   *   address
   */
  async to(view: RegisterView, question: unknown, find: () => Promise<JsonObject>): Promise<JsonObject> {
    const key = JSON.stringify([view.entry.definition.id, question]);
    const known = this.#kept.get(key, view);
    if (known !== undefined) return known;
    const answer = await find();
    // The register changed meanwhile: the answer may be newer than the revision.
    if ((await view.source.revision!()) === view.revision) this.#kept.keep(key, view, answer);
    return answer;
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
      const text = JSON.stringify(hasTable(structured) ? textOf(structured) : escapeInvisible(json));
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
