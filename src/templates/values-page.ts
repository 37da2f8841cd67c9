// All values of a field, each with the number of its records and the way to them: what the filters of a register have no room for.
import type { ValueCount } from '../stores/contract/values.ts';
import { filterEntries, type Filter } from '../register/finding/filter.ts';
import type { RegisterDefinition } from '../register/record.ts';
import { type Frame, layout } from './layout.ts';
import { markup, NOTHING } from './markup.ts';
import { fittingItems, shortened } from './parts/excerpt.ts';
import { formOf, queryOf } from './parts/filters/form.ts';
import { labelOf } from './parts/filters/words.ts';
import { ownText } from './parts/texts.ts';

/** What the page shows. */
export interface ValuesPage {
  readonly definition: RegisterDefinition;
  /** The field, as filters name it. */
  readonly field: string;
  /** What else is asked for: only records that match are counted. */
  readonly filter: Filter;
  /** Only values that begin with this text; empty: all. */
  readonly startsWith: string;
  /** The values from `offset` on, as many as a page may have. */
  readonly values: readonly ValueCount[];
  readonly offset: number;
  /** Whether values come after these. */
  readonly hasMore: boolean;
  /** How many are told at most; null: these are all. */
  readonly most: number | null;
  /** Whether only the latest records were counted. */
  readonly isBounded: boolean;
}

/** How much the values may take of a page, in bytes. */
const VALUES_BYTES = 45_000;

/** The page. */
export function valuesPage(frame: Frame, page: ValuesPage): string {
  const { wording, addresses } = frame;
  const { texts } = wording;
  const { values: words } = texts.register;
  const { definition, field, filter, startsWith, offset, most, isBounded } = page;
  const own = ownText(wording, definition.language);
  const label = labelOf(texts, field, definition);
  const rest = filterEntries(filter);
  const items = page.values.map(({ value, records }) => {
    const address = addresses.register(definition.id, queryOf([...rest, [field, value]]));
    return markup`<li><a${own} href="${address}">${shortened(value, 300)}</a> <span class="count number">${wording.number(records)}</span></li>\n`;
  });
  const shown = fittingItems(items, VALUES_BYTES);
  const at = (from: number): string =>
    addresses.values(
      definition.id,
      queryOf([
        ['field', field],
        ...rest,
        ...(startsWith === '' ? [] : [['starts', startsWith] as const]),
        ...(from === 0 ? [] : [['offset', String(from)] as const]),
      ]),
    ) ?? '';
  const end = offset + shown.length;
  const links = [
    offset === 0 ? NOTHING : markup`<li><a rel="prev" href="${at(0)}">${words.fewer}</a></li>`,
    page.hasMore || shown.length < items.length
      ? markup`<li><a rel="next" href="${at(end)}">${words.more} <span aria-hidden="true">→</span></a></li>`
      : NOTHING,
  ];
  const { action, parameters } = formOf(addresses.values(definition.id, queryOf([['field', field], ...rest])) ?? '');
  const back = addresses.register(definition.id, queryOf(rest));
  const hasLinks = links.some((link) => link !== NOTHING);
  const main = markup`<nav class="crumbs" aria-label="${texts.crumbs}"><ol><li><a href="${addresses.home()}">${texts.registers}</a></li>
<li><a${own} href="${addresses.register(definition.id)}">${shortened(definition.title, 200)}</a></li></ol></nav>
<h1>${texts.register.allOf(label)}</h1>
<p class="lead">${rest.length > 0 ? words.leadFound : words.lead}</p>
${isBounded ? markup`<p class="hint">${texts.register.countedLatest}</p>\n` : NOTHING}<form class="search" role="search" method="get" action="${action}">
${parameters.map(([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">\n`)}<label for="starts">${words.startsWith}</label>
<p class="hint" id="starts-hint">${words.startsWithHint}</p>
<div class="with-button"><input type="search" id="starts" name="starts" maxlength="400" dir="auto" value="${startsWith}" aria-describedby="starts-hint">
<button>${words.show}</button></div>
</form>
${most === null ? NOTHING : markup`<p class="hint">${words.commonest(wording.number(most))}</p>\n`}${
    shown.length === 0
      ? markup`<p>${words.none}</p>\n`
      : markup`<ol class="counted" start="${offset + 1}">\n${shown}</ol>\n`
  }${hasLinks ? markup`<nav class="pages" aria-label="${texts.pages}"><ul>${links}</ul></nav>\n` : NOTHING}<p class="after"><a href="${back}">${words.back}</a></p>`;
  return layout(frame, { title: `${label} – ${shortened(definition.title, 200)}`, isHidden: true, main });
}
