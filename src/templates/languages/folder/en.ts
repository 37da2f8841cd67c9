// What the search of a folder of files says in English.
import { markup, type Markup } from '../../markup.ts';

/** The texts, of which the script of the search writes some. */
export const enFolder = {
  where: (address: Markup): Markup => markup`You can search here: ${address}, in a browser that runs scripts.`,
  searchListed: 'Search the registers on this page',
  hint: 'Words that must all be there; other forms of them are found, too. “In quotes” for a phrase.',
  order: 'Order',
  best: 'Best matches first',
  newest: 'Newest publication first',
  any: 'any',
  found: { none: 'No record matches.', one: '1 record', many: '{n} records' },
  failed: 'The search does not work at the moment. Load the page again.',
  previous: 'Previous results',
  next: 'More results',
};

/** The same in any language. */
export type FolderTexts = typeof enFolder;
