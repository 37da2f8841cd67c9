// Figures as people read them: Markdown tables that are also plain to read in a terminal, for the screen and the README.
import type { GoalResult } from './harness.ts';
import { describeMachine } from './machine.ts';
import type { CheckResult, MemoryPeak, MemoryResult, RunResult, TableResult } from './result.ts';

/** A whole run as Markdown. */
export function toMarkdown(run: RunResult): string {
  return `${partsMarkdown(run)}\n${footMarkdown(run)}\n`;
}

function partsMarkdown(run: RunResult): string {
  return [...run.tables.map(tableMarkdown), ...run.memory.map(memoryMarkdown), ...run.checks.map(checksMarkdown)].join(
    '\n',
  );
}

/** Stands before and after the figures of a page. */
const MARK = '<!-- The figures of one run: npm run bench -- --docs -->';

/**
 * A page with a run's figures in place of those between its marks.
 *
 * @throws RangeError when it has no two marks.
 */
export function pageWith(page: string, run: RunResult): string {
  const [before, , after, ...more] = page.split(MARK);
  if (after === undefined || more.length > 0) throw new RangeError(`the page must have ${MARK} twice`);
  const figures = `${footMarkdown(run)}\nMeasured on ${run.measuredAt.slice(0, 10)}.\n\n${partsMarkdown(run)}`;
  return `${before!}${MARK}\n\n${figures}\n${MARK}${after}`;
}

/** One table with its goals. */
export function tableMarkdown(table: TableResult): string {
  const ours = table.timings.find(({ role }) => role === 'native')!;
  const rows = table.timings
    .toSorted((a, b) => a.cpu.median - b.cpu.median)
    .map((timing) => [
      `${timing.role === 'native' ? `**${timing.name}**` : timing.name}${timing.version === null ? '' : ` ${timing.version}`}`,
      milliseconds(timing.cpu.median),
      `${milliseconds(timing.cpu.min)}–${milliseconds(timing.cpu.max)}`,
      milliseconds(timing.time.median),
      thousands(Math.round((table.records / timing.cpu.median) * 1000)),
      bytes(timing.bytes),
      milliseconds(timing.firstByteMs),
      `${ratio(timing.cpu.median / ours.cpu.median)} ×`,
      timing.note ?? '',
    ]);
  const what = table.pages
    ? `pages of ${table.records} records, ${table.columns} columns`
    : `${thousands(table.records)} records, ${table.columns} columns`;
  return [
    `### ${table.title} (${what})`,
    '',
    ...grid(
      ['', 'cpu, ms', 'min–max', 'clock, ms', 'records/s', 'size', 'first byte, ms', 'cpu', ''],
      rows,
      'lrrrrrrrl',
    ),
    '',
    ...table.goals.map(goalLine),
    ...(table.left.length === 0 ? [] : [`- not measured at this size: ${table.left.join(', ')}`]),
    '',
  ].join('\n');
}

/** A goal and what came of it, as a list item. */
export function goalLine({ label, bound, limit, against, measured, clock, met }: GoalResult): string {
  const value = bound === 'at least' ? ratio : percent;
  const wanted = `${bound === 'at least' ? '>=' : '<='} ${value(limit)}`;
  return `- ${met ? 'holds' : 'FAILS'}: ${label}${against === null || label.includes(against) ? '' : ` (${against})`}: ${value(measured.median)} (${value(measured.min)}–${value(measured.max)})${clock === null ? '' : `, by the clock ${value(clock)}`}; wanted ${wanted}`;
}

/** The memory table. */
export function memoryMarkdown(result: MemoryResult): string {
  const rows = result.rows.map((row) => [
    row.name,
    `${row.small.residentMiB.toFixed(0)} (${thousands(row.small.records)})`,
    `${row.large.residentMiB.toFixed(0)} (${thousands(row.large.records)})`,
    row.growthMiB.toFixed(0),
    `${heap(row.small)} → ${heap(row.large)}`,
    row.large.bytes === null ? '–' : bytes(row.large.bytes),
    row.met ? 'holds' : `FAILS: more than ${row.limitMiB}`,
  ]);
  const head = ['', 'peak, MiB (records)', 'peak, MiB (records)', 'growth, MiB', 'heap, MiB', 'written', ''];
  return [`### ${result.title}`, '', ...grid(head, rows, 'lrrrrrl'), ''].join('\n');
}

function heap({ heapMiB }: MemoryPeak): string {
  return heapMiB === null ? '–' : heapMiB.toFixed(0);
}

/** What was checked, as a list. */
export function checksMarkdown({ title, checks }: CheckResult): string {
  return [`### ${title}`, '', ...checks.map(checkLine), ''].join('\n');
}

function checkLine({ label, met }: CheckResult['checks'][number]): string {
  return `- ${met ? 'holds' : 'FAILS'}: ${label}`;
}

function footMarkdown(run: RunResult): string {
  return [
    `gazette ${run.gazette} at commit ${run.commit}; ${describeMachine(run.machine)}. n = ${run.rounds} interleaved rounds after`,
    'those that warm up; times are medians of processor time, spread is min–max; a ratio is the median of the ratios within each round.',
  ].join('\n');
}

/** Every goal of a run that was not met, as lines. */
export function failures(run: RunResult): string[] {
  return [
    ...run.tables.flatMap(({ id, goals }) => goals.filter(({ met }) => !met).map((goal) => `${id} ${goalLine(goal)}`)),
    ...run.memory.flatMap(({ id, rows }) =>
      rows
        .filter(({ met }) => !met)
        .map(({ name, growthMiB, limitMiB }) => `${id} ${name}: +${growthMiB.toFixed(0)} MiB, limit ${limitMiB}`),
    ),
    ...run.checks.flatMap(({ id, checks }) =>
      checks.filter(({ met }) => !met).map((check) => `${id} ${checkLine(check)}`),
    ),
  ];
}

/** Rows as a Markdown table whose columns line up. `align` has an `l` or `r` per column. */
function grid(head: readonly string[], rows: readonly (readonly string[])[], align: string): string[] {
  const widths = head.map((title, column) => Math.max(3, title.length, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => (align[i] === 'r' ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!))).join(' | ')} |`;
  const rule = widths.map((width, i) => (align[i] === 'r' ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)));
  return [line(head), line(rule), ...rows.map(line)];
}

/** Times of very different lengths, each with three figures that mean something. */
export function milliseconds(ms: number): string {
  return ms >= 100 ? thousands(Math.round(ms)) : ms.toPrecision(3);
}

/** A multiple, with two decimals below ten. */
export function ratio(value: number): string {
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function percent(value: number): string {
  return `${(value * 100).toFixed(2)} %`;
}

function thousands(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

function bytes(count: number): string {
  return count >= 10_000_000 ? `${(count / 1e6).toFixed(1)} MB` : `${(count / 1e3).toFixed(1)} kB`;
}
