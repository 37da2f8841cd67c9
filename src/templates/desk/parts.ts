// What the pages of the desk share.
import type { StatedFieldName } from '../../register/fields.ts';
import { OWN_PREFIX } from '../../register/finding/own-filters.ts';
import type { RegisterDefinition } from '../../register/record.ts';
import type { ImportEntry } from '../../stores/contract/imports/log.ts';
import { badge, ownPage, phrase, type SectionPage, type SignInFrame } from '../account/parts.ts';
import { markup, type Markup, NOTHING } from '../markup.ts';
import { shortened } from '../parts/excerpt.ts';
import { ownText } from '../parts/texts.ts';
import { timeOf, type Wording } from '../wording.ts';

/** The entries of the desk's navigation, by their paths. */
const ENTRIES = [
  ['/desk', 'registers'],
  ['/desk/log', 'log'],
] as const;

/** A page of the desk. */
export function deskPage(frame: SignInFrame, page: SectionPage<(typeof ENTRIES)[number][0]>): string {
  const { navigation } = frame.wording.desk;
  return ownPage(frame, {
    ...page,
    label: navigation.label,
    entries: ENTRIES.map(([path, name]) => [path, navigation[name]]),
    signOut: [navigation.signOut, '/desk/sign-out'],
  });
}

/** The path of registers that are to be made. */
export const NEW_REGISTER_PATH = '/desk/new';

/** The path of a register at the desk. */
export function deskRegisterPath(feedId: string): string {
  return `/desk/feeds/${feedId}`;
}

/** The path of an import. */
export function deskImportPath(feedId: string, number: number): string {
  return `${deskRegisterPath(feedId)}/imports/${number}`;
}

/** The path of all that an import changes. */
export function deskChangesPath(feedId: string, number: number): string {
  return `${deskImportPath(feedId, number)}/changes`;
}

/** The path of a record. */
export function deskRecordPath(recordId: string): string {
  return `/desk/records/${recordId}`;
}

/** A record by its id, which may be long. */
export function recordLink(frame: SignInFrame, id: string): Markup {
  return markup`<a href="${frame.at(deskRecordPath(id))}"><span class="long">${shortened(id, 200)}</span></a>`;
}

/** The way back to a register. */
export function registerCrumb(frame: SignInFrame, { id, title, language }: RegisterDefinition): Markup {
  const { wording } = frame;
  return markup`<nav class="crumbs" aria-label="${wording.texts.crumbs}"><ol><li><a href="${frame.at(deskRegisterPath(id))}"><span${ownText(wording, language)}>${shortened(title, 300)}</span></a></li></ol></nav>
`;
}

/** What people call a field, each otherwise: a core field whose name is the label of one of the register's own says that it is the record's. */
export function fieldName(
  { texts, desk }: Wording,
  name: string,
  { fields }: Pick<RegisterDefinition, 'fields'>,
): { readonly text: string; readonly isOwn: boolean } {
  const own = fields.find((field) => OWN_PREFIX + field.name === name);
  if (own !== undefined) return { text: shortened(own.label, 200), isOwn: true };
  if (name.startsWith(OWN_PREFIX)) return { text: shortened(name.slice(OWN_PREFIX.length), 200), isOwn: true };
  const text = Object.hasOwn(texts.core, name) ? texts.core[name as StatedFieldName] : name;
  const isTwice = fields.some(({ label }) => label.trim().toLowerCase() === text.toLowerCase());
  return { text: isTwice ? desk.records.ofRecord.replace('{field}', text) : text, isOwn: false };
}

/** The same, with the language that it is in. */
export function fieldLabel(
  wording: Wording,
  name: string,
  definition: Pick<RegisterDefinition, 'fields' | 'language'>,
): Markup {
  const { text, isOwn } = fieldName(wording, name, definition);
  return isOwn ? markup`<span${ownText(wording, definition.language)}>${text}</span>` : markup`${text}`;
}

/** The languages that a register's records can be in, as a choice; the first is none. @param language the one that it has */
export function languageChoices(
  { language: reader, desk }: Wording,
  language: string | null,
): readonly (readonly [string, string])[] {
  const names = new Intl.DisplayNames([reader], { type: 'language' });
  const tags = language === null || LANGUAGES.includes(language) ? LANGUAGES : [language, ...LANGUAGES];
  const known = tags
    .map((tag) => [tag, names.of(tag) ?? tag] as const)
    .sort(([, one], [, other]) => one.localeCompare(other, reader));
  return [['', desk.making.form.unknownLanguage], ...known];
}

/** Languages in which registers are kept. */
const LANGUAGES = ['bg', 'cs', 'da', 'de', 'de-AT', 'de-CH', 'el', 'en', 'es', 'et', 'fi', 'fr', 'ga', 'hr', 'hu', 'it', 'lt', 'lv', 'mt', 'nl', 'no', 'pl', 'pt', 'ro', 'ru', 'sk', 'sl', 'sv', 'tr', 'uk']; // prettier-ignore

/** A language by its name. */
export function languageName(wording: Wording, language: string | null): string {
  return languageChoices(wording, language).find(([tag]) => tag === (language ?? ''))![1];
}

/** One, or more. */
export function countOf(wording: Wording, [one, more]: readonly [string, string], count: number): string {
  return count === 1 ? one : more.replace('{count}', wording.number(count));
}

/** An import in a list: what it was of, what it did or would do, when, and by whom. @param outdated the numbers of those that wait in vain */
export function importRow(
  frame: SignInFrame,
  feedId: string,
  entry: ImportEntry,
  outdated: ReadonlySet<number>,
): Markup {
  const { wording } = frame;
  const { number, kind, undoes, file, who, begunAt, state, counts } = entry;
  const texts = wording.desk.overview;
  const done = (Object.keys(texts.counts) as (keyof typeof texts.counts)[])
    .filter((name) => counts[name] > 0)
    .map((name) => texts.counts[name].replace('{count}', wording.number(counts[name])));
  const name = markup`<span class="long">${file}</span>`;
  const what = kind === 'file' ? name : phrase(texts.kinds[kind], { undoes: String(undoes), file: name });
  const says = kind === 'settings' ? '' : `: ${done.length === 0 ? texts.nothing : done.join(', ')}`;
  const numbered = phrase(texts.number, { number: String(number) });
  const by = who === null ? NOTHING : markup` <span aria-hidden="true">·</span> ${who}`;
  return markup`<li><p><a href="${frame.at(deskImportPath(feedId, number))}">${what}</a>${says}${
    state === 'completed'
      ? NOTHING
      : markup` ${badge(texts.states[outdated.has(number) ? 'outdated' : state], state === 'failed' ? 'bad' : 'idle')}`
  }</p>
<p class="quiet">${timeOf(wording, begunAt)} <span aria-hidden="true">·</span> ${numbered}${by}</p></li>
`;
}
