// The form in which a reader chooses the columns of a table, and what an address says of them and of their order.
import { filterEntries, type Filter } from '../../register/finding/filter.ts';
import type { RegisterDefinition } from '../../register/record.ts';
import type { Frame } from '../layout.ts';
import { markup, type Markup, NOTHING } from '../markup.ts';
import { shortened, sizeOf } from './excerpt.ts';
import { formOf } from './filters/form.ts';
import type { SortableAs, Sorting } from './records-table.ts';
import { ownText } from './texts.ts';

/** How much the form may take of a page, and how many of the reader's filters it repeats. */
const [FORM_BYTES, REPEATED_BYTES] = [7000, 1000];

/** What an address says of the columns. @param columns null: nothing was chosen */
export function choiceEntries(columns: readonly string[] | null): readonly (readonly [string, string])[] {
  return columns === null ? [] : [['columns', columns.join(',')]];
}

/** The parameter that chooses the order: the name of a column, with `-` before it for the opposite order. */
export const SORT_PARAMETER = 'sort';

/** What an address says of the order. @param sorting null: it is the register's own */
export function sortEntries(sorting: Sorting | null): readonly (readonly [string, string])[] {
  return sorting === null ? [] : [[SORT_PARAMETER, `${sorting.isDescending ? '-' : ''}${sorting.by}`]];
}

/** What the form repeats of the page that it stands on. */
export interface ChosenBesides {
  readonly definition: RegisterDefinition;
  readonly filter: Filter;
  readonly sortable?: SortableAs | null;
}

/** The form; nothing where there is nothing to choose. @param shown the names of the columns that the page has */
export function columnChoice(
  { wording, addresses }: Frame,
  { definition, filter, sortable }: ChosenBesides,
  shown: readonly string[],
): Markup {
  const { texts } = wording;
  const { id, fields, language } = definition;
  const entries = [...filterEntries(filter), ...sortEntries(sortable?.sorting ?? null)];
  const repeated = entries.reduce((sum, [, value]) => sum + sizeOf(value), 0);
  if (fields.length < 2 || repeated > REPEATED_BYTES) return NOTHING;
  const { action, parameters } = formOf(addresses.register(id));
  let room = FORM_BYTES;
  const items = fields.map(({ name, label }) => {
    const item = markup`<li><label><input type="checkbox" name="columns" value="${name}"${shown.includes(name) ? markup` checked` : NOTHING}> <span${ownText(wording, language)}>${shortened(label, 100)}</span></label></li>\n`;
    room -= Buffer.byteLength(item.toString());
    return room < 0 ? NOTHING : item;
  });
  return markup`<details class="columns"><summary>${texts.register.columns(wording.number(shown.length), wording.number(fields.length))}</summary>
<form method="get" action="${action}">
${[...parameters, ...entries].map(([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">\n`)}<ul>
${items}</ul>
<p><button class="plain">${texts.register.showColumns}</button></p>
</form></details>
`;
}
