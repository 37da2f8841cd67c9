// What the search of a folder of files says in German.
import { markup } from '../../markup.ts';
import type { FolderTexts } from './en.ts';

/** The texts. */
export const deFolder: FolderTexts = {
  where: (address) => markup`Suchen können Sie hier: ${address}, mit einem Browser, der Skripte ausführt.`,
  searchListed: 'Die Register auf dieser Seite durchsuchen',
  hint: 'Wörter, die alle vorkommen müssen, auch in anderen Formen. „In Anführungszeichen“ für eine Wortfolge.',
  order: 'Reihenfolge',
  best: 'Beste Treffer zuerst',
  newest: 'Zuletzt veröffentlichte zuerst',
  any: 'alle',
  found: { none: 'Kein Eintrag passt.', one: '1 Eintrag', many: '{n} Einträge' },
  failed: 'Die Suche ist gerade nicht möglich. Laden Sie die Seite neu.',
  previous: 'Vorherige Treffer',
  next: 'Weitere Treffer',
};
