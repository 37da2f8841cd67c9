// `/feeds/{feed_id}`: a register and its records, as far as the reader's tier lists them.
import { pageParameters } from '../register/query.ts';
import { facetNames, type Facets } from '../register/finding/facets.ts';
import { filterEntries } from '../register/finding/filter.ts';
import type { Page, PageQuery } from '../register/page.ts';
import { countedFacets, facetsOfSource } from '../register/sources/facets.ts';
import { readPage, type RegisterSource } from '../register/sources/source.ts';
import { PUBLIC_WINDOW, type Tier, tierSource } from '../register/tier.ts';
import { registerPage, type WrittenRegisterPage } from '../templates/register-page.ts';
import type { Frame } from '../templates/layout.ts';
import { filterForm, type FilterForm, type FilterFormOptions } from '../templates/parts/filter-form.ts';
import type { RegisterView } from '../views/registers.ts';
import { askedRecords, RECORDS_ON_PAGE } from './asked-records.ts';
import { frameOf, frameShape, pageBody, siteOf } from './frame.ts';
import { RegisterMonths } from './months.ts';
import type { PageOptions, PageRoute, PageServices } from './services.ts';
import { datasetOf } from './structured-data.ts';

/** A longer question, in characters, is not repeated in the links to formats and languages: pages have a size to keep to. */
const MAX_REPEATED = 1000;

/** `/feeds/{feed_id}`. */
export function registerRoute(services: PageServices, options: PageOptions): PageRoute {
  const facets = new RegisterFacets(services);
  const forms = new FilterForms();
  const months = new RegisterMonths();
  return {
    path: '/feeds/{feed_id}',
    access: 'public',
    documentation: null,
    async answer(context, { feed_id: feedId }) {
      const view = await services.registers.view(feedId!, context.stamp);
      const { definition, total, lastChange } = view.entry;
      const { query: given, refused } = askedRecords(context.parameters);
      const query = services.asked(view, given);
      const tier = services.tierOf(context, view);
      const source = tierSource(view.source, tier, services.tiers);
      const parameters = parametersOf(query);
      const isLong = parameters.toString().length > MAX_REPEATED;
      const frame = frameOf(context, options, {
        registerLanguage: definition.language,
        parameters: isLong ? null : parameters,
      });
      const isFirst = query.offset === 0 && query.asOf === undefined;
      // Of the few records that the public sees of others a chart would say nothing.
      const ofMonths = tier === 'pro' && isFirst && query.filter === undefined ? await months.of(view) : null;
      const counted = await facets.counted(view, tier);
      const url = `${siteOf(context)}/feeds/${definition.id}`;
      return services.answer(context, {
        view,
        etag: services.tagOf(context, view, 'page', [
          ...frameShape(frame),
          query,
          refused,
          ofMonths?.change,
          counted !== null,
        ]),
        isText: true,
        mayNotExist: query.asOf !== undefined,
        async write() {
          const { signal } = context.request;
          const known = counted ?? (await facets.of(view, tier));
          const filter = query.filter ?? {};
          const write = (page: Page): WrittenRegisterPage & { readonly next: URL | null } => {
            const next = nextOf(query, page);
            const { window = PUBLIC_WINDOW } = services.tiers;
            const written = registerPage(frame, {
              ...{ definition, total, lastChange, url, months: ofMonths, facets: known, filter },
              window: tier === 'pro' ? null : window,
              refused,
              form: forms.of(frame, { definition, filter, refused }, known),
              records: page.records,
              isFirst,
              next,
              formats: isLong ? [] : options.formats,
              keysUrl: options.service.keysUrl,
              data: datasetOf(view.entry, { ...options, url, api: context.api, isOpen: definition.access === 'open' }),
            });
            return { ...written, next: next === null ? null : new URL(`${url}?${next.toString()}`) };
          };
          const page = await readPage(source, { ...query, signal });
          let written = write(page);
          // Long records leave no room for as many as were asked for.
          if (written.shown < page.records.length) {
            written = write(await readPage(source, { ...query, limit: written.shown, signal }));
          }
          return pageBody(written.bytes, { language: frame.wording.language, next: written.next });
        },
      });
    },
  };
}

/** What the address of the same page has in its query. */
function parametersOf(query: PageQuery): URLSearchParams {
  const parameters = pageParameters(query);
  if (query.limit === RECORDS_ON_PAGE) parameters.delete('limit');
  if (query.offset === 0) parameters.delete('offset');
  return parameters;
}

/** The parameters of the page after this one; null: it is the last. */
function nextOf(query: PageQuery, { nextOffset, asOf }: Page): URLSearchParams | null {
  if (nextOffset === null) return null;
  return parametersOf({ ...query, offset: nextOffset, ...(asOf === null ? {} : { asOf }) });
}

/** How many forms are kept for one state of a register: one for each language, and for each mount that it is asked through. */
const MAX_FORMS = 20;

/** The forms of registers. The one that nothing is chosen in is made once for the values that it offers. */
class FilterForms {
  readonly #known = new WeakMap<Facets, Map<string, FilterForm>>();

  of(frame: Frame, asked: Omit<FilterFormOptions, keyof Facets>, facets: Facets): FilterForm {
    const { definition, filter, refused } = asked;
    const make = (): FilterForm => filterForm(frame, { ...asked, ...facets });
    if (refused !== null || filterEntries(filter).length > 0) return make();
    const known = this.#known.get(facets) ?? new Map<string, FilterForm>();
    this.#known.set(facets, known);
    const key = JSON.stringify([frame.wording.language, frame.addresses.register(definition.id)]);
    const form = known.get(key) ?? make();
    if (known.size >= MAX_FORMS) known.clear();
    known.set(key, form);
    return form;
  }
}

/** The values of a register's fields, read once for each revision and tier. */
class RegisterFacets {
  readonly #services: PageServices;
  readonly #counted = new WeakMap<RegisterView, Map<Tier, Facets>>();
  readonly #read = new WeakMap<RegisterView, Map<Tier, Promise<Facets>>>();

  constructor(services: PageServices) {
    this.#services = services;
  }

  /** What the store's counters say; null while they are not complete. */
  async counted(view: RegisterView, tier: Tier): Promise<Facets | null> {
    const known = ofTiers(this.#counted, view);
    const before = known.get(tier);
    if (before !== undefined) return before;
    const counted = await countedFacets(this.#sourceOf(view, tier), facetNames(view.entry.definition.fields));
    if (counted !== null) known.set(tier, counted);
    return counted;
  }

  /** Those of the newest records. */
  of(view: RegisterView, tier: Tier): Promise<Facets> {
    const known = ofTiers(this.#read, view);
    let facets = known.get(tier);
    if (facets === undefined) {
      facets = facetsOfSource(this.#sourceOf(view, tier), facetNames(view.entry.definition.fields));
      known.set(tier, facets);
      // A failure is told to those who wait for it, and the next one asks again.
      facets.catch(() => known.delete(tier));
    }
    return facets;
  }

  #sourceOf({ source }: RegisterView, tier: Tier): RegisterSource {
    return tierSource(source, tier, this.#services.tiers);
  }
}

/** What is known of a register for each tier. */
function ofTiers<Value>(known: WeakMap<RegisterView, Map<Tier, Value>>, view: RegisterView): Map<Tier, Value> {
  const before = known.get(view);
  if (before !== undefined) return before;
  const values = new Map<Tier, Value>();
  known.set(view, values);
  return values;
}
