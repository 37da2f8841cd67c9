// What was found in a file, and why its rows were refused, in the reader's words. What is said in no other language stands there in
// English, and says so.
import { CORE_FIELDS } from '../../register/fields.ts';
import { OWN_PREFIX } from '../../register/finding/own-filters.ts';
import type { RegisterDefinition } from '../../register/record.ts';
import { phrase, type SignInFrame } from '../account/parts.ts';
import { markup, type Markup, NOTHING } from '../markup.ts';
import { shortened } from '../parts/excerpt.ts';
import type { Wording } from '../wording.ts';
import { countOf, fieldLabel } from './parts.ts';

/** What a finding says, without words. */
export interface FindingFacts {
  readonly counts: Readonly<Record<string, number>>;
  readonly items?: readonly { readonly name: string; readonly count?: number; readonly examples?: readonly string[] }[];
}

/** A row that was refused. */
export interface RefusedRow {
  readonly where: string;
  readonly reason: string;
  readonly field?: string;
  readonly code?: string;
}

/** How many things are named, and how many bytes a text may take. */
const [RECORDS, TEXT_BYTES] = [20, 1000];

/** What a finding says in the reader's language, with what it is about; in English where it says it in no other. */
export function sentenceOf(
  frame: SignInFrame,
  definition: RegisterDefinition,
  {
    code,
    message,
    facts,
  }: { readonly code: string; readonly message: string; readonly facts?: FindingFacts | undefined },
): Markup {
  const { wording } = frame;
  const { imports } = wording.desk;
  const sentence = imports.sentences[code];
  if (message === '') return NOTHING;
  if (facts === undefined || sentence === undefined) {
    return markup`<p${inEnglish(frame)}>${shortened(message, TEXT_BYTES)}</p>\n`;
  }
  const counts = Object.entries(facts.counts).map(([name, count]) => [name, wording.number(count)] as const);
  const items = (facts.items ?? []).slice(0, RECORDS).map(({ name, count, examples: values = [] }) => {
    const times = count === undefined ? NOTHING : markup` (${countOf(wording, imports.times, count)})`;
    const shown = values.map((value) => shortened(wording.date(value), 100)).join(', ');
    return markup`<li><span class="long">${nameOf(wording, definition, name)}</span>${times}${shown === '' ? NOTHING : markup`: <span class="long">${shown}</span>`}</li>\n`;
  });
  return markup`<p>${phrase(sentence, Object.fromEntries(counts))}</p>
${items.length === 0 ? NOTHING : markup`<ul>\n${items}</ul>\n`}`;
}

/** A field by its label; a column or an id as it is. */
function nameOf(wording: Wording, definition: RegisterDefinition, name: string): Markup {
  return name.startsWith(OWN_PREFIX) || Object.hasOwn(wording.texts.core, name)
    ? fieldLabel(wording, name, definition)
    : markup`${shortened(name, 200)}`;
}

/** Why a row was refused, in the reader's words; what stands in the file behind them. */
export function refusalOf(
  frame: SignInFrame,
  definition: RegisterDefinition,
  { where, reason, field, code }: RefusedRow,
): Markup {
  const { wording } = frame;
  const { refusals, written } = wording.desk.imports;
  const place = shortened(where, 200);
  if (code === 'duplicate_id') {
    const id = /"(.+?)"/su.exec(reason)?.[1] ?? '';
    return markup`<span class="long">${place}: ${refusals.duplicate_id} ${shortened(id, 200)}</span>`;
  }
  if (field === undefined)
    return markup`<span class="long"${inEnglish(frame)}>${place}: ${shortened(reason, TEXT_BYTES)}</span>`;
  const type =
    definition.fields.find(({ name }) => OWN_PREFIX + name === field)?.type ??
    CORE_FIELDS.find(({ name }) => name === field)?.type;
  // The message ends with the value.
  const value = /, got (.+)$/su.exec(reason)?.[1] ?? '';
  const isEmpty = ['""', 'nothing', 'null', ''].includes(value);
  const why = isEmpty ? refusals.empty : refusals[type ?? 'text'];
  const shown = isEmpty ? NOTHING : markup` (${phrase(written, { value: shortened(value, 200) })})`;
  return markup`<span class="long">${place}: ${nameOf(wording, definition, field)} ${why}${shown}</span>`;
}

/** What the service says in English. */
function inEnglish({ wording }: SignInFrame): Markup {
  return wording.language === 'en' ? NOTHING : markup` lang="en"`;
}
