// The document around the content of every page: head, header, navigation, footer.
import type { Addresses } from './addresses.ts';
import { jsonData, markup, type Markup, NOTHING } from './markup.ts';
import { LANGUAGES, type Wording } from './wording.ts';

/** A link in the head of a page. */
export interface HeadLink {
  readonly rel: 'alternate' | 'canonical' | 'next' | 'prev';
  readonly href: string;
  readonly type?: string;
  readonly title?: string;
  readonly hreflang?: string;
}

/** What the operator says of the service. */
export interface ServiceTexts {
  readonly title: string;
  readonly contact: { readonly email: string } | { readonly url: string } | null;
  readonly termsUrl: string | null;
  readonly licenceUrl: string | null;
}

/** The search of a page of a folder, by a script: no other page runs one. */
export interface FolderSearch {
  readonly markup: Markup;
  readonly src: string;
  /** What the page may load. */
  readonly policy: string;
}

/** What all pages have. */
export interface Frame {
  readonly wording: Wording;
  readonly addresses: Addresses;
  readonly service: ServiceTexts;
  /** Whether somebody signed in asks. */
  readonly isSignedIn: boolean;
  /** The address of the desk, for an editor who is signed in there. */
  readonly desk?: string;
  /** The same page in the languages that there are, by their tags; null: nobody can choose. */
  readonly languages: Readonly<Record<string, string>> | null;
  /** Absent: the page is not of a folder, or of one without a search. */
  readonly search?: FolderSearch;
}

/** A page. */
export interface PageParts {
  /** What it is about; the service's own title is added. Null: the service. */
  readonly title: string | null;
  /** The language of the title, if it is not the page's. Empty: it is not known. */
  readonly titleLanguage?: string;
  readonly description?: string | null;
  readonly links?: readonly HeadLink[];
  /** Structured data (JSON-LD). */
  readonly data?: object | null;
  /** Which entry of the navigation leads here. */
  readonly current?: 'home' | 'guide' | 'reference' | 'account';
  /** Whether search engines are to leave it out. */
  readonly isHidden?: boolean;
  /** Where one chooses a language. Default: {@link languageChoices} */
  readonly languages?: Markup;
  readonly main: Markup;
}

/** A whole document. */
export function layout(frame: Frame, page: PageParts): string {
  const { wording, addresses, service, search } = frame;
  const { language } = wording;
  const { title, description = null, links = [], data = null, isHidden = false, main } = page;
  const document = markup`<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
${search === undefined ? NOTHING : markup`<meta http-equiv="Content-Security-Policy" content="${search.policy}">\n`}<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === null ? '' : `${title} – `}${service.title}</title>
${description === null || description === '' ? NOTHING : markup`<meta name="description" content="${description}">\n`}${
    isHidden ? markup`<meta name="robots" content="noindex">\n` : NOTHING
  }<link rel="stylesheet" href="${addresses.style()}">
<link rel="icon" type="image/svg+xml" href="${addresses.icon()}">
${links.map(headLink)}${search === undefined ? NOTHING : markup`<script src="${search.src}" defer></script>\n`}${
    data === null ? NOTHING : markup`<script type="application/ld+json">${jsonData(data)}</script>\n`
  }</head>
<body>
${siteHeader(frame, page)}
<main id="content" tabindex="-1">
${main}
</main>
${footer(frame, page)}
</body>
</html>
`;
  return document.toString();
}

/** What stands above the content of a page, which has the id `content`. */
export function siteHeader(frame: Frame, page: Pick<PageParts, 'current'>): Markup {
  const { wording, addresses, service } = frame;
  return markup`<a class="skip" href="#content">${wording.texts.skip}</a>
<header class="site"><div class="bar">
<a class="name" href="${addresses.home()}">${service.title}</a>
${navigation(frame, page)}
</div></header>`;
}

function headLink({ rel, href, type, title, hreflang }: HeadLink): Markup {
  return markup`<link rel="${rel}" href="${href}"${attribute('type', type)}${attribute('hreflang', hreflang)}${attribute(
    'title',
    title,
  )}>\n`;
}

/** An attribute with a space before it; nothing without a value. */
export function attribute(name: string, value: string | null | undefined): Markup {
  return value === null || value === undefined ? NOTHING : markup` ${name}="${value}"`;
}

function navigation({ wording, addresses, isSignedIn, desk }: Frame, { current }: Pick<PageParts, 'current'>): Markup {
  const { texts } = wording;
  const entries = [
    { key: 'home', href: addresses.home(), text: texts.registers },
    { key: 'guide', href: addresses.guide(), text: texts.guide },
    { key: 'reference', href: addresses.reference(), text: texts.reference },
    ...(desk === undefined ? [] : [{ key: 'desk', href: desk, text: wording.desk.navigation.label }]),
    ...(desk !== undefined && !isSignedIn
      ? []
      : [{ key: 'account', href: addresses.account(), text: isSignedIn ? texts.account : texts.signIn }]),
  ];
  const items = entries.map(({ key, href, text }) => {
    if (href === null) return NOTHING;
    return markup`<li><a href="${href}"${key === current ? markup` aria-current="page"` : NOTHING}>${text}</a></li>\n`;
  });
  return markup`<nav aria-label="${texts.navigation}"><ul>
${items}</ul></nav>`;
}

function footer(frame: Frame, { languages = languageChoices(frame) }: PageParts): Markup {
  const { wording, addresses, service } = frame;
  const { texts } = wording;
  const { contact, termsUrl, licenceUrl } = service;
  const contactUrl = contact === null ? null : 'url' in contact ? contact.url : `mailto:${contact.email}`;
  const entries: readonly (readonly [string | null, string])[] = [
    [contactUrl, texts.contact],
    [termsUrl, texts.terms],
    [licenceUrl, texts.licence],
    [addresses.opml(), texts.opml],
  ];
  const links = entries.map(([href, text]) =>
    href === null ? NOTHING : markup`<li><a href="${href}">${text}</a></li>\n`,
  );
  return markup`<footer class="site"><div class="bar">
<ul>
${links}</ul>
${languages}</div></footer>`;
}

/** The same page in other languages; nothing where nobody can choose. */
export function languageChoices({ wording, languages }: Frame): Markup {
  if (languages === null) return NOTHING;
  const choices = Object.entries(languages).map(([tag, href]) => {
    const { name } = LANGUAGES[tag]!;
    if (tag === wording.language) return markup`<li><span lang="${tag}" aria-current="true">${name}</span></li>\n`;
    return markup`<li><a lang="${tag}" hreflang="${tag}" href="${href}">${name}</a></li>\n`;
  });
  return markup`<nav aria-label="${wording.texts.languages}"><ul>\n${choices}</ul></nav>\n`;
}
