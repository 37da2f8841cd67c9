// Characters that a reader does not see, and those that change the direction of text: a record may hide words in them
// that only a model reads. In the text of an answer they are written as JSON escapes, which is the same JSON.

/**
 * Unicode's default ignorable characters (tags, zero widths, variation selectors, fillers) and bidirectional controls
 * (UAX #9), the controls that JSON does not escape, line and paragraph separators, the blank Braille pattern, and
 * interlinear annotations.
 */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u007f-\u009f\u2028\u2029\u2800\ufff9-\ufffb]/gu;

/** JSON with every such character as `\uXXXX`. @example markInvisible('"a\u200bb"') // '"a\\u200bb"' */
export function markInvisible(json: string): string {
  return json.replace(INVISIBLE, (character) => {
    let escaped = '';
    for (let unit = 0; unit < character.length; unit++) {
      escaped += `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`;
    }
    return escaped;
  });
}
