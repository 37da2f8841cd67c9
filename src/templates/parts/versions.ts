// The versions of a record: when each was recorded and why, and what it changed, side by side.
import { isObject } from '../../checks.ts';
import { canonicalJson, type JsonValue } from '../../register/canonical-json.ts';
import { coreField, type StatedFieldName } from '../../register/fields.ts';
import { OWN_PREFIX } from '../../register/finding/own-filters.ts';
import { VERSION } from '../../register/parameters.ts';
import {
  type CoreFieldName,
  type Field,
  isNumberType,
  type RecordVersion,
  type RegisterDefinition,
  type RegisterRecord,
} from '../../register/record.ts';
import { isUnknownSource } from '../../register/url.ts';
import type { Frame } from '../layout.ts';
import type { Texts } from '../languages/en.ts';
import { markup, type Markup, NOTHING } from '../markup.ts';
import { timeOf, type Wording } from '../wording.ts';
import { differenceOf, sideOf } from './diff.ts';
import { shortened } from './excerpt.ts';
import { ownText } from './texts.ts';
import { numberText } from './values.ts';

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
    markup`<li><a rel="${rel}" href="${to === 0 ? address : withParameter(address!, 'versions', to)}#versions">${label}</a></li>`;
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

/** The version that is shown, between the ones to step to; nothing where there is only one. */
export function versionLine(
  { wording, addresses }: Frame,
  { id, position, version }: RegisterRecord,
  { list, offset }: RecordVersions,
): Markup {
  const newest = (list[0]?.version ?? 0) + offset;
  const address = addresses.record(id, position);
  if (newest < 2 || address === null) return NOTHING;
  const { texts } = wording;
  const label = (to: number): string => texts.record.versionNumber(wording.number(to));
  const step = (to: number, rel: string): Markup =>
    to < 1 || to > newest
      ? NOTHING
      : markup`<li><a rel="${rel}" href="${to === newest ? address : withParameter(address, VERSION.name, to)}">${label(to)}</a></li>`;
  return markup`<nav class="pages" aria-label="${texts.record.version}"><ul>${step(version - 1, 'prev')}<li aria-current="true">${label(version)}</li>${step(version + 1, 'next')}</ul></nav>
`;
}

/** An address, which may have parameters, with another one. */
function withParameter(address: string, name: string, value: number): string {
  return `${address}${address.includes('?') ? '&' : '?'}${name}=${value}`;
}

function versionItem(
  wording: Wording,
  definition: RegisterDefinition,
  version: RecordVersion,
  { before, proof }: { readonly before: RecordVersion | null; readonly proof: string | null },
): Markup {
  const { texts } = wording;
  const heading = markup`<h3>${texts.record.versionNumber(wording.number(version.version))}</h3>
<p class="facts">${timeOf(wording, version.recorded_at)} <span aria-hidden="true">·</span> ${whyOf(wording, version)}</p>
`;
  const link =
    proof === null
      ? NOTHING
      : markup`<p class="small"><a href="${proof}">${wording.proof.ofVersion(wording.number(version.version))}</a></p>\n`;
  return markup`<li>${heading}${changes(wording, definition, version, before)}${link}</li>\n`;
}

/** Why it was recorded: where it takes an import back, that, because it says nothing of the source or of how it was read. */
function whyOf({ texts: { record } }: Wording, { cause, undoes }: RecordVersion): string {
  return undoes === undefined ? record.causes[cause] : record.undoes(String(undoes), cause === 'withdrawn');
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
  const parts = changed.flatMap((name) => {
    const label = fieldLabel(wording.texts, name, definition);
    return valueChanges(wording, definition, name, [valueIn(old, name), valueIn(record, name)]).map((change) => {
      const member = change.member === null ? NOTHING : markup` <span class="quiet">› ${change.member}</span>`;
      return { ...change, label: markup`${label}${member}` };
    });
  });
  const rows = parts.slice(0, MAX_FIELDS).map((part) => diffRow(wording, definition, part.label, part));
  return markup`${diffTable(wording, texts.record.field, rows)}
${parts.length > MAX_FIELDS ? markup`<p class="hint">${texts.record.moreFields(wording.number(parts.length - MAX_FIELDS))}</p>\n` : NOTHING}`;
}

/** A table of differences. @param what stands in the first column */
export function diffTable({ texts }: Wording, what: string, rows: readonly Markup[]): Markup {
  return markup`<table class="diff"><thead><tr><th scope="col">${what}</th><th scope="col">${texts.record.before}</th><th scope="col">${texts.record.after}</th></tr></thead>
<tbody>
${rows}</tbody></table>`;
}

/** A row of it. @param label its first column */
export function diffRow(
  wording: Wording,
  { language }: Pick<RegisterDefinition, 'language'>,
  label: Markup,
  { before, after }: Pick<ValueChange, 'before' | 'after'>,
): Markup {
  const { texts } = wording;
  const pieces = differenceOf(before, after);
  const cell = (side: 'removed' | 'added', name: string): Markup =>
    markup`<td data-label="${name}"${ownText(wording, language)}>${sideOf(pieces, side, SIDE_BYTES)}</td>`;
  return markup`<tr><th scope="row">${label}</th>${cell('removed', texts.record.before)}${cell('added', texts.record.after)}</tr>\n`;
}

/** How a value changed. */
export interface ValueChange {
  /** The member of an object; null: the whole value. */
  readonly member: string | null;
  readonly before: string;
  readonly after: string;
}

/** What changed in a field: of an object each member that did, of everything else the whole. */
export function valueChanges(
  wording: Wording,
  definition: Pick<RegisterDefinition, 'fields'>,
  name: string,
  [was, is]: readonly [JsonValue, JsonValue],
): readonly ValueChange[] {
  if (!name.startsWith(OWN_PREFIX) || !isObject(was) || !isObject(is)) {
    const [before, after] = [was, is].map((value) => textOf(wording, value, name, definition));
    return [{ member: null, before: before!, after: after! }];
  }
  const texts = [was, is].map(
    (value) => new Map(Object.entries(value).map(([key, member]) => [key, memberText(wording, member)])),
  );
  const [befores, afters] = texts as [Map<string, string>, Map<string, string>];
  return [...new Set([...befores.keys(), ...afters.keys()])]
    .map((key) => ({
      member: shortened(key, 100),
      before: befores.get(key) ?? '',
      after: afters.get(key) ?? '',
    }))
    .filter(({ before, after }) => before !== after);
}

function memberText(wording: Wording, member: JsonValue): string {
  if (typeof member === 'string') return member;
  if (typeof member === 'number') return wording.exactNumber(String(member));
  return member === null ? '' : canonicalJson(member);
}

function valueIn(record: RegisterRecord, name: string): JsonValue {
  return (
    (name.startsWith(OWN_PREFIX) ? record.data[name.slice(OWN_PREFIX.length)] : record[name as CoreFieldName]) ?? null
  );
}

/** The value of a field as one text; empty if there is none. */
function textOf(
  wording: Wording,
  value: JsonValue,
  name: string,
  definition: Pick<RegisterDefinition, 'fields'>,
): string {
  const isOwn = name.startsWith(OWN_PREFIX);
  const own = name.slice(OWN_PREFIX.length);
  const field: Pick<Field, 'type' | 'name'> | undefined = isOwn
    ? definition.fields.find((one) => one.name === own)
    : coreField(name as CoreFieldName);
  if (value === null) return '';
  if (typeof value === 'object') return canonicalJson(value);
  if (typeof value === 'boolean') return value ? wording.texts.yes : wording.texts.no;
  if (field?.type === 'url' && isUnknownSource(String(value))) return wording.texts.sourceUnknown;
  if (field?.type === 'date' || field?.type === 'datetime') return wording.date(String(value));
  if (field !== undefined && isNumberType(field.type)) return numberText(wording, field, String(value));
  return typeof value === 'number' ? wording.exactNumber(String(value)) : value;
}

/** What people call a field. */
export function fieldLabel(
  texts: Texts,
  name: string,
  { fields, language }: Pick<RegisterDefinition, 'fields' | 'language'>,
): Markup {
  if (!name.startsWith(OWN_PREFIX)) {
    return markup`${Object.hasOwn(texts.core, name) ? texts.core[name as StatedFieldName] : name}`;
  }
  const field = fields.find((one) => OWN_PREFIX + one.name === name);
  return field === undefined
    ? markup`<code>${shortened(name, 100)}</code>`
    : markup`<span lang="${language ?? ''}" dir="auto">${shortened(field.label, 200)}</span>`;
}
