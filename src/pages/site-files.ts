// What programs ask a site for: the registers for feed readers, the pages for search engines. Only what everybody may read is in them.
import { GazetteError, quote } from '../errors.ts';
import { escapeText } from '../formats/xml/text.ts';
import { isFeedId } from '../register/definition.ts';
import { publicWindow, tierIn } from '../register/tier.ts';
import { IDS_PAGE_SIZE } from '../stores/contract/registers.ts';
import { opml } from '../templates/opml.ts';
import type { WrittenBody } from '../web/representation.ts';
import { siteOf } from './frame.ts';
import type { PageContext, PageOptions, PageRoute, PageServices } from './services.ts';

/** How many positions of a register one sitemap is of; sitemaps may have 50,000 addresses. */
const SITEMAP_POSITIONS = IDS_PAGE_SIZE;

/** The sitemap with everything but the records of open registers. */
const PAGES = 'pages';

/** `/opml`, `/robots.txt`, `/sitemap.xml`, `/sitemaps/{name}`. */
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
      const feeds = (await store.registers()).map(({ definition: { id, title } }) => ({
        title,
        feed: `${context.api}/feeds/${id}/records/export.atom`,
        page: `${siteOf(context)}/feeds/${id}`,
      }));
      return xmlBody(opml(options.service.title, feeds), 'text/x-opml; charset=utf-8');
    }),
    route('/robots.txt', (context) => {
      const text = `User-agent: *\nAllow: /\nSitemap: ${siteOf(context)}/sitemap.xml\n`;
      return Promise.resolve(xmlBody(text, 'text/plain; charset=utf-8'));
    }),
    route('/sitemap.xml', async (context) => {
      const names = (await store.registers())
        .filter(({ definition }) => tierIn(definition, 'public') === 'pro')
        .flatMap(({ definition, top }) =>
          Array.from({ length: Math.ceil(top / SITEMAP_POSITIONS) }, (_, at) => `${definition.id}.${at + 1}`),
        );
      const entries = [PAGES, ...names].map((name) => `${siteOf(context)}/sitemaps/${name}.xml`);
      return sitemap('sitemapindex', 'sitemap', entries);
    }),
    route('/sitemaps/{name}', async (context, name) => {
      const entries = name === `${PAGES}.xml` ? await pagesOf(context) : await recordsOf(context, name);
      return sitemap('urlset', 'url', entries);
    }),
  ];

  /** The pages of the service, the registers, and the records that the public sees whole. */
  async function pagesOf(context: PageContext): Promise<readonly string[]> {
    const site = siteOf(context);
    const addresses = [`${site}/`, `${site}/guide`];
    for (const { definition } of await store.registers()) {
      addresses.push(`${site}/feeds/${definition.id}`);
      if (tierIn(definition, 'public') === 'pro') continue;
      const { source } = await registers.view(definition.id, context.stamp);
      const latest = await publicWindow(source, services.tiers.window, context.request.signal);
      addresses.push(...latest.map(({ id }) => `${site}/records/${id}`));
    }
    return addresses;
  }

  /** The records of an open register at some of its positions. */
  async function recordsOf(context: PageContext, name: string): Promise<readonly string[]> {
    const [, feedId = '', number = ''] = /^([^.]+)\.([1-9]\d{0,8})\.xml$/.exec(name) ?? [];
    const entry = isFeedId(feedId) ? (await registers.view(feedId, context.stamp)).entry : null;
    const lowest = (Number(number) - 1) * SITEMAP_POSITIONS;
    // Nobody learns here how many records a register has that is not open.
    if (entry === null || tierIn(entry.definition, 'public') !== 'pro' || lowest >= entry.top) {
      throw new GazetteError('not_found', `nothing is served at ${quote(context.path)}`);
    }
    const below = lowest + SITEMAP_POSITIONS + 1;
    const ids = await store.ids(feedId, { below, limit: SITEMAP_POSITIONS });
    return ids.filter(({ position }) => position > lowest).map(({ id }) => `${siteOf(context)}/records/${id}`);
  }
}

/** Sitemaps 0.9. */
function sitemap(root: string, element: string, addresses: readonly string[]): WrittenBody {
  const entries = addresses.map((address) => `<${element}><loc>${escapeText(address)}</loc></${element}>\n`);
  return xmlBody(
    `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('')}</${root}>\n`,
    'application/xml; charset=utf-8',
  );
}

function xmlBody(text: string, mediaType: string): WrittenBody {
  const body = new TextEncoder().encode(text);
  return { headers: { 'content-type': mediaType, 'content-length': String(body.length) }, body };
}
