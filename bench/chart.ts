// One bar chart per table, as SVG without scripts or fonts of its own: it shows in a README, light or dark.
import type { Timing } from './harness.ts';
import { ratio } from './report.ts';
import type { TableResult } from './result.ts';

const WIDTH = 760;
const LABEL_WIDTH = 170;
const VALUE_WIDTH = 150;
const BAR_HEIGHT = 22;
const GAP = 8;
const TOP = 44;

const COLOURS: Readonly<Record<Timing['role'], string>> = {
  native: '#1a7f64',
  reference: '#7fb8a8',
  'bare loop': '#b9b9b9',
  peer: '#6b83a8',
};

/** Records by each contestant's second of processor time as a bar, the best on top; longer is better. */
export function toSvg(table: TableResult): string {
  const timings = table.timings.toSorted((a, b) => a.cpu.median - b.cpu.median);
  const ours = timings.find(({ role }) => role === 'native')!;
  const fastest = timings[0]!.cpu.median;
  const height = TOP + timings.length * (BAR_HEIGHT + GAP) + GAP;
  const bars = timings.map((timing, row) => {
    const y = TOP + row * (BAR_HEIGHT + GAP);
    const length = Math.max(1, (WIDTH - LABEL_WIDTH - VALUE_WIDTH) * (fastest / timing.cpu.median));
    const middle = y + BAR_HEIGHT / 2 + 4;
    const perSecond = compact((table.records / timing.cpu.median) * 1000);
    return [
      `<text x="${LABEL_WIDTH - 8}" y="${middle}" text-anchor="end"${timing.role === 'native' ? ' font-weight="bold"' : ''}>${escapeXml(timing.name)}</text>`,
      `<rect x="${LABEL_WIDTH}" y="${y}" width="${length.toFixed(1)}" height="${BAR_HEIGHT}" rx="2" fill="${COLOURS[timing.role]}"/>`,
      `<text x="${(LABEL_WIDTH + length + 8).toFixed(1)}" y="${middle}">${perSecond} records/s${timing === ours ? '' : ` (1/${ratio(timing.cpu.median / ours.cpu.median)})`}</text>`,
    ].join('\n');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" font-family="system-ui, sans-serif" font-size="12">
<style>text{fill:#1f2328}@media (prefers-color-scheme:dark){text{fill:#e6edf3}}</style>
<title>${escapeXml(table.title)}</title>
<text x="8" y="24" font-size="15" font-weight="bold">${escapeXml(`${table.title}: ${table.pages ? `pages of ${table.records}` : compact(table.records)} records, ${table.columns} columns`)}</text>
${bars.join('\n')}
</svg>
`;
}

function compact(value: number): string {
  if (value >= 1e6) return `${(value / 1e6).toFixed(2)}M`;
  return value >= 1e4 ? `${Math.round(value / 1e3)}k` : String(Math.round(value));
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
