// What programs ask a site for: the registers for feed readers and for portals, the pages for search engines. Only what everybody may read is in them.
import { GazetteError, quote } from '../errors.ts';
import { formatsFor } from '../formats/index.ts';
import { isFeedId } from '../register/definition.ts';
import { OFFSET } from '../register/parameters.ts';
import { publicWindow, tierIn } from '../register/tier.ts';
import { type RegisterEntry, REGISTERS_PAGE_SIZE, type RegistersPage } from '../stores/contract/catalogue.ts';
import { IDS_PAGE_SIZE } from '../stores/contract/registers.ts';
import {
  catalog,
  CATALOG_TYPE,
  CATALOGUED_REGISTERS,
  type CataloguedRegister,
} from '../templates/catalogues/catalog.ts';
import { opml } from '../templates/opml.ts';
import { sitemap } from '../templates/sitemap.ts';
import type { WrittenBody } from '../web/representation.ts';
import { offsetIn } from './page-query.ts';
import { siteOf } from './frame.ts';
import type { PageContext, PageOptions, PageRoute, PageServices } from './services.ts';

/** How many positions of a register one sitemap is of; sitemaps may have 50,000 addresses. */
const SITEMAP_POSITIONS = IDS_PAGE_SIZE;

/** How many registers one list for programs has: a catalogue, an OPML document, or an index of sitemaps. */
const REGISTERS_IN_LIST = CATALOGUED_REGISTERS;

/** How many sitemaps an index may name (sitemaps.org). */
const MAX_SITEMAPS = 50_000;

/** The sitemaps with everything but the records of open registers, and the indexes after `/sitemap.xml`. */
const PAGES = 'pages';
const INDEX = 'index';

/** `/catalog.jsonld`, `/opml`, `/robots.txt`, `/sitemap.xml`, `/sitemaps/{name}`. */
export function siteFileRoutes(services: PageServices, options: PageOptions): readonly PageRoute[] {
  const { store, registers } = services;
  const route = (path: string, write: (context: PageContext, name: string) => Promise<WrittenBody>): PageRoute => ({
    path,
    access: 'public',
    documentation: null,
    answer: async (context, { name = '' }) =>
      services.answer(context, { view: null, etag: null, isText: true, write: () => write(context, name) }),
  });
  return [
    route('/opml', async (context) => {
      const offset = offsetIn(context.parameters);
      const { registers: entries, nextOffset } = await registersFrom(store, offset);
      const feeds = entries.map(({ definition: { id, title } }) => ({
        title,
        feed: `${context.api}/feeds/${id}/records/export.atom`,
        page: `${siteOf(context)}/feeds/${id}`,
      }));
      const next = nextOffset === null ? null : `${siteOf(context)}/opml?${OFFSET.name}=${nextOffset}`;
      return textBody(opml(options.service.title, feeds, next), 'text/x-opml; charset=utf-8');
    }),
    route('/catalog.jsonld', async (context) => {
      const offset = offsetIn(context.parameters);
      const { registers: entries, nextOffset } = await registersFrom(store, offset);
      const at = (from: number): string =>
        `${siteOf(context)}/catalog.jsonld${from === 0 ? '' : `?${OFFSET.name}=${from}`}`;
      const next = nextOffset === null ? null : at(nextOffset);
      const parts = offset === 0 && next === null ? null : { self: at(offset), next };
      const place = { page: `${siteOf(context)}/`, service: options.service, parts };
      return textBody(
        catalog(
          place,
          entries.map((entry) => catalogued(context, entry)),
        ),
        CATALOG_TYPE.mediaType,
      );
    }),
    route('/robots.txt', async (context) => {
      const others = Math.max(0, Math.ceil((await store.catalogue.count()) / REGISTERS_IN_LIST) - 1);
      const names = ['sitemap.xml', ...Array.from({ length: others }, (_, at) => `sitemaps/${INDEX}-${at + 2}.xml`)];
      const lines = names.map((name) => `Sitemap: ${siteOf(context)}/${name}\n`);
      return textBody(`User-agent: *\nAllow: /\n${lines.join('')}`, 'text/plain; charset=utf-8');
    }),
    route('/sitemap.xml', (context) => indexOf(context, 1)),
    route('/sitemaps/{name}', async (context, name) => {
      const [, kind, number = '1'] = /^(pages|index)(?:-([2-9]|[1-9]\d{1,6}))?\.xml$/.exec(name) ?? [];
      if (kind === INDEX) return indexOf(context, Number(number));
      const entries = kind === PAGES ? await pagesOf(context, Number(number)) : await recordsOf(context, name);
      return sitemapBody('urlset', entries);
    }),
  ];

  /** A register with its whole files, the feeds of its latest records, and its list, which is in pages. */
  function catalogued(context: PageContext, { definition, lastChange }: RegisterEntry): CataloguedRegister {
    const feed = `${context.api}/feeds/${definition.id}`;
    const wholes = formatsFor(options.wholes.formats, definition).map(({ name, mediaType }) => {
      return { name, mediaType, url: `${feed}/register.${name}`, isWhole: true };
    });
    const feeds = options.formats
      .filter(({ name }) => !wholes.some((whole) => whole.name === name))
      .map(({ name, mediaType }) => ({ name, mediaType, url: `${feed}/records/export.${name}`, isWhole: false }));
    const list = { name: 'json', mediaType: 'application/json', url: `${feed}/records`, isWhole: false };
    return {
      definition,
      lastChange,
      page: `${siteOf(context)}/feeds/${definition.id}`,
      files: [...wholes, ...feeds, list],
    };
  }

  /** The sitemaps of so many registers: their pages in parts, and the records of those that are open. */
  async function indexOf(context: PageContext, number: number): Promise<WrittenBody> {
    const first = (number - 1) * REGISTERS_IN_LIST;
    const { registers: entries } = await registersFrom(store, first);
    if (entries.length === 0 && number > 1) throw nothingThere(context);
    const parts = Math.max(1, Math.ceil(entries.length / REGISTERS_PAGE_SIZE));
    const pages = Array.from({ length: parts }, (_, at) => numbered(PAGES, first / REGISTERS_PAGE_SIZE + at + 1));
    const open = entries.filter(({ definition }) => tierIn(definition, 'public') === 'pro');
    const records = open.flatMap(({ definition, top }) =>
      Array.from({ length: Math.ceil(top / SITEMAP_POSITIONS) }, (_, at) => `${definition.id}.${at + 1}`),
    );
    const names = [...pages, ...records].slice(0, MAX_SITEMAPS);
    return sitemapBody(
      'sitemapindex',
      names.map((name) => `${siteOf(context)}/sitemaps/${name}.xml`),
    );
  }

  /** The pages of the service, those of some registers, and the records that the public sees whole. */
  async function pagesOf(context: PageContext, number: number): Promise<readonly string[]> {
    const site = siteOf(context);
    const addresses = number === 1 ? [`${site}/`, `${site}/guide`] : [];
    const range = { offset: (number - 1) * REGISTERS_PAGE_SIZE, limit: REGISTERS_PAGE_SIZE };
    for (const { definition } of (await store.catalogue.page(range)).registers) {
      addresses.push(`${site}/feeds/${definition.id}`);
      if (tierIn(definition, 'public') === 'pro') continue;
      const { source } = await registers.view(definition.id, context.stamp);
      const latest = await publicWindow(source, services.tiers.window, context.request.signal);
      addresses.push(...latest.map(({ id }) => `${site}/records/${id}`));
    }
    if (addresses.length === 0) throw nothingThere(context);
    return addresses;
  }

  /** The records of an open register at some of its positions. */
  async function recordsOf(context: PageContext, name: string): Promise<readonly string[]> {
    const [, feedId = '', number = ''] = /^([^.]+)\.([1-9]\d{0,8})\.xml$/.exec(name) ?? [];
    const entry = isFeedId(feedId) ? (await registers.view(feedId, context.stamp)).entry : null;
    const lowest = (Number(number) - 1) * SITEMAP_POSITIONS;
    // Nobody learns here how many records a register has that is not open.
    if (entry === null || tierIn(entry.definition, 'public') !== 'pro' || lowest >= entry.top) {
      throw nothingThere(context);
    }
    const below = lowest + SITEMAP_POSITIONS + 1;
    const ids = await store.ids(feedId, { below, limit: SITEMAP_POSITIONS });
    return ids.filter(({ position }) => position > lowest).map(({ id }) => `${siteOf(context)}/records/${id}`);
  }
}

/** The registers of one list, from an offset on. */
async function registersFrom({ catalogue }: PageServices['store'], offset: number): Promise<RegistersPage> {
  const registers: RegisterEntry[] = [];
  let nextOffset: number | null = offset;
  while (nextOffset !== null && nextOffset < offset + REGISTERS_IN_LIST) {
    const page: RegistersPage = await catalogue.page({ offset: nextOffset, limit: REGISTERS_PAGE_SIZE });
    registers.push(...page.registers);
    ({ nextOffset } = page);
  }
  return { registers, nextOffset };
}

/** The name of a part: the first one has no number. */
function numbered(name: string, number: number): string {
  return number === 1 ? name : `${name}-${number}`;
}

function nothingThere(context: PageContext): GazetteError {
  return new GazetteError('not_found', `nothing is served at ${quote(context.path)}`);
}

function sitemapBody(root: 'sitemapindex' | 'urlset', addresses: readonly string[]): WrittenBody {
  return textBody(sitemap(root, addresses), 'application/xml; charset=utf-8');
}

function textBody(text: string, mediaType: string): WrittenBody {
  const body = new TextEncoder().encode(text);
  return { headers: { 'content-type': mediaType, 'content-length': String(body.length) }, body };
}
