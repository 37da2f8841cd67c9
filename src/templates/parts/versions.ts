// The versions of a record: when each was recorded and why, and what it changed, side by side.
import { canonicalJson } from '../../register/canonical-json.ts';
import { coreField, type StatedFieldName } from '../../register/fields.ts';
import { OWN_PREFIX } from '../../register/finding/own-filters.ts';
import type {
  CoreFieldName,
  Field,
  FieldType,
  RecordVersion,
  RegisterDefinition,
  RegisterRecord,
} from '../../register/record.ts';
import type { Frame } from '../layout.ts';
import type { Texts } from '../languages/en.ts';
import { markup, type Markup, NOTHING } from '../markup.ts';
import { timeOf, type Wording } from '../wording.ts';
import { differenceOf, sideOf } from './diff.ts';
import { shortened } from './excerpt.ts';
import { ownText } from './texts.ts';

/** Some versions of a record. */
export interface RecordVersions {
  /** Newest first. After those that are shown comes one more where there is one, to compare with. */
  readonly list: readonly RecordVersion[];
  /** How many are shown at most. */
  readonly limit: number;
  /** How many newer ones there are. */
  readonly offset: number;
}

/** How many bytes of the page all versions may take, and one side of a difference. */
const [VERSIONS_BYTES, SIDE_BYTES] = [13_000, 900];

/** How many fields of one version are compared. */
const MAX_FIELDS = 12;

/** The list. */
export function versionList(
  frame: Frame,
  {
    definition,
    recordId,
    versions,
    hasProof,
  }: {
    readonly definition: RegisterDefinition;
    readonly recordId: string;
    readonly versions: RecordVersions;
    /** Whether each is proved on a page of its own. */
    readonly hasProof: boolean;
  },
): Markup {
  const { wording, addresses } = frame;
  const { texts } = wording;
  const { list, limit, offset } = versions;
  const shown = list.slice(0, limit);
  if (shown.length === 0) return NOTHING;
  const items: Markup[] = [];
  let room = VERSIONS_BYTES;
  for (const [at, version] of shown.entries()) {
    const proof = hasProof ? addresses.proof(recordId, version.version) : null;
    const item = versionItem(wording, definition, version, { before: list[at + 1] ?? null, proof });
    room -= Buffer.byteLength(item.toString());
    if (room < 0 && at > 0) break;
    items.push(item);
  }
  const address = addresses.record(recordId, shown[0]!.position);
  const hasOlder = items.length < list.length;
  const link = (to: number, rel: string, label: string): Markup =>
    markup`<li><a rel="${rel}" href="${address}${to === 0 ? '' : `${address!.includes('?') ? '&' : '?'}versions=${to}`}#versions">${label}</a></li>`;
  return markup`<section aria-labelledby="versions"><h2 id="versions">${texts.record.versions}</h2>
<ol class="versions" reversed start="${shown[0]!.version}">
${items}</ol>
${
  address !== null && (hasOlder || offset > 0)
    ? markup`<nav class="pages" aria-label="${texts.record.versions}"><ul>${offset > 0 ? link(0, 'prev', texts.record.newestVersions) : NOTHING}${hasOlder ? link(offset + items.length, 'next', texts.record.olderVersions) : NOTHING}</ul></nav>\n`
    : NOTHING
}</section>
`;
}

function versionItem(
  wording: Wording,
  definition: RegisterDefinition,
  version: RecordVersion,
  { before, proof }: { readonly before: RecordVersion | null; readonly proof: string | null },
): Markup {
  const { texts } = wording;
  const heading = markup`<h3>${texts.record.versionNumber(wording.number(version.version))}</h3>
<p class="facts">${timeOf(wording, version.recorded_at)} <span aria-hidden="true">·</span> ${texts.record.causes[version.cause]}</p>
`;
  const link =
    proof === null
      ? NOTHING
      : markup`<p class="small"><a href="${proof}">${texts.proof.ofVersion(wording.number(version.version))}</a></p>\n`;
  return markup`<li>${heading}${changes(wording, definition, version, before)}${link}</li>\n`;
}

function changes(
  wording: Wording,
  definition: RegisterDefinition,
  { record, changed }: RecordVersion,
  before: RecordVersion | null,
): Markup {
  const { texts } = wording;
  const old = before?.record ?? null;
  if (record === null || old === null || changed.length === 0) return NOTHING;
  const rows = changed.slice(0, MAX_FIELDS).map((name) => {
    const pieces = differenceOf(textOf(wording, old, name, definition), textOf(wording, record, name, definition));
    const cell = (side: 'removed' | 'added', label: string): Markup =>
      markup`<td data-label="${label}"${ownText(wording, definition.language)}>${sideOf(pieces, side, SIDE_BYTES)}</td>`;
    return markup`<tr><th scope="row">${fieldLabel(texts, name, definition)}</th>${cell('removed', texts.record.before)}${cell('added', texts.record.after)}</tr>\n`;
  });
  return markup`<table class="diff"><thead><tr><th scope="col">${texts.record.field}</th><th scope="col">${texts.record.before}</th><th scope="col">${texts.record.after}</th></tr></thead>
<tbody>
${rows}</tbody></table>
${changed.length > MAX_FIELDS ? markup`<p class="hint">${texts.record.moreFields(wording.number(changed.length - MAX_FIELDS))}</p>\n` : NOTHING}`;
}

const NUMBERS: readonly FieldType[] = ['number', 'integer', 'decimal'];

/** The value of a field as one text; empty if there is none. */
function textOf(wording: Wording, record: RegisterRecord, name: string, definition: RegisterDefinition): string {
  const isOwn = name.startsWith(OWN_PREFIX);
  const own = name.slice(OWN_PREFIX.length);
  const value = isOwn ? record.data[own] : record[name as CoreFieldName];
  const field: Pick<Field, 'type'> | undefined = isOwn
    ? definition.fields.find((one) => one.name === own)
    : coreField(name as CoreFieldName);
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return canonicalJson(value);
  if (typeof value === 'boolean') return value ? wording.texts.yes : wording.texts.no;
  if (field?.type === 'date' || field?.type === 'datetime') return wording.date(String(value));
  // Integers and decimals may be longer than a number of the machine, and are texts then.
  const isNumber = field !== undefined && NUMBERS.includes(field.type);
  return isNumber || typeof value === 'number' ? wording.exactNumber(String(value)) : value;
}

function fieldLabel(texts: Texts, name: string, { fields, language }: RegisterDefinition): Markup {
  if (!name.startsWith(OWN_PREFIX)) {
    return markup`${Object.hasOwn(texts.core, name) ? texts.core[name as StatedFieldName] : name}`;
  }
  const field = fields.find((one) => OWN_PREFIX + one.name === name);
  return field === undefined
    ? markup`<code>${shortened(name, 100)}</code>`
    : markup`<span lang="${language ?? ''}" dir="auto">${shortened(field.label, 200)}</span>`;
}
