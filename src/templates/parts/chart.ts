// How many records there are by month, as bars and, for those who do not see them, as a table.
import type { Wording } from '../wording.ts';
import { markup, type Markup, NOTHING } from '../markup.ts';

/** A month and how many records it has. */
export interface MonthCount {
  /** `YYYY-MM`. */
  readonly month: string;
  readonly records: number;
}

/** Records by month. */
export interface MonthCounts {
  /** In order, none left out. */
  readonly months: readonly MonthCount[];
  /** How many of the newest records were counted; null: all. */
  readonly latest: number | null;
}

const [WIDTH, HEIGHT, GAP] = [320, 84, 2];

/** The chart; nothing for fewer than two months. */
export function chart(wording: Wording, { months, latest }: MonthCounts): Markup {
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
  const what = latest === null ? '' : `, ${texts.register.chartLatest(wording.number(latest))}`;
  return markup`<figure class="chart">
<figcaption><strong>${texts.register.chart}</strong><span class="quiet">${what}</span></figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true" focusable="false"><path d="${bars.join('')}"/></svg>
<p class="axis" aria-hidden="true"><span>${first}</span><span>${last}</span></p>
<p class="hidden">${texts.register.chartOf(first, last)}, ${texts.register.chartMost(wording.month(most.month), wording.number(most.records))}</p>
<details><summary>${texts.register.chartTable}</summary>
<table><thead><tr><th scope="col">${texts.register.month}</th><th scope="col" class="number">${texts.register.number}</th></tr></thead>
<tbody>
${months.map(({ month, records }) => markup`<tr><td>${wording.month(month)}</td><td class="number">${wording.number(records)}</td></tr>\n`)}</tbody></table></details>
</figure>`;
}
