// Where a record is: a dot among those of its register, on a map of our own that asks no other host. Degrees are drawn as they are, narrower
// towards the poles, which is right for the extent of a country and good enough for the world.
import type { Point } from '../../register/places/readers.ts';
import { markup, type Markup, NOTHING } from '../markup.ts';
import type { Wording } from '../wording.ts';

/** What is drawn in, in units of the drawing. */
const [WIDTH, MOST_HEIGHT, LEAST_HEIGHT, EDGE] = [640, 480, 200, 16];

/** The room of what is written beside a line. */
const LABEL_WIDTH = 90;

/** How many other places are drawn: more would lie on each other. */
const MOST_DOTS = 400;

/** The least that a map shows, in degrees: some hundred metres. */
const LEAST_SPAN = 0.004;

/** The map. @param others the places of the register, this one among them or not */
export function pointMap(wording: Wording, point: Point, others: readonly Point[]): Markup {
  const { record } = wording.texts;
  const all = [...others, point];
  const [south, north] = spanOf(all.map(({ latitude }) => latitude));
  const [west, east] = spanOf(all.map(({ longitude }) => longitude));
  const narrowing = Math.max(Math.cos((((south + north) / 2) * Math.PI) / 180), 0.1);
  const scale = Math.min((WIDTH - 2 * EDGE) / ((east - west) * narrowing), (MOST_HEIGHT - 2 * EDGE) / (north - south));
  const height = Math.max(LEAST_HEIGHT, Math.round((north - south) * scale + 2 * EDGE));
  const [middle, centre] = [(west + east) / 2, (south + north) / 2];
  const rounded = (value: number): number => Math.round(value * 10) / 10;
  const x = (longitude: number): number => rounded(WIDTH / 2 + (longitude - middle) * narrowing * scale);
  const y = (latitude: number): number => rounded(height / 2 - (latitude - centre) * scale);
  const dots = new Set(others.map(({ latitude, longitude }) => `M${x(longitude)} ${y(latitude)}h0`));
  const every = Math.ceil(dots.size / MOST_DOTS);
  const shown = [...dots].filter((_, at) => at % every === 0);
  const eastmost = middle + (WIDTH / 2 - LABEL_WIDTH) / scale / narrowing;
  const meridians = linesWithin(middle - WIDTH / 2 / scale / narrowing, eastmost);
  const parallels = linesWithin(centre - height / 2 / scale, centre + height / 2 / scale);
  const lines = [...meridians.map((at) => `M${x(at)} 0v${height}`), ...parallels.map((at) => `M0 ${y(at)}h${WIDTH}`)];
  const label = record.mapOf(degrees(wording, point.latitude), degrees(wording, point.longitude));
  return markup`<figure class="map"><svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${label}">
<path class="grid" d="${lines.join('')}"/>
${parallels.map((at) => markup`<text x="6" y="${rounded(y(at) - 5)}">${degrees(wording, at)}</text>`)}${meridians.map((at) => markup`<text x="${rounded(x(at) + 5)}" y="${height - 6}">${degrees(wording, at)}</text>`)}
${shown.length === 0 ? NOTHING : markup`<path class="dots" d="${shown.join('')}"/>`}<circle cx="${x(point.longitude)}" cy="${y(point.latitude)}" r="8"/></svg>
<figcaption class="hint">${label}${others.length > 1 ? markup` ${record.mapOthers}` : NOTHING}</figcaption></figure>
`;
}

/** From the least to the greatest, with what a map shows at least. */
function spanOf(values: readonly number[]): readonly [number, number] {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)];
  const missing = Math.max(0, LEAST_SPAN - (most - least)) / 2;
  return [least - missing, most + missing];
}

/** Round degrees between two, two to five of them or so. */
function linesWithin(from: number, to: number): readonly number[] {
  const power = 10 ** Math.floor(Math.log10((to - from) / 2));
  const step = [5, 2, 1].map((one) => one * power).find((one) => (to - from) / one >= 2) ?? power;
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, at) =>
    Number(((first + at) * step).toPrecision(10)),
  );
}

function degrees(wording: Wording, value: number): string {
  return `${wording.exactNumber(String(Math.round(value * 1e5) / 1e5))}°`;
}
