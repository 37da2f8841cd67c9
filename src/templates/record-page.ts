// A record: its source first, then what it says, when it was published and seen, and what changed in each version.
import type { JsonValue } from '../register/canonical-json.ts';
import {
  type CoreFieldName,
  type Field,
  hasHtml,
  type RegisterDefinition,
  type RegisterRecord,
} from '../register/record.ts';
import { coreField, type StatedFieldName, TABLE_FIELDS } from '../register/fields.ts';
import { type Point, pointReader } from '../register/places/readers.ts';
import { STATED_FILTERS } from '../register/finding/filters.ts';
import type { CleanHtml } from '../formats/feeds/html-policy.ts';
import { isUnknownSource } from '../register/url.ts';
import type { RecordPreview } from '../register/tier.ts';
import { type Frame, layout } from './layout.ts';
import { cleaned, markup, type Markup, NOTHING } from './markup.ts';
import { type CarriedProof, carriedProofs } from './parts/evidence.ts';
import { excerptOf, shortened } from './parts/excerpt.ts';
import { boughtNote, recordOffer, type RecordOffer } from './parts/offer.ts';
import { blocksMarkup, htmlBlocks, partsOfBlocks } from './parts/html-blocks.ts';
import { pointMap } from './parts/map.ts';
import { ownText } from './parts/texts.ts';
import { breakable, breakableName, MAX_HREF, siteNameOf, valueOf } from './parts/values.ts';
import { type RecordVersions, versionLine, versionList } from './parts/versions.ts';
import { timeOf } from './wording.ts';

/** What the page shows. */
export interface RecordPage {
  readonly definition: RegisterDefinition;
  /** In one of its versions. Of a withdrawn record its last content. */
  readonly record: RegisterRecord | RecordPreview;
  readonly isWithdrawn: boolean;
  /** What was recorded of it; null: the reader's tier does not see that. */
  readonly versions: RecordVersions | null;
  /** Which part of a long text is shown, from 1. */
  readonly part: number;
  /** The permanent address of the record (a URI); null: there is none. */
  readonly uri: string | null;
  /** The public addresses of the page, and of the record as JSON; null: there is none. */
  readonly url: string | null;
  readonly json: string | null;
  readonly keysUrl: string | null;
  /** Whether its versions are proved on pages of their own. */
  readonly hasProof: boolean;
  /** What was signed of what it shows, as far as its reader may have it. */
  readonly proofs: readonly CarriedProof[];
  /** Where the records of the register are; empty: it is not known, or this one is nowhere. */
  readonly others: readonly Point[];
  /** Cleans publishers' HTML. */
  readonly cleanHtml: CleanHtml;
  /** What it costs; null: it is not sold, or the reader's tier has it. Absent: as null. */
  readonly offer?: RecordOffer | null;
}

/** How many bytes of the page the parts may take. */
const [TEXT_BYTES, FIELDS_BYTES, TITLE_BYTES] = [12_000, 14_000, 1500];

/** How long one value may be; if all together do not fit, each is shortened more. */
const VALUE_BYTES = [1500, 500, 150, 60];

/** The page. */
export function recordPage(frame: Frame, page: RecordPage): string {
  const { wording, addresses } = frame;
  const { texts } = wording;
  const { definition, record } = page;
  const { language } = definition;
  const title = record.title.trim() === '' ? record.id : record.title;
  const isPreview = 'preview' in record;
  const proof = page.hasProof ? addresses.proof(record.id, null) : null;
  const main = markup`${crumbs(frame, definition)}<article>
<h1${ownText(wording, language)}>${shortened(title, TITLE_BYTES)}</h1>
${page.isWithdrawn ? markup`<div class="note warn"><p><strong>${texts.errors.heading.gone}.</strong> ${texts.errors.text.gone}</p></div>\n` : NOTHING}${page.offer == null ? NOTHING : boughtNote(frame, page.offer)}${source(frame, record.source_url)}
${dates(frame, record)}
${page.versions === null || isPreview ? NOTHING : versionLine(frame, record, page.versions)}${record.summary === null ? NOTHING : markup`<p class="lead"${ownText(wording, language)}>${shortened(record.summary, 3000)}</p>\n`}${
    isPreview
      ? previewNote(frame, page)
      : markup`${fullText(frame, page, record)}${place(frame, page, record)}${fields(frame, page, record)}`
  }</article>
${page.versions === null ? NOTHING : versionList(frame, { definition, recordId: record.id, versions: page.versions, hasProof: page.hasProof })}
${proof === null ? NOTHING : markup`<p class="after small"><a href="${proof}">${wording.proof.link}</a></p>\n`}${carriedProofs(wording, page.proofs)}${isPreview || page.json === null ? NOTHING : markup`<p class="after small quiet">${texts.record.json} <a class="long" href="${page.json}">${page.json}</a></p>`}`;
  return layout(frame, {
    title: shortened(title, 300),
    description: shortened(record.summary ?? '', 300),
    links: page.url === null || page.part > 1 ? [] : [{ rel: 'canonical', href: page.url }],
    isHidden: isPreview || page.isWithdrawn,
    main,
  });
}

/** A record whose content was erased: nothing is left of it but when what was recorded. */
export function erasedPage(
  frame: Frame,
  {
    definition,
    id,
    versions,
    hasProof,
    proofs,
  }: Pick<RecordPage, 'definition' | 'hasProof' | 'proofs'> & {
    readonly id: string;
    readonly versions: RecordVersions;
  },
): string {
  const { texts } = frame.wording;
  const proof = hasProof ? frame.addresses.proof(id, null) : null;
  const main = markup`${crumbs(frame, definition)}<h1 class="long">${shortened(id, TITLE_BYTES)}</h1>
<div class="note warn"><p>${texts.record.erased}</p></div>
${versionList(frame, { definition, recordId: id, versions, hasProof })}
${proof === null ? NOTHING : markup`<p class="after small"><a href="${proof}">${frame.wording.proof.link}</a></p>\n`}${carriedProofs(frame.wording, proofs)}`;
  return layout(frame, { title: shortened(id, 300), isHidden: true, main });
}

function crumbs({ wording, addresses }: Frame, { id, title, language }: RegisterDefinition): Markup {
  const { texts } = wording;
  return markup`<nav class="crumbs" aria-label="${texts.crumbs}"><ol><li><a href="${addresses.home()}">${texts.registers}</a></li>
<li><a${ownText(wording, language)} href="${addresses.register(id)}">${shortened(title, 200)}</a></li></ol></nav>
`;
}

/** Where the publisher has it. */
function source({ wording }: Frame, url: string): Markup {
  const { texts } = wording;
  if (isUnknownSource(url)) {
    return markup`<div class="source"><p class="to">${texts.sourceUnknown}</p>
<p class="small quiet">${texts.record.sourceUnknownHint}</p></div>`;
  }
  const name = shortened(siteNameOf(url), 120);
  return markup`<div class="source"><p class="to">${
    url.length > MAX_HREF
      ? breakable(texts.record.sourceAt(name))
      : markup`<a rel="noopener" href="${url}">${breakable(texts.record.sourceAt(name))}</a>`
  }</p>
<p class="small quiet">${texts.record.sourceHint}</p>
<p class="small long" dir="ltr">${breakable(shortened(url, 200))}</p></div>`;
}

/** The two dates, which people mistake for each other. */
function dates({ wording }: Frame, { published_at: published, observed_at: observed }: RecordPage['record']): Markup {
  const { texts } = wording;
  return markup`<dl class="dates">
<div><dt>${texts.core.published_at}</dt><dd>${published === null ? texts.record.unknownDate : timeOf(wording, published)}<p>${published === null ? texts.record.unknownDateHint : texts.record.publishedHint}</p></dd></div>
<div><dt>${texts.core.observed_at}</dt><dd>${timeOf(wording, observed)}<p>${texts.record.observedHint}</p></dd></div>
</dl>`;
}

function previewNote(frame: Frame, { record, keysUrl, offer = null }: RecordPage): Markup {
  const { wording, addresses } = frame;
  const { texts } = wording;
  const guide = addresses.guide();
  return markup`<div class="note"><p><strong>${texts.record.preview}</strong> ${texts.record.previewHint}${keysUrl === null ? NOTHING : markup` <a href="${keysUrl}">${texts.register.getKey}</a>.`}${
    guide === null ? NOTHING : markup` <a href="${guide}#keys">${texts.register.howToKey}</a>.`
  }</p>${offer === null ? NOTHING : markup`\n${recordOffer(frame, record.id, offer)}`}</div>
`;
}

/** The text of the record, a part at a time if it is long. */
function fullText(
  { wording, addresses }: Frame,
  { definition, part, json, cleanHtml }: RecordPage,
  record: RegisterRecord,
): Markup {
  if (record.content === null || record.content.trim() === '') return NOTHING;
  const { texts } = wording;
  const parts = hasHtml(record) ? htmlParts(record, cleanHtml) : textParts(record.content);
  const at = Math.min(part, parts.length) - 1;
  const address = addresses.record(record.id, record.position);
  const link = (to: number, rel: string, label: string): Markup =>
    markup`<li><a rel="${rel}" href="${address}${address!.includes('?') ? '&' : '?'}part=${to}#text">${label}</a></li>`;
  const hasParts = parts.length > 1 && address !== null && json !== null;
  return markup`<section aria-labelledby="text"><h2 id="text">${texts.record.text}</h2>
${hasParts ? markup`<p class="quiet">${texts.record.part(wording.number(at + 1), wording.number(parts.length))}</p>\n` : NOTHING}<div class="text"${ownText(wording, definition.language)}>
${parts[at]}</div>
${hasParts ? markup`<nav class="pages" aria-label="${texts.record.parts}"><ul>${at > 0 ? link(at, 'prev', texts.record.previousPart) : NOTHING}${at + 1 < parts.length ? link(at + 2, 'next', texts.record.nextPart) : NOTHING}</ul></nav>\n` : NOTHING}</section>
`;
}

/** Where it is, on a map. */
function place({ wording }: Frame, { definition, others }: RecordPage, record: RegisterRecord): Markup {
  const point = pointReader(definition.fields)?.(record) ?? null;
  if (point === null) return NOTHING;
  return markup`<section aria-labelledby="place"><h2 id="place">${wording.texts.record.place}</h2>
${pointMap(wording, point, others)}</section>
`;
}

/** A plain text in parts. */
function textParts(text: string): readonly Markup[] {
  const parts: Markup[] = [];
  for (let at: number | null = 0; at !== null && at < text.length;) {
    const { text: part, end } = excerptOf(text, TEXT_BYTES, at);
    parts.push(markup`<p>${part}</p>\n`);
    at = end;
  }
  return parts;
}

/** HTML in parts. Its links lead from the source's address on. */
function htmlParts({ content, source_url: base }: RegisterRecord, cleanHtml: CleanHtml): readonly Markup[] {
  const blocks = htmlBlocks(cleanHtml(content!.replaceAll('\0', '\ufffd'), base));
  return partsOfBlocks(blocks, TEXT_BYTES).map((part) => cleaned(`<div class="html">${blocksMarkup(part)}</div>`));
}

/** The core fields that stand before the register's own. */
const DETAILS: ReadonlySet<CoreFieldName> = new Set([
  ...STATED_FILTERS,
  'author' as const,
  ...TABLE_FIELDS.map(({ name }) => name),
]);

/** Everything else that the record says. */
function fields({ wording }: Frame, { definition, uri }: RecordPage, record: RegisterRecord): Markup {
  const { texts } = wording;
  const { language } = definition;
  const core = (name: CoreFieldName, label: string = texts.core[name as StatedFieldName]): Row => {
    return { label, isOwn: false, hint: null, field: coreField(name), value: record[name] };
  };
  const rows: readonly Row[] = [
    ...Array.from(DETAILS, (name) => core(name)),
    ...definition.fields.map((field) => ({
      label: field.label,
      isOwn: true,
      hint: field.description ?? null,
      field,
      value: record.data[field.name] ?? null,
    })),
    core('key', texts.core.key),
    core('version', texts.record.version),
    core('updated_at', texts.record.updated),
  ].filter(({ value }) => value !== null);
  for (const bytes of VALUE_BYTES) {
    const shown = rows.map(({ label, isOwn, hint, field, value }) => {
      const own = isOwn ? ownText(wording, language) : NOTHING;
      return markup`<div><dt${own}>${breakableName(shortened(label, 200))}${hint === null ? NOTHING : markup`<span class="hint">${shortened(hint, Math.min(bytes, 300))}</span>`}</dt><dd>${valueOf(wording, field, value, { language, bytes })}</dd></div>\n`;
    });
    const size = shown.reduce((sum, row) => sum + Buffer.byteLength(row.toString()), 0);
    if (size > FIELDS_BYTES && bytes !== VALUE_BYTES.at(-1)) continue;
    return markup`<section aria-labelledby="details"><h2 id="details">${texts.record.details}</h2>
<dl class="fields">
${size > FIELDS_BYTES ? shown.slice(0, Math.floor((shown.length * FIELDS_BYTES) / size)) : shown}${uri === null ? NOTHING : markup`<div><dt>${texts.record.uri}</dt><dd><code>${uri}</code></dd></div>\n`}</dl></section>
`;
  }
  return NOTHING;
}

interface Row {
  readonly label: string;
  /** Whether the label is the register's own. */
  readonly isOwn: boolean;
  readonly hint: string | null;
  readonly field: Pick<Field, 'name' | 'type'>;
  readonly value: JsonValue;
}
