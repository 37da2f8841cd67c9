// Texts that are too long for a cell: how they are cut, and how a reader sees that one was.
import { MAX_TEXT_LENGTH } from './limits.ts';

/** The end of a text that was cut. */
const CUT_MARK = ' […]';

/**
 * A text within the limit of a cell: a longer one is cut, never inside a surrogate pair, and gets a mark at its end.
 */
export function cutText(text: string): string {
  if (text.length <= MAX_TEXT_LENGTH) return text;
  let end = MAX_TEXT_LENGTH - CUT_MARK.length;
  if (isHighSurrogate(text.charCodeAt(end - 1)) && isLowSurrogate(text.charCodeAt(end))) end--;
  return text.slice(0, end) + CUT_MARK;
}

/** Whether a cell's text has the length and the end that {@link cutText} gives. */
export function isCutText(text: string): boolean {
  return (text.length === MAX_TEXT_LENGTH || text.length === MAX_TEXT_LENGTH - 1) && text.endsWith(CUT_MARK);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
