// `/feeds/{feed_id}`: a register and its records, as far as the reader's tier lists them.
import { pageParameters } from '../register/query.ts';
import { facetNames, type Facets } from '../register/finding/facets.ts';
import { filterEntries } from '../register/finding/filter.ts';
import type { Page, PageQuery } from '../register/page.ts';
import { countedFacets, facetsOfSource } from '../register/sources/facets.ts';
import { readPage, type RegisterSource } from '../register/sources/source.ts';
import { PUBLIC_WINDOW, tierIn } from '../register/tier.ts';
import {
  type RegisterPage,
  registerPage,
  type RegisterSurroundings,
  registerSurroundings,
  type WrittenRegisterPage,
} from '../templates/register-page.ts';
import type { Frame } from '../templates/layout.ts';
import type { Markup } from '../templates/markup.ts';
import { chart, MONTHS_ASKED } from '../templates/parts/chart.ts';
import { filterForm, type FilterForm, type FilterFormOptions } from '../templates/parts/filter-form.ts';
import { datasetOf, type DatasetPlace } from '../templates/structured-data.ts';
import type { Wording } from '../templates/wording.ts';
import type { RegisterView } from '../views/registers.ts';
import { seenRegister } from '../views/seen-registers.ts';
import { offerFor } from './account/offers.ts';
import { pageQueryOf, RECORDS_ON_PAGE } from './page-query.ts';
import { frameOf, frameShape, LANGUAGE_PARAMETER, pageBody, siteOf } from './frame.ts';
import type { PageOptions, PageRoute, PageServices } from './services.ts';

/** A longer question, in characters, is not repeated in the links to formats and languages: pages have a size to keep to. */
const MAX_REPEATED = 1000;

/** `/feeds/{feed_id}`. */
export function registerRoute(services: PageServices, options: PageOptions): PageRoute {
  const facets = new RegisterFacets();
  const forms = new FilterForms();
  const charts = new RegisterCharts(services);
  const around = new Surroundings();
  const wholes = options.wholes.formats;
  return {
    path: '/feeds/{feed_id}',
    access: 'public',
    documentation: null,
    async answer(context, { feed_id: feedId }) {
      const view = await services.registers.view(feedId!, context.stamp);
      const { definition, total, lastChange } = view.entry;
      const { query: given, refused } = pageQueryOf(context.parameters);
      const query = services.asked(view, given);
      const { tier, source, kindOf } = seenRegister(services, view, context.access);
      const parameters = parametersOf(query);
      const isLong = parameters.toString().length > MAX_REPEATED;
      const frame = frameOf(context, options, {
        registerLanguage: definition.language,
        parameters: isLong ? null : parameters,
      });
      const isFirst = query.offset === 0 && query.asOf === undefined;
      // Of the few records that the public sees of others a chart would say nothing.
      const hasChart = tier === 'pro' && isFirst && query.filter === undefined;
      const { buyer } = context.access.tier === 'pro' ? {} : context.access;
      // What a buyer sees changes with every purchase.
      const sight = {
        ...{ view, source },
        key: kindOf === null ? tier : `${buyer!.account.id} ${buyer!.account.balance?.charged}`,
      };
      const counted = await facets.counted(sight);
      const offer = tier === 'pro' ? null : offerFor(options, context, view);
      const url = `${siteOf(context)}/feeds/${definition.id}`;
      const shape = [...frameShape(frame), query, refused, counted !== null];
      return services.answer(context, {
        view,
        etag: kindOf === null ? services.tagOf(context, view, 'page', shape) : null,
        isText: true,
        mayNotExist: query.asOf !== undefined,
        async write(signal) {
          const drawn = hasChart ? await charts.of(view, frame.wording) : null;
          const known = counted ?? (await facets.of(sight));
          const filter = query.filter ?? {};
          const filesAt = (name: string, formats: PageOptions['formats']): DatasetPlace['files'] =>
            formats.map(({ name: format, mediaType }) => {
              return { mediaType, url: `${context.api}/feeds/${definition.id}/${name}.${format}` };
            });
          const write = (page: Page): WrittenRegisterPage & { readonly next: URL | null } => {
            const next = nextOf(query, page);
            const { window = PUBLIC_WINDOW } = services.tiers;
            const shown: RegisterPage = {
              ...{ definition, total, lastChange, url, chart: drawn, facets: known, filter },
              window: tier === 'pro' ? null : kindOf === null ? window : 'previews',
              offer,
              bought: new Set(page.records.filter((record) => kindOf?.(record) === 'bought').map(({ id }) => id)),
              refused,
              form: forms.of(frame, { definition, filter, refused }, known),
              records: page.records,
              isFirst,
              next,
              formats: isLong ? [] : options.formats,
              wholes: isLong || tier !== 'pro' || refused !== null ? [] : wholes.map(({ name }) => name),
              keysUrl: options.service.keysUrl,
              data: () =>
                datasetOf(view.entry, {
                  ...{ url, service: options.service },
                  files:
                    tierIn(definition, 'public') === 'pro'
                      ? filesAt('register', wholes)
                      : filesAt('records/export', options.formats),
                }),
            };
            const written = registerPage(frame, shown, around.of(frame, shown));
            return { ...written, next: next === null ? null : new URL(`${url}?${next.toString()}`) };
          };
          let page = await readPage(source, { ...query, signal });
          let written = write(page);
          // Long records leave no room for as many as were asked for, and what is written of fewer may take more around them.
          while (written.shown < page.records.length) {
            page = await readPage(source, { ...query, limit: written.shown, signal });
            written = write(page);
          }
          return pageBody(written.bytes, { language: frame.wording.language, next: written.next });
        },
      });
    },
  };
}

/** `/feeds/{feed_id}/register.{format}`: all of a register, or of a search in it, for those who came by a page. */
export function wholeRegisterRoute({ wholes }: PageOptions): PageRoute {
  return {
    path: '/feeds/{feed_id}/register.{format}',
    access: 'pro',
    isOpenable: true,
    documentation: null,
    answer(context, pathParameters) {
      // A parameter that is not known may be a filter that is misspelt: the file would have too many records.
      const parameters = new URLSearchParams(context.parameters);
      parameters.delete(LANGUAGE_PARAMETER);
      return wholes.answer(context, pathParameters, parameters);
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

/** What stands around the lists of registers, made once for each form that nothing is chosen in. */
class Surroundings {
  readonly #known = new WeakMap<FilterForm, Map<string, RegisterSurroundings>>();

  of(frame: Frame, page: RegisterPage): RegisterSurroundings {
    const { form, filter, refused = null, isFirst, offer, url } = page;
    const make = (): RegisterSurroundings => registerSurroundings(frame, page);
    if (form === null || refused !== null || filterEntries(filter).length > 0) return make();
    const known = this.#known.get(form) ?? new Map<string, RegisterSurroundings>();
    this.#known.set(form, known);
    // All else is the same for those who see the same values and the same language below the same address.
    const key = JSON.stringify([url, frame.isSignedIn, isFirst, offer]);
    const surroundings = known.get(key) ?? make();
    if (known.size >= MAX_FORMS) known.clear();
    known.set(key, surroundings);
    return surroundings;
  }
}

/** What a reader sees of a register. */
interface Sight {
  readonly view: RegisterView;
  readonly source: RegisterSource;
  /** The same for those who see the same. */
  readonly key: string;
}

/** Of how many readers values are kept for one revision: one for each tier, and each buyer. */
const MAX_SIGHTS = 100;

/** The values of a register's fields, read once for each revision and sight. */
class RegisterFacets {
  readonly #counted = new WeakMap<RegisterView, Map<string, Facets>>();
  readonly #read = new WeakMap<RegisterView, Map<string, Promise<Facets>>>();

  /** What the store's counters say; null while they are not complete. */
  async counted({ view, source, key }: Sight): Promise<Facets | null> {
    const known = ofSights(this.#counted, view);
    const before = known.get(key);
    if (before !== undefined) return before;
    const counted = await countedFacets(source, facetNames(view.entry.definition.fields));
    if (counted !== null) known.set(key, counted);
    return counted;
  }

  /** Those of the newest records. */
  of({ view, source, key }: Sight): Promise<Facets> {
    const known = ofSights(this.#read, view);
    let facets = known.get(key);
    if (facets === undefined) {
      facets = facetsOfSource(source, facetNames(view.entry.definition.fields));
      known.set(key, facets);
      // A failure is told to those who wait for it, and the next one asks again.
      facets.catch(() => known.delete(key));
    }
    return facets;
  }
}

/** The charts of registers, made once for each revision and language. */
class RegisterCharts {
  readonly #services: PageServices;
  readonly #made = new WeakMap<RegisterView, Map<string, Promise<Markup>>>();

  constructor(services: PageServices) {
    this.#services = services;
  }

  of(view: RegisterView, wording: Wording): Promise<Markup> {
    const known = ofSights(this.#made, view);
    let made = known.get(wording.language);
    if (made === undefined) {
      made = this.#make(view, wording);
      known.set(wording.language, made);
      // A failure is told to those who wait for it, and the next one asks again.
      made.catch(() => known.delete(wording.language));
    }
    return made;
  }

  async #make({ entry }: RegisterView, wording: Wording): Promise<Markup> {
    const counted = await this.#services.store.values.months(entry.definition.id, { limit: MONTHS_ASKED });
    const months = counted.map(({ value, records }) => ({ month: value, records }));
    return chart(wording, months, entry.lastChange);
  }
}

/** What is known of a register for each sight. */
function ofSights<Value>(known: WeakMap<RegisterView, Map<string, Value>>, view: RegisterView): Map<string, Value> {
  const before = known.get(view);
  if (before !== undefined && before.size < MAX_SIGHTS) return before;
  const values = new Map<string, Value>();
  known.set(view, values);
  return values;
}
