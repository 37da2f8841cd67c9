// The records of a register as a table: what each is, its own fields as columns, both dates, its source. On a narrow screen the style
// sheet makes a card of each row. As many records as fit into a page.
import { canonicalJson, type JsonValue } from '../../register/canonical-json.ts';
import { OWN_PREFIX } from '../../register/finding/own-filters.ts';
import { type Field, isNumberType, type RegisterRecord } from '../../register/record.ts';
import { isUnknownSource, isHttpUrl } from '../../register/url.ts';
import type { Frame } from '../layout.ts';
import { markup, type Markup, NOTHING } from '../markup.ts';
import type { Wording } from '../wording.ts';
import { shortened } from './excerpt.ts';
import type { ListedRecord } from './records-list.ts';
import { ownText } from './texts.ts';
import { breakableName, breakableText, MAX_HREF, numberText, siteNameOf } from './values.ts';

/** What is shown of a record. */
export type TableRecord = ListedRecord & Pick<RegisterRecord, 'data'>;

/** How much is said of each record: all columns; without the register's own; the same cut short. */
export type Density = 'columns' | 'facts' | 'titles';

/** The core fields that a table can be sorted by. */
export const SORTED_CORE_FIELDS = ['title', 'published_at', 'document_type', 'facility_id', 'observed_at'] as const;

/** An order of records. */
export interface Sorting {
  /** A column: a core field, or `data.` and the name of an own one. */
  readonly by: string;
  readonly isDescending: boolean;
}

/** How the records can be sorted. */
export interface SortableAs {
  /** How they are now; null: the newest first. */
  readonly sorting: Sorting | null;
  /** The address of the same list in another order. */
  readonly addressOf: (sorting: Sorting | null) => string;
}

/** Which records a table shows, and how. */
export interface TableOptions {
  readonly records: readonly TableRecord[];
  /** The register's own fields. */
  readonly fields: readonly Field[];
  /** BCP 47, of the register. */
  readonly language: string | null;
  readonly density: Density;
  /** The names of the own fields that the reader chose. Null: those that are short. */
  readonly columns: readonly string[] | null;
  /** How its columns can be sorted; null: they cannot. */
  readonly sortable: SortableAs | null;
  /** The ids of those that the reader has bought, which is said of each. Absent: none. */
  readonly bought?: ReadonlySet<string>;
}

/** A table in parts, so that a page can end it where it is full. */
export interface RecordsTable {
  readonly head: Markup;
  /** A row for each record. */
  readonly rows: readonly Markup[];
  readonly end: string;
  /** The names of the own fields that it shows. */
  readonly columns: readonly string[];
}

/** How many own fields are shown unless the reader chooses, and how many can be chosen. */
const [FEW_COLUMNS, MAX_COLUMNS] = [6, 24];

/** The length that the texts of a short field have on average at most, in characters. */
const SHORT_LENGTH = 36;

/** With more columns than these, or more records, there is no room for summaries. */
const [COLUMNS_BESIDE_SUMMARIES, RECORDS_WITH_SUMMARIES] = [2, 25];

const [TITLE_BYTES, SHORT_TITLE_BYTES, SUMMARY_BYTES, LABEL_BYTES, VALUE_BYTES] = [220, 90, 280, 60, 160];

/** The longest source that is linked where records are cut short, in characters. */
const SHORT_HREF = 110;

/** The own fields that a table shows: those that were chosen, or those whose values are short in these records. */
export function shownFields(
  records: readonly Pick<TableRecord, 'data'>[],
  fields: readonly Field[],
  columns: readonly string[] | null,
): readonly Field[] {
  if (columns !== null) return fields.filter(({ name }) => columns.includes(name)).slice(0, MAX_COLUMNS);
  return fields.filter((field) => isShort(records, field)).slice(0, FEW_COLUMNS);
}

function isShort(records: readonly Pick<TableRecord, 'data'>[], { name, type }: Field): boolean {
  const values = records.map(({ data }) => data[name] ?? null).filter((value) => value !== null);
  if (values.length === 0) return false;
  if (type !== 'text' && type !== 'json') return true;
  return values.reduce((sum: number, value) => sum + lineOf(value).length, 0) <= values.length * SHORT_LENGTH;
}

/** A column. */
interface Column {
  /** What it is sorted by; null: it is not. */
  readonly by: string | null;
  readonly label: Markup;
  /** What stands before the value on a narrow screen. */
  readonly short: string;
  readonly isNumber: boolean;
  readonly cell: (record: TableRecord) => Markup;
}

/** The table. */
export function recordsTable(frame: Frame, options: TableOptions): RecordsTable {
  const { wording } = frame;
  const { texts } = wording;
  const { records, fields, density, columns, language } = options;
  const own = ownText(wording, language);
  const shown = density === 'columns' ? shownFields(records, fields, columns) : [];
  const text = (name: 'document_type' | 'facility_id'): readonly Column[] => {
    if (density === 'titles' || records.every((record) => record[name] === null)) return [];
    return [
      {
        ...{ by: name, label: markup`${texts.core[name]}`, short: texts.core[name], isNumber: false },
        cell(record) {
          const stated = record[name];
          return stated === null ? NOTHING : markup`<span${own}>${shortened(stated, VALUE_BYTES)}</span>`;
        },
      },
    ];
  };
  const date = (name: 'published_at' | 'observed_at'): Column => ({
    ...{ by: name, label: markup`${texts.core[name]}`, short: texts.core[name], isNumber: false },
    cell: (record) => dayOf(wording, record[name]),
  });
  const source: Column = {
    ...{ by: null, label: markup`${texts.core.source_url}`, short: texts.core.source_url, isNumber: false },
    cell: ({ source_url: source }) => sourceOf(wording, source, density === 'titles' ? SHORT_HREF : MAX_HREF),
  };
  const all: readonly Column[] = [
    ...(records.every(({ published_at: at }) => at === null) ? [] : [date('published_at')]),
    ...text('document_type'),
    ...(shown.length === 0 ? text('facility_id') : []),
    ...shown.map((field): Column => ({
      ...{
        by: OWN_PREFIX + field.name,
        label: markup`<span${own}>${breakableName(shortened(field.label, 200))}</span>`,
        short: breakableText(shortened(field.label, LABEL_BYTES)),
      },
      isNumber: isNumberType(field.type),
      cell: ({ data }) => cellOf(wording, field, data[field.name] ?? null, own),
    })),
    ...(density === 'titles' ? [] : [date('observed_at')]),
    ...(records.every(({ source_url: url }) => isUnknownSource(url)) ? [] : [source]),
  ];
  const title = { by: 'title', label: markup`${texts.core.title}`, isNumber: false };
  const hasSummaries =
    density === 'columns' && shown.length <= COLUMNS_BESIDE_SUMMARIES && records.length <= RECORDS_WITH_SUMMARIES;
  return {
    columns: shown.map(({ name }) => name),
    head: markup`<div class="scroll" role="group" aria-labelledby="records" tabindex="0"><table class="sheet">
<thead><tr${options.sortable === null ? NOTHING : markup` class="sorts" data-label="${texts.register.sortBy}"`}>${[title, ...all].map((column) => headOf(column, options.sortable))}</tr></thead>
<tbody>
`,
    rows: records.map((record) => {
      const cells = all.map(({ cell, short, isNumber }) => {
        const value = cell(record);
        return value.toString() === ''
          ? EMPTY
          : markup`<td${isNumber ? NUMBER : NOTHING} data-label="${short}">${value}</td>`;
      });
      return markup`<tr>${titleOf(frame, record, options, hasSummaries)}${cells}</tr>\n`;
    }),
    end: '</tbody></table></div>',
  };
}

/** The head of a column: a link sorts by it, the next one the other way round, the third as it was. */
function headOf(
  { by, label, isNumber }: Pick<Column, 'by' | 'label' | 'isNumber'>,
  sortable: SortableAs | null,
): Markup {
  const isPlain = sortable === null || by === null;
  const sorting = sortable?.sorting?.by === by ? sortable.sorting : null;
  const next =
    sorting == null ? { by: by!, isDescending: false } : sorting.isDescending ? null : { by: by!, isDescending: true };
  const order = sorting == null ? NOTHING : markup` aria-sort="${sorting.isDescending ? 'descending' : 'ascending'}"`;
  return markup`<th scope="col"${isNumber ? NUMBER : NOTHING}${order}>${
    isPlain ? label : markup`<a rel="nofollow" href="${sortable.addressOf(next)}">${label}</a>`
  }</th>`;
}

const NUMBER: Markup = markup` class="number"`;

const EMPTY: Markup = markup`<td></td>`;

/** What a record is, with the way to it. */
function titleOf(
  { wording, addresses }: Frame,
  { id, title, summary, position }: TableRecord,
  { density, language, bought }: TableOptions,
  hasSummaries: boolean,
): Markup {
  const own = ownText(wording, language);
  const text = shortened(title.trim() === '' ? id : title, density === 'titles' ? SHORT_TITLE_BYTES : TITLE_BYTES);
  const address = addresses.record(id, position);
  const name = address === null ? markup`<span${own}>${text}</span>` : markup`<a${own} href="${address}">${text}</a>`;
  const mark = bought?.has(id) === true ? markup` <strong>${wording.texts.offer.boughtOne}</strong>` : NOTHING;
  const more =
    hasSummaries && summary !== null && summary.trim() !== ''
      ? markup`<p class="summary"${own}>${shortened(summary, SUMMARY_BYTES)}</p>`
      : NOTHING;
  return markup`<th scope="row">${name}${mark}${more}</th>`;
}

/** A value in as few words as it takes. */
function cellOf(wording: Wording, field: Field, value: JsonValue, own: Markup): Markup {
  const { type } = field;
  if (value === null || value === '') return NOTHING;
  if (typeof value === 'boolean') return markup`${value ? wording.texts.yes : wording.texts.no}`;
  const text = lineOf(value);
  if (type === 'date' || type === 'datetime') return dayOf(wording, text);
  if (type === 'url') return sourceOf(wording, text, MAX_HREF);
  if (isNumberType(type)) return markup`${numberText(wording, field, text)}`;
  return markup`<span${CODE.test(text) ? markup` class="code"` : NOTHING}${own}>${shortened(text, VALUE_BYTES)}</span>`;
}

/** A text that is not to be broken at its signs. */
const CODE = /^[^\s\p{L}]*\p{L}{0,6}-[^\s\p{L}]{1,10}$/u;

/** A value in a line. */
function lineOf(value: JsonValue): string {
  if (typeof value !== 'object') return String(value);
  const isPlain = Array.isArray(value) && value.every((item) => typeof item === 'string');
  return isPlain ? value.join(', ') : canonicalJson(value);
}

/** The day of a date or a date-time. */
function dayOf(wording: Wording, value: string | null): Markup {
  return value === null ? NOTHING : markup`<time datetime="${value}">${wording.day(value)}</time>`;
}

/** An address as the name of its site. */
function sourceOf({ texts }: Wording, url: string, maxHref: number): Markup {
  if (isUnknownSource(url)) return markup`${texts.sourceUnknown}`;
  if (url.length > maxHref || !isHttpUrl(url)) return NOTHING;
  return markup`<a rel="noopener" href="${url}">${shortened(siteNameOf(url), LABEL_BYTES)}</a>`;
}
