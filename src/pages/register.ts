// `/feeds/{feed_id}`: a register and its records, as far as the reader's tier lists them.
import { PUBLICATION } from '../formats/calendar.ts';
import { formatsFor } from '../formats/index.ts';
import { timeSpan } from '../operate/registers/overdue.ts';
import { pageParameters } from '../register/query.ts';
import type { Facet, Facets } from '../register/finding/facets.ts';
import { filterEntries } from '../register/finding/filter.ts';
import type { Page, PageQuery } from '../register/page.ts';
import { readPage } from '../register/sources/source.ts';
import { PUBLIC_WINDOW } from '../register/tier.ts';
import { EXAMINED_RECORDS } from '../register/page.ts';
import {
  type RegisterPage,
  registerPage,
  type RegisterSurroundings,
  registerSurroundings,
  type WrittenRegisterPage,
} from '../templates/register-page.ts';
import type { Frame } from '../templates/layout.ts';
import { choiceEntries, sortEntries } from '../templates/parts/column-choice.ts';
import type { SortableAs } from '../templates/parts/records-table.ts';
import { filterForm, type FilterForm, type FilterFormOptions, queryOf } from '../templates/parts/filters/form.ts';
import { labelOf } from '../templates/parts/filters/words.ts';
import { datasetOf, type DatasetPlace } from '../templates/catalogues/structured-data.ts';
import { calendarsOf } from '../views/calendars.ts';
import type { Values } from '../views/matches.ts';
import { nearestWords } from '../views/nearest-words.ts';
import { offerFor } from './account/offers.ts';
import { columnsIn, pageQueryOf, RECORDS_ON_PAGE } from './page-query.ts';
import { type FoundValues, RegisterCharts, seenBy } from './found.ts';
import { frameOf, frameShape, LANGUAGE_PARAMETER, pageBody, siteOf } from './frame.ts';
import { SortedRecords, sortingIn } from './sorted.ts';
import type { PageOptions, PageRoute, PageServices } from './services.ts';

/** A longer question, in characters, is not repeated in the links to formats and languages: pages have a size to keep to. */
const MAX_REPEATED = 1000;

/** A longer one is not repeated in the head of each column. */
const MAX_SORTED = 300;

/** `/feeds/{feed_id}`. */
export function registerRoute(services: PageServices, options: PageOptions, values: FoundValues): PageRoute {
  const forms = new FilterForms();
  const charts = new RegisterCharts(services);
  const sorted = new SortedRecords();
  const around = new Surroundings();
  return {
    path: '/feeds/{feed_id}',
    access: 'public',
    documentation: null,
    async answer(context, { feed_id: feedId }) {
      const view = await services.registers.view(feedId!, context.stamp);
      const { definition, total, lastChange } = view.entry;
      const wholes = formatsFor(options.wholes.formats, definition);
      const asked = pageQueryOf(context.parameters, (given) => services.asked(view, given));
      const { refused, faults } = asked;
      const seen = seenBy(services, view, context);
      const { tier, source, kindOf } = seen;
      const columns = columnsIn(context.parameters, definition.fields);
      const sorting = sortingIn(context.parameters, definition);
      // Pages in the order of a column are of no view.
      const { asOf, ...unviewed } = asked.query;
      const query: PageQuery = sorting === null && asOf !== undefined ? asked.query : unviewed;
      const kept = [...choiceEntries(columns), ...sortEntries(sorting)];
      const parametersWith = (asked: PageQuery): URLSearchParams => queryOf([...parametersOf(asked), ...kept]);
      const parameters = parametersWith(query);
      const isLong = parameters.toString().length > MAX_REPEATED;
      const frame = frameOf(context, options, {
        registerLanguage: definition.language,
        parameters: isLong ? null : parameters,
      });
      const isRefused = refused !== null || faults.length > 0;
      const isFirst = query.offset === 0 && query.asOf === undefined;
      // Of the few records that the public sees of others a chart would say nothing.
      const hasChart = tier === 'pro' && isFirst && query.filter === undefined;
      const counted = await values.counted(seen);
      const offer = tier === 'pro' ? null : offerFor(options, context, view);
      const url = `${siteOf(context)}/feeds/${definition.id}`;
      const late = await options.overdue.of(definition);
      const overdue = late === null ? null : { takenAt: late.takenAt, expected: timeSpan(late.everyMs) };
      const shape = [...frameShape(frame), overdue, asked, columns, sorting, counted !== null];
      return services.answer(context, {
        view,
        etag: kindOf === null ? services.tagOf(context, view, 'page', shape) : null,
        isText: true,
        mayNotExist: query.asOf !== undefined,
        async write(signal) {
          const drawn = hasChart ? await charts.of(view, frame.wording) : null;
          const all = counted ?? (await values.of(seen, undefined, signal));
          const found = query.filter === undefined ? all : await values.of(seen, query.filter, signal);
          const filter = query.filter ?? {};
          const isNothing = found.matched === 0 && !found.isAtLeast && filter.q !== undefined;
          const words = isNothing ? await nearestWords(source, String(filter.q), signal) : [];
          const alike: Facet = { field: 'q', values: words.map((value) => ({ value, records: 1 })), more: 0 };
          const filesAt = (name: string, formats: PageOptions['formats']): DatasetPlace['files'] =>
            formats.map(({ name: format, mediaType }) => {
              return { mediaType, url: `${context.api}/feeds/${definition.id}/${name}.${format}` };
            });
          const areTooMany = found.isAtLeast || found.matched > EXAMINED_RECORDS;
          const sortable: SortableAs | null =
            areTooMany || parameters.toString().length > MAX_SORTED || found.matched < 2
              ? null
              : {
                  sorting,
                  addressOf: (by) =>
                    frame.addresses.register(
                      definition.id,
                      queryOf([...filterEntries(filter), ...choiceEntries(columns), ...sortEntries(by)]),
                    ),
                };
          const read = (limit: number): Page | Promise<Page> =>
            sortable === null || sorting === null
              ? readPage(source, { ...query, limit, signal })
              : sorted.page(seen, { ...query, limit, signal }, sorting);
          const write = (page: Page): WrittenRegisterPage & { readonly next: URL | null } => {
            const after = nextOf(query, page);
            const next = after === null ? null : parametersWith(after);
            const { window = PUBLIC_WINDOW } = services.tiers;
            const shown: RegisterPage = {
              ...{ definition, total, lastChange, overdue, url, chart: drawn, filter },
              facets: words.length === 0 ? found : { ...found, facets: [alike, ...found.facets] },
              window: tier === 'pro' ? null : kindOf === null ? window : 'previews',
              offer,
              bought: new Set(page.records.filter((record) => kindOf?.(record) === 'own').map(({ id }) => id)),
              isRefused,
              matched: query.filter === undefined ? null : found,
              form: forms.of(frame, { definition, filter, refused, faults, kept }, { all, found }),
              records: page.records,
              ...{ columns, sortable, areTooMany: areTooMany && !isLong },
              isFirst,
              next,
              formats: isLong ? [] : options.formats,
              wholes: isLong || tier !== 'pro' || isRefused ? [] : wholes.map(({ name }) => name),
              calendars: calendarsOf(definition, context.api).map(({ field: { name, label }, url }) => {
                return {
                  label: name === PUBLICATION.name ? labelOf(frame.wording.texts, name, definition) : label,
                  url,
                };
              }),
              keysUrl: options.service.keysUrl,
              data: () =>
                datasetOf(view.entry, {
                  ...{ url, service: options.service },
                  files: wholes.length > 0 ? filesAt('register', wholes) : filesAt('records/export', options.formats),
                }),
            };
            const written = registerPage(frame, shown, around.of(frame, shown));
            return { ...written, next: next === null ? null : new URL(`${url}?${next.toString()}`) };
          };
          let page = await read(query.limit);
          let written = write(page);
          // Long records leave no room for as many as were asked for; fewer may have other columns, which take more room.
          while (written.shown < page.records.length) {
            page = await read(written.shown);
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

/** The page after this one; null: it is the last. */
function nextOf(query: PageQuery, { nextOffset, asOf }: Page): PageQuery | null {
  return nextOffset === null ? null : { ...query, offset: nextOffset, ...(asOf === null ? {} : { asOf }) };
}

/** How many forms are kept for one state of a register: one for each language, and for each mount that it is asked through. */
const MAX_FORMS = 20;

/** The forms of registers. The one that nothing is chosen in is made once for the values that it offers. */
class FilterForms {
  readonly #known = new WeakMap<Facets, Map<string, FilterForm>>();

  /** @param values those of all records, and those of the records that match */
  of(
    frame: Frame,
    asked: Omit<FilterFormOptions, keyof Facets | 'ranges'>,
    { all, found }: { readonly all: Values; readonly found: Facets },
  ): FilterForm {
    const { definition, filter, refused, faults, kept } = asked;
    const make = (): FilterForm => {
      const fields = all.facets.filter(({ values }) => values.length > 0).map(({ field }) => field);
      return filterForm(frame, {
        ...asked,
        ...found,
        ranges: new Set([...fields, ...(all.hasDates ? ['published_at'] : [])]),
      });
    };
    if (refused !== null || faults.length > 0 || filterEntries(filter).length > 0 || kept.length > 0) return make();
    const known = this.#known.get(all) ?? new Map<string, FilterForm>();
    this.#known.set(all, known);
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
    const { form, filter, isRefused = false, isFirst, offer, overdue, url } = page;
    const make = (): RegisterSurroundings => registerSurroundings(frame, page);
    if (form === null || isRefused || filterEntries(filter).length > 0) return make();
    const known = this.#known.get(form) ?? new Map<string, RegisterSurroundings>();
    this.#known.set(form, known);
    // All else is the same for those who see the same values and the same language below the same address.
    const key = JSON.stringify([url, frame.isSignedIn, frame.desk, isFirst, offer, overdue]);
    const surroundings = known.get(key) ?? make();
    if (known.size >= MAX_FORMS) known.clear();
    known.set(key, surroundings);
    return surroundings;
  }
}
