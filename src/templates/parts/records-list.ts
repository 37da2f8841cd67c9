// A list of records of several registers: what each is, when it was published, where its source is. As many as fit into a page.
import { type CountedField, STATED_FILTERS } from '../../register/finding/filters.ts';
import type { RegisterRecord } from '../../register/record.ts';
import { isUnknownSource } from '../../register/url.ts';
import type { Frame } from '../layout.ts';
import { markup, type Markup, NOTHING } from '../markup.ts';
import { timeOf } from '../wording.ts';
import { shortened } from './excerpt.ts';
import { ownText } from './texts.ts';
import { MAX_HREF, siteNameOf } from './values.ts';

/** What is shown of a record. */
export type ListedRecord = Pick<
  RegisterRecord,
  CountedField | 'id' | 'title' | 'summary' | 'source_url' | 'published_at' | 'observed_at' | 'position'
>;

/** Options of {@link recordItems}. */
export interface ListOptions {
  /** BCP 47, of the register. */
  readonly language: string | null;
  /** The level of the headings. */
  readonly level: 2 | 3;
}

const [TITLE_BYTES, SUMMARY_BYTES, VALUE_BYTES] = [280, 420, 120];

/** The records of a list, an item each. */
export function recordItems(frame: Frame, records: readonly ListedRecord[], options: ListOptions): readonly Markup[] {
  const own = ownText(frame.wording, options.language);
  return records.map((record) => recordItem(frame, record, own, options));
}

function recordItem(frame: Frame, record: ListedRecord, own: Markup, { level }: ListOptions): Markup {
  const { wording, addresses } = frame;
  const { texts } = wording;
  const { id, title, summary, source_url: source } = record;
  const shown = shortened(title.trim() === '' ? id : title, TITLE_BYTES);
  const address = addresses.record(id, record.position);
  const name = markup`<span${own}>${shown}</span>`;
  const heading = address === null ? name : markup`<a href="${address}">${name}</a>`;
  const when =
    record.published_at === null
      ? texts.observedOn(timeOf(wording, record.observed_at))
      : texts.publishedOn(timeOf(wording, record.published_at));
  const fact = (value: string | null): Markup =>
    value !== null ? markup`${BETWEEN}<span${own}>${shortened(value, VALUE_BYTES)}</span>` : NOTHING;
  const link = isUnknownSource(source)
    ? markup`${BETWEEN}${texts.sourceUnknown}`
    : source.length > MAX_HREF
      ? NOTHING
      : markup`${BETWEEN}<a rel="noopener" href="${source}">${texts.sourceAt(shortened(siteNameOf(source), 60))}</a>`;
  const text =
    summary !== null && summary.trim() !== ''
      ? markup`<p class="summary"${own}>${shortened(summary, SUMMARY_BYTES)}</p>\n`
      : NOTHING;
  return markup`<li><h${level}>${heading}</h${level}>
${text}<p class="facts">${when}${STATED_FILTERS.map((field) => fact(record[field]))}${link}</p>
</li>
`;
}

/** What separates one fact from the next. */
const BETWEEN: Markup = markup` <span aria-hidden="true">·</span> `;
