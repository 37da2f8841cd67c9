// What an import changes, field by field: in how many records, with examples, and the greatest change of a number first, which is
// where a decimal comma shows.
import type { JsonValue } from '../../../register/canonical-json.ts';
import type { RegisterDefinition } from '../../../register/record.ts';
import { phrase, type SignInFrame } from '../../account/parts.ts';
import { type Content, markup, type Markup, NOTHING } from '../../markup.ts';
import { differenceOf, sideOf } from '../../parts/diff.ts';
import { ownText } from '../../parts/texts.ts';
import { diffRow, diffTable, valueChanges } from '../../parts/versions.ts';
import type { Wording } from '../../wording.ts';
import { countOf, fieldLabel, recordLink } from '../parts.ts';

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

/** How many bytes one side of what was set by hand may take. */
const SIDE_BYTES = 500;

/** The section. @param hint what it was made of; nothing where that is all records */
export function differences(
  frame: SignInFrame,
  definition: Pick<RegisterDefinition, 'fields' | 'language'>,
  fields: readonly FieldDifference[],
  hint: Markup,
): Markup {
  if (fields.length === 0) return NOTHING;
  const { wording } = frame;
  const { imports } = wording.desk;
  const sorted = fields.toSorted((a, b) => magnitudeOf(b) - magnitudeOf(a) || b.changed - a.changed);
  const shown: Markup[] = [];
  let room = BYTES;
  for (const field of sorted) {
    const section = fieldSection(frame, definition, field);
    room -= Buffer.byteLength(section.toString());
    if (room < 0 && shown.length > 0) break;
    shown.push(section);
  }
  const others = sorted.slice(shown.length);
  const names = others.slice(0, 50).map(({ field }) => fieldLabel(wording, field, definition));
  const more = {
    count: wording.number(others.length),
    names: markup`${names.map((name, at) => markup`${at > 0 ? ', ' : ''}${name}`)}`,
  };
  return markup`<section><h2>${imports.differences}</h2>
${hint}${shown}${others.length === 0 ? NOTHING : markup`<p>${phrase(imports.moreFields, more)}</p>\n`}</section>
`;
}

/** A record that was set by hand, and what the file says of it. */
export interface HandDifference {
  readonly record_id: string;
  readonly becomes: 'changed' | 'restored' | 'withdrawn';
  readonly fields: readonly (Omit<Example, 'record_id'> & Pick<FieldDifference, 'field'>)[];
}

/** The table of what was set by hand, and what the file says: neither is what was before, and nothing is struck out. */
export function handTable(
  frame: SignInFrame,
  definition: Pick<RegisterDefinition, 'fields' | 'language'>,
  records: readonly HandDifference[],
): Markup {
  const { wording } = frame;
  const { imports, records: texts } = wording.desk;
  const hand = texts.byHand;
  const language = ownText(wording, definition.language);
  const row = (label: Markup, set: Content, file: Content, own: Markup): Markup =>
    markup`<tr><th scope="row">${label}</th><td data-label="${hand.set}"${own}>${set}</td><td data-label="${hand.file}"${own}>${file}</td></tr>\n`;
  const rows: Markup[] = [];
  let room = BYTES;
  for (const { record_id: id, becomes, fields } of records) {
    const link = recordLink(frame, id);
    const ofRecord =
      becomes === 'changed'
        ? fields.flatMap(({ field, before, after }) =>
            valueChanges(wording, definition, field, [before, after])
              .slice(0, MEMBERS)
              .map((change) => {
                const member = change.member === null ? NOTHING : markup` › ${change.member}`;
                const label = markup`${link} <span class="quiet">${fieldLabel(wording, field, definition)}${member}</span>`;
                return row(label, ...otherwise(change), language);
              }),
          )
        : [row(link, ...hand[becomes], NOTHING)];
    room -= Buffer.byteLength(ofRecord.join(''));
    if (room < 0 && rows.length > 0) break;
    rows.push(...ofRecord);
  }
  if (rows.length === 0) return NOTHING;
  return markup`<table class="diff"><thead><tr><th scope="col">${imports.record}</th><th scope="col">${hand.set}</th><th scope="col">${hand.file}</th></tr></thead>
<tbody>
${rows}</tbody></table>
`;
}

/** Two texts, each with the words marked that the other has not. */
function otherwise({ before, after }: Readonly<Record<'before' | 'after', string>>): readonly [Markup, Markup] {
  const sides = [differenceOf(after, before), differenceOf(before, after)];
  return sides.map((pieces) => sideOf(pieces, 'added', SIDE_BYTES)) as [Markup, Markup];
}

/** How far from equal the greatest change is. */
function magnitudeOf({ largest }: FieldDifference): number {
  return largest === null ? 0 : Math.abs(Math.log(Math.abs(largest.factor)));
}

function fieldSection(
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
  const most =
    largest === null
      ? NOTHING
      : markup` <span aria-hidden="true">·</span> ${largestText(frame, definition, field, largest)}`;
  return markup`<h3>${fieldLabel(wording, field, definition)}</h3>
<p class="facts">${countOf(wording, imports.changedIn, changed)}${most}</p>
${rows.length === 0 ? NOTHING : diffTable(wording, imports.record, rows)}
`;
}

/** The greatest change, as people say it: from 1,200 to 211, by how much, and what a lost decimal comma would make of it. */
function largestText(
  { wording }: SignInFrame,
  definition: Pick<RegisterDefinition, 'fields' | 'language'>,
  field: string,
  { before: was, after: is, factor }: NonNullable<FieldDifference['largest']>,
): Markup {
  const { imports } = wording.desk;
  const [{ before, after } = { before: '', after: '' }] = valueChanges(wording, definition, field, [was, is]);
  const how = howMuch(wording, factor);
  const values = { before: markup`<strong>${before}</strong>`, after: markup`<strong>${after}</strong>` };
  return markup`${phrase(imports.largest, values)}${how === null ? NOTHING : markup` (${how})`}`;
}

/** By how much a number changed. Null: that says nothing, because its sign did. */
function howMuch(wording: Wording, factor: number): string | null {
  if (factor < 0) return null;
  const { factors } = wording.desk.imports;
  const number = (value: number): string => wording.number(Number(value.toPrecision(3)));
  if (factor >= 2) return factors.times.replace('{count}', number(factor));
  const name = Math.abs(1 / factor / Math.round(1 / factor) - 1) < 1e-9 ? PARTS.get(Math.round(1 / factor)) : undefined;
  if (name !== undefined) return factors[name];
  const percent = (factor - 1) * 100;
  return factors[percent > 0 ? 'more' : 'less'].replace('{count}', number(Math.abs(percent)));
}

const PARTS: ReadonlyMap<number, 'tenth' | 'hundredth' | 'thousandth'> = new Map([
  [10, 'tenth'],
  [100, 'hundredth'],
  [1000, 'thousandth'],
]);
