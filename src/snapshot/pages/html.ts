// The HTML pages, by the templates of the service. A page shows as many records as fit into it, in as few words as it takes; what the
// newest page has no room for is on the last closed page.
import { atom } from '../../formats/feeds/atom.ts';
import { rss } from '../../formats/feeds/rss.ts';
import type { Format } from '../../formats/format.ts';
import { tierIn } from '../../register/tier.ts';
import { homePage, type ListedRegister } from '../../templates/home-page.ts';
import type { HeadLink } from '../../templates/layout.ts';
import { shortened } from '../../templates/parts/excerpt.ts';
import type { Density } from '../../templates/parts/records-list.ts';
import { registerPage, type WrittenRegisterPage } from '../../templates/register-page.ts';
import { changesTitle, type PageContent, type SnapshotRegister } from './content.ts';
import { pageParameters, snapshotFrame } from './frame.ts';
import { CHANGES_FILE, closedPage, closedPages, HEAD_NAME, type PageName } from './layout.ts';

/** The forms of a list, from the one that says the most. */
const DENSITIES: readonly Density[] = ['facts', 'sources', 'titles'];

/** So many records have room for their summaries. */
const FEW_RECORDS = 25;

/** A page of records. */
export function pageHtml(register: SnapshotRegister, content: PageContent): WrittenRegisterPage {
  const { place, records } = content;
  const count = closedPages(place.to);
  const last = place.isClosed || count === 0 ? null : closedPage(count);
  // The newest page repeats the records of the last closed page: those may be left out.
  const needed = last === null ? records : records.filter(({ position }) => position! > last.to);
  const densities: readonly Density[] = records.length <= FEW_RECORDS ? ['summaries', ...DENSITIES] : DENSITIES;
  let written = write(register, content, densities[0]!, place.previous);
  for (const [at, density] of densities.entries()) {
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
  const frame = snapshotFrame({ baseUrl, language, root, name: place.name });
  return registerPage(frame, {
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
    months: null,
    formats: endings
      .filter((ending) => ending !== 'html')
      .map((ending) => ({ name: ending, mediaType: 'application/octet-stream' })),
    feeds: feedsOf(register, root),
    url: `${url}/${HEAD_NAME}.html`,
    keysUrl: null,
    data: null,
  });
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

/** The list of registers at the root. */
export function registersHtml(baseUrl: string, registers: readonly ListedRegister[]): string {
  const languages = new Set(registers.map(({ definition }) => definition.language));
  const language = languages.size === 1 ? [...languages][0]! : null;
  const frame = snapshotFrame({ baseUrl, language, root: '', name: HEAD_NAME });
  return homePage(frame, { registers, hasSearch: false, found: null, window: null });
}
