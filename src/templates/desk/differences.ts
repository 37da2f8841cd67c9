// What an import changes, field by field: in how many records, with examples, and the greatest change of a number first, which is
// where a decimal comma shows.
import type { JsonValue } from '../../register/canonical-json.ts';
import type { RegisterDefinition } from '../../register/record.ts';
import { phrase, type SignInFrame } from '../account/parts.ts';
import { markup, type Markup, NOTHING } from '../markup.ts';
import { diffRow, diffTable, fieldLabel, valueChanges } from '../parts/versions.ts';
import type { Wording } from '../wording.ts';
import { countOf, recordLink } from './parts.ts';

/** A record that changes in a field. */
interface Example {
  readonly record_id: string;
  readonly before: JsonValue;
  readonly after: JsonValue;
}

/** How a field changes. */
export interface FieldDifference {
  readonly field: string;
  /** In how many records. */
  readonly changed: number;
  readonly examples: readonly Example[];
  /** The greatest change of a number. Null: no number changes into another. */
  readonly largest: (Example & { readonly factor: number }) | null;
}

/** How many bytes of the page they may take, and how many members of an object an example has. */
const [BYTES, MEMBERS] = [24_000, 4];

/** The section. @param ofFirst how many records it was made of; null: all */
export function differences(
  frame: SignInFrame,
  definition: Pick<RegisterDefinition, 'fields' | 'language'>,
  fields: readonly FieldDifference[],
  ofFirst: number | null,
): Markup {
  if (fields.length === 0) return NOTHING;
  const { wording } = frame;
  const { imports } = wording.desk;
  const sorted = fields.toSorted((a, b) => magnitudeOf(b) - magnitudeOf(a) || b.changed - a.changed);
  const shown: Markup[] = [];
  let room = BYTES;
  for (const field of sorted) {
    const section = differenceOf(frame, definition, field);
    room -= Buffer.byteLength(section.toString());
    if (room < 0 && shown.length > 0) break;
    shown.push(section);
  }
  const others = sorted.slice(shown.length);
  const names = others.slice(0, 50).map(({ field }) => fieldLabel(wording.texts, field, definition));
  const more = {
    count: wording.number(others.length),
    names: markup`${names.map((name, at) => markup`${at > 0 ? ', ' : ''}${name}`)}`,
  };
  return markup`<section><h2>${imports.differences}</h2>
${ofFirst === null ? NOTHING : markup`<p class="hint">${phrase(imports.ofFirst, { count: wording.number(ofFirst) })}</p>\n`}${shown}${
    others.length === 0 ? NOTHING : markup`<p>${phrase(imports.moreFields, more)}</p>\n`
  }</section>
`;
}

/** How far from equal the greatest change is. */
function magnitudeOf({ largest }: FieldDifference): number {
  return largest === null ? 0 : Math.abs(Math.log(Math.abs(largest.factor)));
}

function differenceOf(
  frame: SignInFrame,
  definition: Pick<RegisterDefinition, 'fields' | 'language'>,
  { field, changed, examples, largest }: FieldDifference,
): Markup {
  const { wording } = frame;
  const { imports } = wording.desk;
  const isOther = ({ record_id }: Example): boolean => record_id !== largest?.record_id;
  const shown = largest === null ? examples : [largest, ...examples.filter(isOther)];
  const rows = shown.flatMap(({ record_id, before, after }) =>
    valueChanges(wording, definition, field, [before, after])
      .slice(0, MEMBERS)
      .map((change) => {
        const member = change.member === null ? NOTHING : markup` <span class="quiet">› ${change.member}</span>`;
        return diffRow(wording, definition, markup`${recordLink(frame, record_id)}${member}`, change);
      }),
  );
  const factor =
    largest === null
      ? NOTHING
      : markup` <span aria-hidden="true">·</span> ${phrase(imports.largest, {
          factor: markup`<strong>${factorText(wording, largest.factor)}</strong>`,
        })}`;
  return markup`<h3>${fieldLabel(wording.texts, field, definition)}</h3>
<p class="facts">${countOf(wording, imports.changedIn, changed)}${factor}</p>
${rows.length === 0 ? NOTHING : diffTable(wording, imports.record, rows)}
`;
}

/** How many times a number is what it was, as people say it: 100 times, a hundredth, 1/48, 104 %. A part is within a hundredth of it. */
function factorText(wording: Wording, factor: number): string {
  const { factors } = wording.desk.imports;
  const size = Math.abs(factor);
  const number = (value: number): string => wording.number(Number(value.toPrecision(3)));
  const round = Math.round(1 / size);
  const isPart = round >= 2 && Math.abs(1 / size / round - 1) < 0.01;
  const name = Math.abs(1 / size / round - 1) < 1e-9 ? PARTS.get(round) : undefined;
  const text =
    size >= 2
      ? factors.times.replace('{count}', number(size))
      : name !== undefined
        ? factors[name]
        : isPart
          ? factors.part.replace('{count}', number(round))
          : factors.percent.replace('{count}', number(size * 100));
  return factor < 0 ? `${factors.sign}, ${text}` : text;
}

const PARTS: ReadonlyMap<number, 'tenth' | 'hundredth' | 'thousandth'> = new Map([
  [10, 'tenth'],
  [100, 'hundredth'],
  [1000, 'thousandth'],
]);
