// `/feeds/{feed_id}/figures`: counts, sums, averages and extremes of a register or of a search in it.
import { compileFilter, type Filter } from '../register/finding/filter.ts';
import { checkFigures, DATE_UNITS, figureFields, type FiguresQuestion } from '../register/finding/figures.ts';
import { inOrder } from '../register/finding/figures-tally.ts';
import { STATED_FILTERS } from '../register/finding/filters.ts';
import { OWN_PREFIX, ownFilters } from '../register/finding/own-filters.ts';
import type { Field } from '../register/record.ts';
import { PUBLIC_WINDOW } from '../register/tier.ts';
import { filterEntries } from '../register/finding/filter.ts';
import { figuresPage } from '../templates/figures/figures-page.ts';
import { queryOf } from '../templates/parts/filters/form.ts';
import { prepareFigures } from '../views/figures.ts';
import { offerFor } from './account/offers.ts';
import { frameOf, frameShape, pageBody } from './frame.ts';
import { pageQueryOf } from './page-query.ts';
import type { PageOptions, PageRoute, PageServices } from './services.ts';

/** `/feeds/{feed_id}/figures`. */
export function figuresRoute(services: PageServices, options: PageOptions): PageRoute {
  return {
    path: '/feeds/{feed_id}/figures',
    access: 'public',
    documentation: null,
    async answer(context, { feed_id: feedId }) {
      const view = await services.registers.view(feedId!, context.stamp);
      const { definition, total } = view.entry;
      const { query } = pageQueryOf(context.parameters, (given) => services.asked(view, given));
      const { filter, offset, asOf } = query;
      const seen = services.sight.of(context.access, view);
      const { tier, kindOf } = seen;
      // Previews show no field of the register's own.
      const own = kindOf === null ? definition.fields : [];
      const question = questionIn(context.parameters, own);
      const asked = { ...question, offset, ...(asOf !== undefined && { asOf }), ...(filter && { filter }) };
      const prepared = await prepareFigures(services, view, seen, asked);
      const frame = frameOf(context, options, {
        registerLanguage: definition.language,
        parameters: queryOf([
          ...filterEntries(filter),
          ['measure', question.measure ?? 'count'],
          ...(question.by ?? []).map((name) => ['by', name] as const),
          ...(question.order === undefined ? [] : [['order', question.order] as const]),
        ]),
      });
      const { window = PUBLIC_WINDOW } = services.tiers;
      const offer = tier === 'pro' ? null : offerFor(options, context, view);
      return services.answer(context, {
        view,
        etag:
          kindOf === null
            ? services.tagOf(context, view, 'figures-page', [...frameShape(frame), prepared.shape, offer])
            : null,
        isText: true,
        mayNotExist: asOf !== undefined,
        async write(signal) {
          const figures = await prepared.answer(signal);
          const checked = checkFigures(question, definition.fields);
          const shown = inOrder(figures.groups, checked).slice(0, checked.asked.top);
          const conditions = compileFilter(filter, definition.fields)?.conditions ?? [];
          const exactly = checked.by.find(
            ({ name, type }) => type === 'text' && conditions.some((one) => one.kind === 'exact' && one.name === name),
          );
          const text = figuresPage(frame, {
            ...{ definition, total, offer, filter: filter ?? {}, isLater: offset > 0 },
            window: tier === 'pro' ? null : kindOf === null ? window : 'previews',
            keysUrl: options.service.keysUrl,
            fields: figureFields(own),
            figures: { ...figures, groups: shown, more: figures.more + figures.groups.length - shown.length },
            exactly: exactly?.name ?? null,
            recordsOf: (group) => recordsOf(group, checked.asked.by, filter ?? {}, definition.fields),
          });
          return pageBody(text, { language: frame.wording.language });
        },
      });
    },
  };
}

/** The question of an address: where it says nothing, how many records each value of the first filterable field has. */
function questionIn(parameters: URLSearchParams, fields: readonly Field[]): FiguresQuestion {
  const [measure, order] = ['measure', 'order'].map((name) => parameters.get(name) ?? '');
  const by = parameters.getAll('by').flatMap((names) => names.split(',').filter((name) => name !== ''));
  const first = fields.find(({ filterable, type }) => filterable === true && (type === 'text' || type === 'json'));
  const usual = first === undefined ? STATED_FILTERS[0]! : OWN_PREFIX + first.name;
  return {
    ...(measure === '' ? {} : { measure: measure! }),
    ...(order === '' ? {} : { order: order! }),
    by: parameters.has('by') ? [...new Set(by)] : measure === '' ? [usual] : [],
  };
}

/** The filter of the records of a group, among those that match already; null: there is none. */
function recordsOf(
  group: readonly string[],
  by: readonly string[],
  filter: Filter,
  fields: readonly Field[],
): Filter | null {
  const wanted: Record<string, string | readonly string[]> = { ...filter };
  for (const [at, name] of by.entries()) {
    const value = group[at]!;
    const unit = DATE_UNITS.find((one) => name.endsWith(`:${one}`));
    const field = unit === undefined ? name : name.slice(0, -unit.length - 1);
    const own = ownFilters(fields).some((one) => one.name === field);
    if (unit === undefined) {
      if ((!own && !STATED_FILTERS.some((one) => one === field)) || value === '') return null;
      wanted[field] = value;
      continue;
    }
    const base = field.startsWith(OWN_PREFIX) ? (own ? field : null) : field.slice(0, field.indexOf('_'));
    const until = afterUnit(value, unit);
    if (base === null || until === null) return null;
    wanted[`${base}_since`] = `${value}${'-01-01'.slice(3 * (value.split('-').length - 1))}`;
    wanted[`${base}_until`] = until;
  }
  return wanted;
}

/** The day after a year, a month or a day; null: dates do not reach so far. */
function afterUnit(value: string, unit: (typeof DATE_UNITS)[number]): string | null {
  const [year = NaN, month = 1, day = 1] = value.split('-').map(Number);
  if (!(year >= 1 && year < 9999)) return null;
  const after = new Date(0);
  after.setUTCFullYear(
    year + Number(unit === 'year'),
    month - 1 + Number(unit === 'month'),
    day + Number(unit === 'day'),
  );
  return after.toISOString().slice(0, 10);
}
