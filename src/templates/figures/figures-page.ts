// Figures of a register: a form of drop-downs, and a table whose bars are drawn from its numbers.
import { isNumberType, type RegisterDefinition } from '../../register/record.ts';
import {
  type Figure,
  FIGURE_ORDERS,
  type FigureField,
  type FigureOrder,
  type Figures,
} from '../../register/finding/figures.ts';
import { filterEntries, type Filter } from '../../register/finding/filter.ts';
import { recordKey } from '../../register/identity.ts';
import type { Frame } from '../layout.ts';
import { layout } from '../layout.ts';
import { markup, type Markup, NOTHING } from '../markup.ts';
import { fittingItems, shortened } from '../parts/excerpt.ts';
import { formOf, queryOf } from '../parts/filters/form.ts';
import { labelOf } from '../parts/filters/words.ts';
import type { Offer } from '../parts/offer.ts';
import { accessNote } from '../parts/register-facts.ts';
import { ownText } from '../parts/texts.ts';
import { valueOf } from '../parts/values.ts';
import { timeOf } from '../wording.ts';

/** What the page shows. */
export interface FiguresPage {
  readonly definition: RegisterDefinition;
  readonly total: number;
  /** As for a register’s page. */
  readonly window: number | 'previews' | null;
  readonly keysUrl: string | null;
  readonly offer: Offer | null;
  readonly filter: Filter;
  /** What may be asked for. */
  readonly fields: readonly FigureField[];
  /** The answer, its groups in order, with what cites it. */
  readonly figures: Figures & {
    readonly change: number | null;
    readonly checkpoint: { readonly size: number; readonly root_hash: string } | null;
  };
  /** Whether it does not begin at the newest record. */
  readonly isLater: boolean;
  /** A field whose filter is blind to case while its groups are not; null: none. */
  readonly exactly: string | null;
  /** The parameters that ask for the records of a group; null: no filter does. */
  readonly recordsOf: (group: readonly string[]) => Filter | null;
}

/** How much the choices and the rows may take of a page, and one value, in bytes. */
const [CHOICE_BYTES, ROWS_BYTES, VALUE_BYTES] = [4500, 38_000, 300];

/** The page. */
export function figuresPage(frame: Frame, page: FiguresPage): string {
  const { wording, addresses } = frame;
  const { texts } = wording;
  const { definition, filter, figures, isLater } = page;
  const { figures: words } = wording;
  const own = ownText(wording, definition.language);
  const rest = filterEntries(filter);
  const asked = [...rest, ['measure', figures.measure] as const, ...figures.by.map((name) => ['by', name] as const)];
  const at = (entries: readonly (readonly [string, string])[]): string =>
    addresses.figures(definition.id, queryOf([...asked, ['order', figures.order], ...entries])) ?? '';
  const { next_offset: next, as_of: asOf } = figures;
  const view = asOf === null ? [] : [['as_of', String(asOf)] as const];
  const links = [
    isLater ? markup`<li><a href="${at([])}">${words.first}</a></li>` : NOTHING,
    next === null
      ? NOTHING
      : markup`<li><a rel="next" href="${at([['offset', String(next)], ...view])}">${words.next} <span aria-hidden="true">→</span></a></li>`,
  ].filter((link) => link !== NOTHING);
  const main = markup`<nav class="crumbs" aria-label="${texts.crumbs}"><ol><li><a href="${addresses.home()}">${texts.registers}</a></li>
<li><a${own} href="${addresses.register(definition.id)}">${shortened(definition.title, 200)}</a></li></ol></nav>
<h1>${words.title}</h1>
<p class="lead">${rest.length > 0 ? words.leadFound : words.lead}</p>
${accessNote(frame, page)}${rest.length === 0 ? NOTHING : chosen(frame, page)}${form(frame, page)}${table(frame, page)}${notes(frame, page)}${
    links.length === 0 ? NOTHING : markup`<nav class="pages" aria-label="${texts.pages}"><ul>${links}</ul></nav>\n`
  }<p class="after"><a href="${addresses.register(definition.id, queryOf(rest))}">${words.back}</a></p>`;
  return layout(frame, { title: `${words.title} – ${shortened(definition.title, 200)}`, isHidden: true, main });
}

/** What the records were chosen by. */
function chosen({ wording }: Frame, { definition, filter }: FiguresPage): Markup {
  const { texts } = wording;
  const items = filterEntries(filter)
    .slice(0, 12)
    .map(([name, value]) => {
      return markup`<li><span class="quiet">${labelOf(texts, name, definition)}:</span> <span${ownText(wording, definition.language)}>${shortened(value, 80)}</span></li>\n`;
    });
  return markup`<div class="chosen"><h2 class="hidden">${texts.register.chosen}</h2>\n<ul>\n${items}</ul></div>\n`;
}

function form(frame: Frame, page: FiguresPage): Markup {
  const { wording, addresses } = frame;
  const { figures: words } = wording;
  const { definition, filter, figures, fields } = page;
  const { action, parameters } = formOf(addresses.figures(definition.id, queryOf(filterEntries(filter))) ?? '');
  const measures = [
    'count',
    ...fields.flatMap(({ name, isNumber, isTime }) =>
      (isNumber ? ['sum', 'avg', 'min', 'max'] : isTime ? ['min', 'max'] : []).map((kind) => `${kind}:${name}`),
    ),
  ];
  const groups = fields.flatMap(({ name, isGroup, isTime }) => [
    ...(isTime ? ['year', 'month', 'day'].map((unit) => `${name}:${unit}`) : isGroup ? [name] : []),
  ]);
  const select = (
    name: string,
    id: string,
    label: string,
    { values, value, text }: { values: readonly string[]; value: string; text: (one: string) => string },
  ): Markup => {
    const options = fittingItems(
      values.map((one) => {
        const isChosen = one === value ? markup` selected` : NOTHING;
        return markup`<option value="${one}"${isChosen}>${shortened(text(one), 100)}</option>\n`;
      }),
      CHOICE_BYTES,
    );
    return markup`<div><label for="${id}">${label}</label>\n<select id="${id}" name="${name}">\n${options}</select></div>\n`;
  };
  const groupText = (one: string): string => groupLabel(frame, page, one);
  const [first = '', second = ''] = figures.by;
  const besides =
    (none: string): ((one: string) => string) =>
    (one) =>
      one === '' ? none : groupText(one);
  return markup`<form class="choice figures" method="get" action="${action}">
${parameters.map(([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">\n`)}<div class="range">
${select('measure', 'measure', words.measure, {
  values: withChosen(measures, figures.measure),
  value: figures.measure,
  text: (one) => measureLabel(frame, page, one),
})}${select('by', 'by', words.by, { values: withChosen(['', ...groups], first), value: first, text: besides(words.none) })}${select(
    'by',
    'then-by',
    words.thenBy,
    { values: withChosen(['', ...groups], second), value: second, text: besides(words.noOther) },
  )}${select('order', 'order', words.order, {
    values: FIGURE_ORDERS,
    value: figures.order,
    text: (one) => words.orders[one as FigureOrder],
  })}</div>
<p><button>${words.show}</button></p>
</form>
`;
}

/** With what is chosen first of all, so that it always fits. */
function withChosen(values: readonly string[], value: string): readonly string[] {
  return [...new Set([value, ...values])];
}

function measureLabel({ wording }: Frame, { definition, fields }: FiguresPage, measure: string): string {
  const { texts } = wording;
  const { measures } = wording.figures;
  if (measure === 'count') return measures.count;
  const at = measure.indexOf(':');
  const [kind, name] = [measure.slice(0, at) as 'sum' | 'avg' | 'min' | 'max', measure.slice(at + 1)];
  const isTime = fields.find((field) => field.name === name)?.isTime === true;
  return measures[!isTime ? kind : kind === 'min' ? 'earliest' : 'latest'](labelOf(texts, name, definition));
}

function groupLabel({ wording }: Frame, { definition }: FiguresPage, by: string): string {
  const { texts } = wording;
  const [, name = by, unit] = /^(.*):(year|month|day)$/.exec(by) ?? [];
  const label = labelOf(texts, name, definition);
  return unit === undefined ? label : wording.figures.units[unit as 'year'](label);
}

function table(frame: Frame, page: FiguresPage): Markup {
  const { wording, addresses } = frame;
  const { figures: words } = wording;
  const { definition, figures, recordsOf, fields } = page;
  const { groups, by, measure } = figures;
  if (groups.length === 0) return markup`<p>${wording.texts.register.nothing}</p>\n`;
  const measured = measureLabel(frame, page, measure);
  const heads = by.map((one) => groupLabel(frame, page, one));
  const isCount = measure === 'count';
  const name = measure.slice(measure.indexOf(':') + 1);
  const field = fields.find((one) => one.name === name) ?? null;
  const shares = sharesOf(groups, field?.isTime === true);
  const options = { language: definition.language, bytes: VALUE_BYTES };
  const rows = groups.map((figure, at) => {
    const { group, records, value, record_ids: ids } = figure;
    const wanted = recordsOf(group);
    const count = wording.number(records);
    const query = wanted === null ? null : queryOf(filterEntries(wanted));
    const counted =
      query === null
        ? markup`${count}`
        : markup`<a rel="nofollow" href="${addresses.register(definition.id, query)}">${count}</a>`;
    const share = shares === null ? NOTHING : bar(shares[at]!);
    const shown = isCount
      ? counted
      : valueOf(wording, { type: field?.isTime === true ? field.type : 'decimal' }, value, options);
    const [first, ...others] =
      group.length === 0 ? [markup`${words.all}`] : group.map((one, place) => keyOf(frame, page, one, place));
    const examples = ids.map((id) => {
      const address = addresses.record(id, null);
      const key = shortened(recordKey(id), 60);
      return address === null ? markup`${key}` : markup`<a href="${address}">${key}</a>`;
    });
    return markup`<tr><th scope="row">${first}</th>${others.map((one, place) => markup`<td data-label="${heads[place + 1]}">${one}</td>`)}<td class="number" data-label="${measured}"><div>${shown}${share}</div></td>${
      isCount ? NOTHING : markup`<td class="number" data-label="${words.records}">${counted}</td>`
    }<td data-label="${words.examples}"><div>${examples.map((one, place) => (place === 0 ? one : markup`, ${one}`))}</div></td></tr>\n`;
  });
  const shown = fittingItems(rows, ROWS_BYTES);
  const more = figures.more + rows.length - shown.length;
  return markup`<div class="scroll" tabindex="0" role="region" aria-labelledby="caption"><table class="sheet">
<caption class="hidden" id="caption">${words.caption(measured, heads.join(', '))}</caption>
<thead><tr>${(heads.length === 0 ? [''] : heads).map((head) => (head === '' ? markup`<td></td>` : markup`<th scope="col">${head}</th>`))}<th scope="col" class="number">${measured}</th>${
    isCount ? NOTHING : markup`<th scope="col" class="number">${words.records}</th>`
  }<th scope="col">${words.examples}</th></tr></thead>
<tbody>
${shown}</tbody></table></div>
${more === 0 ? NOTHING : markup`<p class="hint">${words.more(wording.number(more))}</p>\n`}`;
}

/** What the records of a group share, as people read it. */
function keyOf({ wording }: Frame, { definition, figures, fields }: FiguresPage, value: string, at: number): Markup {
  const { texts } = wording;
  const [, name = figures.by[at]!, unit] = /^(.*):(year|month|day)$/.exec(figures.by[at]!) ?? [];
  const type = fields.find((field) => field.name === name)?.type ?? 'text';
  if (unit === 'month') return markup`${wording.month(value)}`;
  if (unit !== undefined) return unit === 'day' ? timeOf(wording, value) : markup`${value}`;
  if (type === 'boolean') return markup`${value === 'true' ? texts.yes : texts.no}`;
  const shown = type === 'json' || (!isNumberType(type) && type !== 'date' && type !== 'datetime') ? 'text' : type;
  return valueOf(wording, { type: shown, name }, value, { language: definition.language, bytes: VALUE_BYTES });
}

/** How long the bars are, in hundredths of the longest; null: dates have none, nor has anything below zero. */
function sharesOf(groups: readonly Figure[], isTime: boolean): readonly number[] | null {
  const sizes = groups.map(({ records, value }) => (value === undefined ? records : Number(value ?? 0)));
  const most = Math.max(...sizes);
  if (isTime || groups.length < 2 || !Number.isFinite(most) || most <= 0 || sizes.some((size) => size < 0)) return null;
  return sizes.map((size) => Math.round((size / most) * 1000) / 10);
}

/** The number beside it says the same. */
function bar(share: number): Markup {
  return markup`<svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false"><path d="M0 0h${String(share)}v8H0z"/></svg>`;
}

/** What must be known to understand the figures, and what cites them. */
function notes(frame: Frame, page: FiguresPage): Markup {
  const { wording } = frame;
  const { texts } = wording;
  const { figures: words } = wording;
  const { figures, definition, fields, exactly } = page;
  const { matched, ungrouped, complete, next_offset: next, as_of: asOf, change, checkpoint, by } = figures;
  const number = (value: number): string => wording.number(value);
  const list = by.find((name) => fields.some((field) => field.name === name && field.type === 'json'));
  const said = [
    words.matched(matched, number(matched)),
    ungrouped === null || ungrouped === 0 ? null : words.ungrouped(number(ungrouped)),
    list === undefined ? null : words.items(labelOf(texts, list, definition)),
    exactly === null ? null : words.exact(labelOf(texts, exactly, definition)),
    complete && change !== null ? words.view(number(change)) : null,
  ].filter((one) => one !== null);
  const part =
    complete || typeof asOf !== 'number'
      ? NOTHING
      : markup`<p class="note warn">${words.part(number(next ?? asOf), number(asOf))}</p>\n`;
  const signed =
    checkpoint === null
      ? NOTHING
      : markup`<p class="hint long">${words.signed(number(checkpoint.size), checkpoint.root_hash)}</p>\n`;
  return markup`${part}<p class="hint">${said.join(' ')}</p>\n${signed}`;
}
