// Publishers' texts in pages: with their own language, and isolated, so that no character of theirs changes the direction of what stands
// beside them (Unicode TR9).
import { markup, type Markup, NOTHING } from '../markup.ts';
import type { Wording } from '../wording.ts';

/**
 * The attributes of an element with a publisher's text: its language where that is another one than the page's, and the direction that
 * its letters have.
 */
export function ownText(wording: Wording, language: string | null): Markup {
  return markup`${languageOf(wording, language)} dir="auto"`;
}

/** The attribute `lang` of a text in a register's language. It is not known without one, and then nothing says so wrongly. */
export function languageOf({ language: shown }: Wording, language: string | null): Markup {
  const tag = language !== null && WELL_FORMED.test(language) ? language : '';
  return tag === shown ? NOTHING : markup` lang="${tag}"`;
}

/** What screen readers take for a language (RFC 5646 2.1, roughly). */
const WELL_FORMED = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/;
