// What was found in a file, and why its rows were refused, in the reader's words. What is said in no other language stands there in
// English, and says so.
import { CORE_FIELDS } from '../../../register/fields.ts';
import { OWN_PREFIX } from '../../../register/finding/own-filters.ts';
import type { RegisterDefinition } from '../../../register/record.ts';
import type { ImportEntry } from '../../../stores/contract/imports/log.ts';
import { badge, phrase, type SignInFrame } from '../../account/parts.ts';
import type { RemarkCode } from '../../languages/desk/remarks-en.ts';
import { markup, type Markup, NOTHING } from '../../markup.ts';
import { shortened } from '../../parts/excerpt.ts';
import type { Wording } from '../../wording.ts';
import { countOf, fieldLabel, recordLink } from '../parts.ts';
import { type HandDifference, handTable } from './differences.ts';

/** Something that was found. */
export interface Found {
  readonly code: string;
  readonly stops: boolean;
  readonly message: string;
  readonly records?: readonly string[];
  readonly facts?: FindingFacts | undefined;
}

/** What a finding says, without words. */
interface FindingFacts {
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

/** The finding after which what was set by hand can stay. */
export const BY_HAND = 'kept-by-hand';

/** How many things are named, and how many bytes a text may take. */
const [RECORDS, TEXT_BYTES] = [20, 1000];

/** What was found in the file of an import, what stops it first. */
export function findingsOf(
  frame: SignInFrame,
  { definition, entry }: { readonly definition: RegisterDefinition; readonly entry: Pick<ImportEntry, 'state'> },
  {
    findings,
    by_hand: byHand = [],
  }: { readonly findings: readonly Found[]; readonly by_hand?: readonly HandDifference[] },
): Markup {
  if (findings.length === 0) return NOTHING;
  const { imports } = frame.wording.desk;
  const stopping = entry.state === 'proposed' ? imports.stops : imports.stopped;
  const sorted = findings.toSorted((a, b) => Number(b.stops) - Number(a.stops));
  const items = sorted.map((finding) => {
    const { code, stops, records = [] } = finding;
    const named = records.slice(0, RECORDS).map((id) => markup`<li>${recordLink(frame, id)}</li>\n`);
    const against = code === BY_HAND ? handTable(frame, definition, byHand) : NOTHING;
    const known = Object.hasOwn(imports.codes, code) ? imports.codes[code] : code;
    return markup`<h3>${known} ${badge(stops ? stopping : imports.note, stops ? 'bad' : 'idle')}</h3>
${sentenceOf(frame, definition, finding, entry)}${against}${named.length === 0 ? NOTHING : markup`<details><summary>${imports.records}</summary><ul>\n${named}</ul></details>\n`}`;
  });
  return markup`<section><h2>${imports.findings}</h2>
${items}</section>
`;
}

/** What a finding says in the reader's language, with what it is about; in English where it says it in no other. */
function sentenceOf(
  frame: SignInFrame,
  definition: RegisterDefinition,
  { code, message, facts }: Pick<Found, 'code' | 'message' | 'facts'>,
  { state }: Pick<ImportEntry, 'state'>,
): Markup {
  const { wording } = frame;
  const { imports } = wording.desk;
  const sentence = imports.sentences[code];
  if (message === '' && facts === undefined) return NOTHING;
  if (facts === undefined || sentence === undefined) {
    return markup`<p${inEnglish(frame)}>${shortened(withoutOptions(message), TEXT_BYTES)}</p>\n`;
  }
  const counts = Object.entries(facts.counts).map(([name, count]) => [name, wording.number(count)] as const);
  const items = (facts.items ?? []).slice(0, RECORDS).map(({ name, count, examples: values = [] }) => {
    const times = count === undefined ? NOTHING : markup` (${countOf(wording, imports.times, count)})`;
    const shown = values.map((value) => shortened(wording.date(value), 100)).join(', ');
    const named = code === 'settings-stay' ? wording.desk.settings.names[name] : undefined;
    return markup`<li><span class="long">${named ?? nameOf(wording, definition, name)}</span>${times}${shown === '' ? NOTHING : markup`: <span class="long">${shown}</span>`}</li>\n`;
  });
  const hint = state === 'proposed' ? imports.hints[code] : undefined;
  return markup`<p>${phrase(sentence, Object.fromEntries(counts))}${hint === undefined ? NOTHING : ` ${hint}`}</p>
${items.length === 0 ? NOTHING : markup`<ul>\n${items}</ul>\n`}`;
}

/** A field by its label; a column or an id as it is. */
function nameOf(wording: Wording, definition: Pick<RegisterDefinition, 'fields' | 'language'>, name: string): Markup {
  return name.startsWith(OWN_PREFIX) || Object.hasOwn(wording.texts.core, name)
    ? fieldLabel(wording, name, definition)
    : markup`${shortened(name, 200)}`;
}

/** Why a row was refused, in the reader's words; what stands in the file behind them. */
export function refusalOf(
  frame: SignInFrame,
  definition: Pick<RegisterDefinition, 'fields' | 'language'>,
  { where, reason, field, code }: RefusedRow,
): Markup {
  const { wording } = frame;
  const { refusals, written } = wording.desk.imports;
  const place = shortened(where.replace(/\b(?:line|row)(?= \d)/, wording.desk.imports.row), 200);
  if (code === 'duplicate_id') {
    const id = /"(.+?)"/su.exec(reason)?.[1] ?? '';
    return markup`<span class="long">${place}: ${refusals.duplicate_id} ${shortened(id, 200)}</span>`;
  }
  if (field === undefined) {
    const said = saidOf(wording, reason);
    if (said !== null) return markup`<span class="long">${place}: ${said.text}</span>`;
    return markup`<span class="long"${inEnglish(frame)}>${place}: ${shortened(withoutOptions(reason), TEXT_BYTES)}</span>`;
  }
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

/** What the command line is told: an option, or a command. */
const OPTION = /(?:^|[ (])(?:--|gazette )[a-z]/;

/**
 * A sentence without what can be done on the command line: here nobody can. Each clause goes from the comma before an option on, and
 * whole where nothing but a condition is before it. What is in quotes is left as it is.
 */
export function withoutOptions(sentence: string): string {
  const quoted: string[] = [];
  const bare = sentence
    .replaceAll(/"(?:[^"\\]|\\.)*"|(?<= )'[^']*'/g, (text) => `\0${quoted.push(text) - 1}\0`)
    .replaceAll(/ \([^()]*\)/g, (text) => (OPTION.test(text) ? '' : text));
  const kept: string[] = [];
  for (const clause of bare.split(/(?=[;:.] )/)) {
    const [, sign, words] = /^((?:[;:.] )?)(.*)$/s.exec(clause)!;
    const at = words!.search(OPTION);
    const before = at < 0 ? words! : words!.slice(0, Math.max(words!.lastIndexOf(', ', at), 0));
    if (before !== '' && (at < 0 || !/^(?:if|where) /.test(before))) kept.push(sign! + before);
    // Behind a colon that ends an instruction: `change it with: gazette …`.
    else if (at === 0 && sign === ': ' && kept.length > 1) kept.pop();
  }
  return kept
    .join('')
    .replace(/^[;:.] /, '')
    .replaceAll(/\0(\d+)\0/g, (_, place: string) => quoted[Number(place)] ?? '');
}

/** What the service says in English. */
function inEnglish({ wording }: SignInFrame): Markup {
  return wording.language === 'en' ? NOTHING : markup` lang="en"`;
}

/** How each sentence goes; its groups are the values of the texts, and `first` is why a row was refused. */
const SENTENCES: readonly (readonly [RemarkCode, RegExp])[] = [
  ['wholeRow', /^two rows can be alike in every column/],
  ['madeOf', /^no column has a different value .* is made of (?<names>.+); say another/s],
  ['someSources', /^(?<names>".+") has an address in (?<count>\d+) records? only/s],
  ['noSources', /^no column has the web address of a record/],
  ['dates', /^none of the dates \((?<names>.+)\) is called/s],
  ['noTitle', /^no column can be a title/],
  ['someTitles', /^(?<names>".+") is empty in some records/s],
  ['otherTitle', /^no column is called a title: (?<names>".+") is taken/s],
  ['valueAsName', /^a column is called (?<names>".+"): if the first line/s],
  ['daysOrMonths', /^the dates in (?<names>".+") may be (?<one>\S+) or (?<other>[^:]+):/s],
  ['amounts', /^amounts have a comma in (?<names>".+") and a point in (?<others>".+"); those/s],
  ['refused', /^an import would refuse (?<count>\d+) of (?<all>\d+) records?; the first: (?<first>.+)$/s],
  ['total', /^that is the last one, and may hold totals/],
  ['missing', /^words and signs such as n\/a and - mean no value in (?<names>.+)$/s],
  ['bothWays', /^the dates run both ways/],
  ['noDates', /^no dates show which record is the newest/],
  ['fieldNames', /^every record has fields of these names already: (?<names>.+)$/s],
  ['encoding', /^the text is not UTF-8 and is read as (?<one>[^:]+): (?<names>".+") in line (?<line>\d+)/s],
  ['shifted', /^line (?<line>\d+) has one name more .* the first column is (?<names>".+")$/s],
  ['unnamed', /^columns without a name of their own are read under another: (?<names>.+)$/s],
  ['noHeader', /^the first row looks like the others/],
  ['headerRows', /^the names of the columns are in .+, and are joined/],
  ['errorCells', /^(?:one cell has|\d+ cells have) an error instead of a value \(first (?<one>.+)\)/s],
  ['sheets', /^the sheets? (?<names>".+") (?:is|are) read, not (?<others>".+"(?: and \d+ more)?); --pick/s],
  ['oneRefused', /: its only record was refused: (?<first>.+)$/s],
  ['allRefused', /: all (?<count>\d+) records were refused, the first: (?<first>.+)$/s],
  ['nothing', /: there are no records(?:$|:)/],
  ['empty', / is empty(?:$|;)/],
  ['encodingMark', /: begins with the byte-order mark of /],
  ['unknownKeys', / no id that can be read, so which records are missing is not known/],
  ['noList', /: is .+, not an array of records(?:;|$)/],
  ['listAt', /^the records are those of (?<names>".+"); say/s],
  ['aboveHeader', / above the header in .+ (?:is|are) not read/],
  ['separator', /^.+ separates the fields;/],
  ['noNames', /no column has a name/],
  ['brokenText', /has bytes that are no text/],
  ['totalRow', / is a total, not a record/],
  ['otherKind', /^(?<first>.+ is (?:an? |not a )[^;]+; .+)$/s],
];

/** A sentence in words of the page, as far as there are; null: there are none. */
export function saidOf(wording: Wording, sentence: string): { readonly text: string; readonly first: string } | null {
  for (const [code, pattern] of SENTENCES) {
    const found = pattern.exec(sentence);
    if (found === null) continue;
    const values = found.groups ?? {};
    const text = wording.desk.remarks[code].replaceAll(/\{([a-z]+)\}/g, (_, name: string) => {
      const value = values[name] ?? '';
      return /^\d{1,15}$/.test(value) ? wording.number(Number(value)) : listed(value);
    });
    return { text, first: values.first ?? '' };
  }
  return null;
}

/** Names in a row, without an English word between them. */
function listed(names: string): string {
  return names
    .replaceAll(/" and (?=")/g, '", ')
    .replaceAll(/ \((\d+) records?\)/g, ' ($1)')
    .replaceAll(' becomes the field ', ' → ');
}

/** A sentence about a file, in words of the page. */
export function remarkOf(
  frame: SignInFrame,
  definition: Pick<RegisterDefinition, 'fields' | 'language'>,
  sentence: string,
): Markup {
  const said = saidOf(frame.wording, sentence);
  if (said === null) return markup`<span${inEnglish(frame)}>${shortened(withoutOptions(sentence), 600)}</span>`;
  const { text, first } = said;
  return markup`${shortened(text, 600)}${first === '' ? NOTHING : markup` ${refusalIn(frame, definition, first)}`}`;
}

/** Why a file could not be read, in words of the page; what there is no word for stands behind, in English. */
export function failureOf(
  frame: SignInFrame,
  definition: Pick<RegisterDefinition, 'fields' | 'language'>,
  sentence: string,
): Markup {
  const { desk, account } = frame.wording;
  if (saidOf(frame.wording, sentence) !== null)
    return markup`<p class="long">${remarkOf(frame, definition, sentence)}</p>`;
  const detail = withoutOptions(sentence);
  if (detail === '') return markup`<p>${desk.remarks.unreadable}</p>`;
  return markup`<p>${desk.remarks.unreadable}</p>
<p class="small"><span class="quiet">${account.form.detail}:</span> <span class="long"${inEnglish(frame)}>${detail}</span></p>`;
}

/** Why a row was refused, from the sentence: `a.csv: line 3: data.amount must be a number, got "x"`. */
function refusalIn(
  frame: SignInFrame,
  definition: Pick<RegisterDefinition, 'fields' | 'language'>,
  sentence: string,
): Markup {
  const [, where, reason] = /(?:^|: )((?:line|row|sheet [^:]+, row) \d+|\[\d+\]): (.+)$/s.exec(sentence) ?? [];
  if (where === undefined || reason === undefined)
    return markup`<span${inEnglish(frame)}>${shortened(withoutOptions(sentence), 600)}</span>`;
  if (reason.startsWith('id "')) return refusalOf(frame, definition, { where, reason, code: 'duplicate_id' });
  const field = /^(data\.[^\s]+|[a-z]+_[a-z_]+|title|summary|content|author|id) /.exec(reason)?.[1];
  return refusalOf(frame, definition, { where, reason, ...(field !== undefined && { field }) });
}
