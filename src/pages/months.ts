// How many records a register has by month of publication. Its newest records are counted, a bounded number of them, and not again
// for every change: a page must not wait for a chart.
import { PAGE_SIZE } from '../register/page.ts';
import { pages } from '../register/sources/source.ts';
import type { MonthCount, MonthCounts } from '../templates/parts/chart.ts';
import type { RegisterView } from '../views/registers.ts';

/** How many of the newest records are counted, and how much text may be read for it, in UTF-16 units. */
const [MAX_RECORDS, MAX_TEXT] = [1000, 4_000_000];

/** How many months are shown. */
const MAX_MONTHS = 36;

/** After this part of its records changed, or so many, a register is counted again. */
const [CHANGED_PART, MAX_CHANGES] = [200, 100];

/** What was counted, and at which change. */
export interface CountedMonths extends MonthCounts {
  readonly change: number;
}

/** The months of the registers of a service. */
export class RegisterMonths {
  readonly #counted = new Map<
    string,
    { readonly log: string; readonly change: number; readonly counts: Promise<CountedMonths> }
  >();

  /** Those of a register that the reader sees whole. */
  async of({ entry, source }: RegisterView): Promise<CountedMonths> {
    const { definition, log, change, total } = entry;
    const known = this.#counted.get(definition.id);
    const allowed = Math.min(MAX_CHANGES, Math.floor(total / CHANGED_PART));
    if (known?.log === log && change >= known.change && change - known.change <= allowed) return known.counts;
    const counts = countMonths({ entry, source });
    this.#counted.set(definition.id, { log, change, counts });
    // A failure is told to those who wait for it, and the next one counts again.
    counts.catch(() => this.#counted.delete(definition.id));
    return counts;
  }
}

async function countMonths({ entry, source }: Pick<RegisterView, 'entry' | 'source'>): Promise<CountedMonths> {
  const counts = new Map<string, number>();
  let [records, text, isWhole] = [0, 0, true];
  for await (const page of pages(source, { limit: PAGE_SIZE })) {
    for (const { published_at: published, content, summary } of page.records) {
      const month = published === null ? null : monthOf(published);
      if (month !== null) counts.set(month, (counts.get(month) ?? 0) + 1);
      text += (content?.length ?? 0) + (summary?.length ?? 0);
    }
    records += page.records.length;
    isWhole = page.nextOffset === null;
    const examined = page.nextOffset ?? 0;
    if (records >= MAX_RECORDS || text >= MAX_TEXT || examined >= 2 * MAX_RECORDS) break;
  }
  return { change: entry.change, latest: isWhole ? null : records, months: filled(counts) };
}

/** The month of a date, in UTC as everywhere; null for one that the calendar of computers does not have. */
function monthOf(published: string): string | null {
  const ms = Date.parse(published);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString().slice(0, -17);
}

/** The last months, those without records too. */
function filled(counts: ReadonlyMap<string, number>): readonly MonthCount[] {
  const known = [...counts.keys()].filter((month) => /^\d{4}-\d{2}$/.test(month)).sort();
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return [];
  const [from, to] = [indexOf(first), indexOf(last)];
  return Array.from({ length: Math.min(to - from + 1, MAX_MONTHS) }, (_, at) => {
    const index = Math.max(from, to - MAX_MONTHS + 1) + at;
    const month = `${String(Math.floor(index / 12)).padStart(4, '0')}-${String((index % 12) + 1).padStart(2, '0')}`;
    return { month, records: counts.get(month) ?? 0 };
  });
}

/** Months counted from the year 0. */
function indexOf(month: string): number {
  return Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1;
}
