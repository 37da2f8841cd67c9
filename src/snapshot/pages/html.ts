// The HTML pages, by the templates of the service. A page shows as many records as fit into it, in as few words as it takes; what the
// newest page has no room for is on the last closed page.
import { fileUrl, type PageContent, definitionInTier, urlOf } from '../../archive/content.ts';
import {
  CHANGES_FILE,
  closedPage,
  closedPages,
  HEAD_NAME,
  MANIFEST_FILE,
  type PageName,
  VERIFY_FILE,
  VIEW_TYPES,
} from '../../archive/layout.ts';
import { atom } from '../../formats/feeds/atom.ts';
import { rss } from '../../formats/feeds/rss.ts';
import type { Format } from '../../formats/format.ts';
import { tierIn } from '../../register/tier.ts';
import { homePage } from '../../templates/home-page.ts';
import type { Frame, HeadLink } from '../../templates/layout.ts';
import { chart } from '../../templates/parts/chart.ts';
import { shortened } from '../../templates/parts/excerpt.ts';
import type { Density } from '../../templates/parts/records-table.ts';
import { datasetOf } from '../../templates/catalogues/structured-data.ts';
import { registerPage, type WrittenRegisterPage } from '../../templates/register-page.ts';
import { changesTitle, type SnapshotRegister } from './content.ts';
import { pageParameters, snapshotFrame } from './frame.ts';
import { listSearch, registerSearch, type SearchedRegister } from './search.ts';

/** The forms of a list, from the one that says the most. */
const DENSITIES: readonly Density[] = ['columns', 'facts', 'titles'];

/** A page of records. */
export function pageHtml(register: SnapshotRegister, content: PageContent): WrittenRegisterPage {
  const { place, records } = content;
  const count = closedPages(place.to);
  const last = place.isClosed || count === 0 ? null : closedPage(count);
  // The newest page repeats the records of the last closed page: those may be left out.
  const needed = last === null ? records : records.filter(({ position }) => position! > last.to);
  let written = write(register, content, DENSITIES[0]!, place.previous);
  for (const [at, density] of DENSITIES.entries()) {
    if (at > 0) written = write(register, content, density, place.previous);
    if (written.shown === records.length) return written;
    if (written.shown >= needed.length && last !== null) return write(register, content, density, last.name);
  }
  return written;
}

function write(
  register: SnapshotRegister,
  content: PageContent,
  density: Density,
  next: PageName | null,
): WrittenRegisterPage {
  const { definition, baseUrl, tier, url, total, endings } = register;
  const { place, records, lastChange } = content;
  const { language } = definition;
  const root = '../'.repeat(place.name.split('/').length);
  const plain = snapshotFrame({ baseUrl, language, root, name: place.name });
  // Nothing in the address changes with a checkpoint.
  const record = (id: string): string =>
    `${root}${VERIFY_FILE}?${new URLSearchParams({ page: place.name, record: id }).toString()}`;
  const frame = register.isProved ? { ...plain, addresses: { ...plain.addresses, record } } : plain;
  const search = place.isClosed ? null : registerSearch(frame, register, root);
  return registerPage(search === null ? frame : { ...frame, search }, {
    definition,
    records,
    density,
    // A closed page says nothing that changes with other pages.
    ...(place.isClosed ? { total: null, lastChange: null } : { total, lastChange }),
    window: tierIn(definition, tier) === 'public' ? 'previews' : null,
    filter: {},
    isFirst: !place.isClosed,
    next: next === null ? null : pageParameters(next),
    facets: null,
    form: null,
    chart: place.isClosed ? null : chart(frame.wording, register.months, lastChange),
    formats: endings
      .filter((ending) => ending !== 'html')
      .map((ending) => ({ name: ending, mediaType: register.mediaTypes[ending]! })),
    ...(place.isClosed ? {} : { wholes: register.wholes }),
    feeds: feedsOf(register, root),
    url: `${url}/${HEAD_NAME}.html`,
    keysUrl: null,
    data: place.isClosed ? null : () => dataOf(register, content, frame),
  });
}

/** A register as a data set: its newest page has the files, and where there are more pages, the manifest names them. */
function dataOf(register: SnapshotRegister, { place, lastChange }: PageContent, frame: Frame): object {
  const { latest } = frame.wording.texts.register;
  const files = register.endings
    .filter((ending) => ending !== 'html')
    .map((ending) => ({ mediaType: register.mediaTypes[ending]!, url: fileUrl(register, HEAD_NAME, ending) }));
  const manifest = { mediaType: VIEW_TYPES.json, url: urlOf(register, MANIFEST_FILE), name: MANIFEST_FILE };
  return datasetOf(
    { definition: definitionInTier(register), lastChange },
    {
      url: fileUrl(register, HEAD_NAME, 'html'),
      service: frame.service,
      files: place.previous === null ? files : [...files.map((file) => ({ ...file, name: latest })), manifest],
    },
  );
}

/** How much of a register's title tells its feeds apart, in bytes. */
const FEED_TITLE_BYTES = 200;

/** The feeds of a register: the newest records, also on closed pages, and the corrections. */
function feedsOf({ definition }: SnapshotRegister, root: string): readonly HeadLink[] {
  const { id } = definition;
  const title = shortened(definition.title, FEED_TITLE_BYTES);
  const feed = ({ mediaType }: Format, name: string, feedTitle: string): HeadLink => {
    const type = mediaType.split(';')[0]!;
    return { rel: 'alternate', type, href: `${root}${id}/${name}`, title: feedTitle };
  };
  return [
    feed(atom, `${HEAD_NAME}.${atom.extension}`, `${title} (Atom)`),
    feed(rss, `${HEAD_NAME}.${rss.extension}`, `${title} (RSS)`),
    feed(atom, CHANGES_FILE, changesTitle({ title })),
  ];
}

/** How many registers one page of the list has. */
const REGISTERS_ON_PAGE = 50;

/** The list of registers, in pages, by the names of their files without extensions. */
export function listsOf<Register>(
  registers: readonly Register[],
): readonly { readonly name: PageName; readonly shown: readonly Register[] }[] {
  return Array.from({ length: Math.max(1, Math.ceil(registers.length / REGISTERS_ON_PAGE)) }, (_, at) => ({
    name: at === 0 ? HEAD_NAME : `${HEAD_NAME}-${at + 1}`,
    shown: registers.slice(at * REGISTERS_ON_PAGE, (at + 1) * REGISTERS_ON_PAGE),
  }));
}

/** The frame of pages about registers, in their language. */
export function listFrame(baseUrl: string, registers: readonly SearchedRegister[]): Frame {
  const languages = new Set(registers.map(({ definition }) => definition.language));
  const language = languages.size === 1 ? [...languages][0]! : null;
  return snapshotFrame({ baseUrl, language, root: '', name: HEAD_NAME });
}

/** The same as documents, by the names of their files. @param isSigned whether there is a page that checks what is signed */
export function registersHtml(
  baseUrl: string,
  registers: readonly SearchedRegister[],
  isSigned: boolean,
): Readonly<Record<string, string>> {
  const frame = listFrame(baseUrl, registers);
  const lists = listsOf(registers);
  const parametersOf = (list: (typeof lists)[number] | undefined): URLSearchParams | null =>
    list === undefined ? null : pageParameters(list.name);
  return Object.fromEntries(
    lists.map(({ name, shown }, at) => {
      const search = listSearch(frame, shown, { url: `${baseUrl}/${name}.html`, isOnly: lists.length === 1 });
      const page = homePage(search === null ? frame : { ...frame, search }, {
        registers: shown,
        ...{ hasSearch: false, found: null, window: null },
        ...(isSigned ? { verify: VERIFY_FILE } : {}),
        before: parametersOf(lists[at - 1]),
        after: parametersOf(lists[at + 1]),
      });
      return [`${name}.html`, page];
    }),
  );
}
