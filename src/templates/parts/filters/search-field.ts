// The field in which somebody searches, with its button, and what is wrong with the words that were asked for.
import { markup, type Markup, NOTHING } from '../../markup.ts';
import type { Wording } from '../../wording.ts';

/** Words that nothing can be searched by. */
export interface RefusedWords {
  /** As they were asked for. */
  readonly text: string;
  /** There is no word among them, or there are too many. */
  readonly fault: 'none' | 'many';
}

/** The parts of the field. @param given the words that are searched for; `refused`: those that could not be, or null */
export function searchField(
  { texts }: Wording,
  given: { readonly label: string; readonly query: string; readonly refused: RefusedWords | null },
): Markup {
  const { label, query, refused } = given;
  const { hint, button, faults } = texts.search;
  const [described, invalid] =
    refused === null ? ['q-hint', NOTHING] : ['q-error q-hint', markup` aria-invalid="true"`];
  return markup`<label for="q">${label}</label>
<p class="hint" id="q-hint">${hint}</p>
${refused === null ? NOTHING : markup`<p class="error" id="q-error">${faults[refused.fault]}</p>\n`}<div class="with-button"><input type="search" id="q" name="q" maxlength="1000" dir="auto" value="${refused?.text ?? query}"${invalid} aria-describedby="${described}">
<button>${button}</button></div>
`;
}
