// Characters that a reader does not see, and those that change the direction of text: words may hide in them that only a
// model reads, or that a terminal shows in another order. Messages and the agents' answers write them as escapes.

/**
 * Unicode's default ignorable characters (tags, zero widths, variation selectors, fillers) and bidirectional controls
 * (UAX #9), the controls that JSON does not escape, line and paragraph separators, the blank Braille pattern, and
 * interlinear annotations.
 */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u007f-\u009f\u2028\u2029\u2800\ufff9-\ufffb]/gu;

/** Those that JSON escapes by itself. */
const CONTROLS = /\p{Cc}/gu;

/** A text with every such character as `\uXXXX`; of JSON, the same JSON. @example escapeInvisible('"a\u200bb"') // '"a\\u200bb"' */
export function escapeInvisible(text: string): string {
  return text.replace(INVISIBLE, (character) => {
    let escaped = '';
    for (let unit = 0; unit < character.length; unit++) {
      escaped += `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`;
    }
    return escaped;
  });
}

/** A text with every such character, and every control, as an escape of its code point in the quotes `$'…'` of a shell. */
export function escapeInvisibleForShell(text: string): string {
  const escape = (character: string): string => `\\U${character.codePointAt(0)!.toString(16).padStart(8, '0')}`;
  return text.replace(INVISIBLE, escape).replace(CONTROLS, escape);
}
