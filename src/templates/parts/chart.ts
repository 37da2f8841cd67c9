// How many records there are by month, as bars and, for those who do not see them, as a table. All records are counted; the
// chart shows the last three years of them.
import type { Wording } from '../wording.ts';
import { markup, type Markup, NOTHING } from '../markup.ts';

/** A month and how many records it has. */
export interface MonthCount {
  /** `YYYY-MM`. */
  readonly month: string;
  readonly records: number;
}

/** How many months are shown. */
const MAX_MONTHS = 36;

/** How many months with records must be known: so many may lie in a future that a slip of the pen made. */
export const MONTHS_ASKED = 100;

/** So many months after the last change a date is taken for a slip of the pen, and its month is not shown. */
const MONTHS_AHEAD = 12;

const [WIDTH, HEIGHT, GAP] = [320, 84, 2];

/**
 * The chart; nothing for fewer than two months.
 *
 * @param counted the months with records, the newest first
 * @param lastChange when the register last changed, RFC 3339
 */
export function chart(wording: Wording, counted: readonly MonthCount[], lastChange: string | null): Markup {
  const months = shownMonths(counted, lastChange);
  if (months.length < 2) return NOTHING;
  const { texts } = wording;
  const most = months.reduce((one, other) => (other.records > one.records ? other : one));
  const step = WIDTH / months.length;
  const bars = months.map(({ records }, at) => {
    const height = records === 0 ? 0 : Math.max(1.5, (records / most.records) * HEIGHT);
    const rounded = (value: number): string => String(Math.round(value * 10) / 10);
    return `M${rounded(at * step)} ${HEIGHT}h${rounded(Math.max(step - GAP, 1))}v-${rounded(height)}h-${rounded(Math.max(step - GAP, 1))}z`;
  });
  const [first, last] = [wording.month(months[0]!.month), wording.month(months.at(-1)!.month)];
  return markup`<figure class="chart">
<figcaption><strong>${texts.register.chart}</strong></figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true" focusable="false"><path d="${bars.join('')}"/></svg>
<p class="axis" aria-hidden="true"><span>${first}</span><span>${last}</span></p>
<p class="hidden">${texts.register.chartOf(first, last)}</p>
<p class="hint">${texts.register.chartMost(wording.month(most.month), wording.number(most.records))}</p>
<details><summary>${texts.register.chartTable}</summary>
<table><thead><tr><th scope="col">${texts.register.month}</th><th scope="col" class="number">${texts.register.number}</th></tr></thead>
<tbody>
${months.map(({ month, records }) => markup`<tr><td>${wording.month(month)}</td><td class="number">${wording.number(records)}</td></tr>\n`)}</tbody></table></details>
</figure>`;
}

/** The last months in their order, those without records too. */
function shownMonths(counted: readonly MonthCount[], lastChange: string | null): readonly MonthCount[] {
  const latest = lastChange === null ? Infinity : indexOf(lastChange) + MONTHS_AHEAD;
  const likely = counted.filter(({ month }) => indexOf(month) <= latest);
  const to = indexOf((likely[0] ?? counted[0])?.month ?? '');
  const from = Math.max(to - MAX_MONTHS + 1, indexOf(counted.at(-1)?.month ?? ''));
  const records = new Map(counted.map((one) => [indexOf(one.month), one.records]));
  if (Number.isNaN(from)) return [];
  return Array.from({ length: to - from + 1 }, (_, at) => {
    const index = from + at;
    const month = `${String(Math.floor(index / 12)).padStart(4, '0')}-${String((index % 12) + 1).padStart(2, '0')}`;
    return { month, records: records.get(index) ?? 0 };
  });
}

/** The month of a date, counted from the year 0; not a number where there is no date. */
function indexOf(date: string): number {
  return date === '' ? NaN : Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1;
}
