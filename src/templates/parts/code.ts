// Code in texts for people: it has no language of people, and is read from left to right.
import { type Content, markup, type Markup } from '../markup.ts';

/** A text with its `code` and what stands for `{name}`. */
export function inline(text: string, values: Readonly<Record<string, Content>> = {}): readonly Content[] {
  return text.split(/(`[^`]*`|\{[a-z]+\})/).map((part) => {
    if (part.startsWith('`')) return code(part.slice(1, -1));
    return part.startsWith('{') ? (values[part.slice(1, -1)] ?? part) : part;
  });
}

/** The same as a paragraph. */
export function paragraph(text: string, values?: Readonly<Record<string, Content>>): Markup {
  return markup`<p>${inline(text, values)}</p>\n`;
}

/** Code within a line. */
export function code(text: string): Markup {
  return markup`<code class="long" lang="" dir="ltr">${text}</code>`;
}

/** Lines of code. Wide code is scrolled, also with the keyboard. */
export function block(text: string): Markup {
  return markup`<pre tabindex="0" lang="" dir="ltr"><code>${text.trimEnd()}</code></pre>\n`;
}
