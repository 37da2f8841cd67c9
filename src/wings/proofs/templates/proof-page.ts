// The proof of a record for people: what the log says of it, how that is computed, and how to check it with software of others.
import type { RegisterDefinition, VersionCause } from '../../../register/record.ts';
import { type Frame, layout } from '../../../templates/layout.ts';
import { type Content, markup, type Markup, NOTHING } from '../../../templates/markup.ts';
import { block, code, inline, paragraph } from '../../../templates/parts/code.ts';
import { type CarriedProof, carriedProofs } from '../../../templates/parts/evidence.ts';
import { shortened } from '../../../templates/parts/excerpt.ts';
import { ownText } from '../../../templates/parts/texts.ts';
import { timeOf } from '../../../templates/wording.ts';

/** What the page shows. */
export interface ProofPage {
  readonly definition: RegisterDefinition;
  readonly recordId: string;
  /** The proof itself. */
  readonly proof: CarriedProof;
  /** The public address of the register for programs. */
  readonly feed: string;
  /** The name of the log. */
  readonly origin: string;
  /** The key that checks its signatures, as text. */
  readonly vkey: string;
  /** What is signed, in base64 where it is no number. */
  readonly size: number;
  readonly root: string;
  /** The entry's place in the log, from 0. */
  readonly index: number;
  /** The text that is hashed, and its hash in base64. */
  readonly entry: string;
  readonly leaf: string;
  /** The UUID that its commitment contains. */
  readonly log: string;
  /** In base64. */
  readonly hashes: readonly string[];
  /** The signed note. */
  readonly checkpoint: string;
  /** In base64; null: it was erased. */
  readonly recordSalt: string | null;
  /** The same. Absent: the reader may not have it. */
  readonly salt?: string | null;
}

/** What an entry says that the page shows by itself. */
interface Entry {
  readonly version: number;
  readonly cause: VersionCause;
  readonly recorded_at: string;
  readonly record: string;
  readonly commitment: string;
}

/** The page. */
export function proofPage(frame: Frame, page: ProofPage): string {
  const { wording, addresses } = frame;
  const { texts } = wording;
  const { proof } = wording;
  const { definition, recordId, index, size } = page;
  const entry = JSON.parse(page.entry) as Entry;
  const record = addresses.record(recordId, null);
  const recordedAt = timeOf(wording, entry.recorded_at);
  const row = (label: string, value: Content, hint: string | null = null): Markup =>
    markup`<div><dt>${label}</dt><dd>${value}${hint === null ? NOTHING : markup`<p class="small quiet">${inline(hint)}</p>`}</dd></div>\n`;
  const section = (id: string, heading: string, content: Content): Markup =>
    markup`<section aria-labelledby="${id}"><h2 id="${id}">${heading}</h2>\n${content}</section>\n`;
  const main = markup`<nav class="crumbs" aria-label="${texts.crumbs}"><ol><li><a href="${addresses.home()}">${texts.registers}</a></li>
<li><a${ownText(wording, definition.language)} href="${addresses.register(definition.id)}">${shortened(definition.title, 200)}</a></li>
<li><a href="${record}">${code(shortened(recordId, 200))}</a></li></ol></nav>
<h1>${proof.title}</h1>
<p class="lead">${proof.lead(wording.number(entry.version), recordedAt)}</p>
<div class="prose">
<p>${proof.what}</p>
${section(
  'log',
  proof.log,
  markup`<dl class="fields">
${[
  row(proof.origin, code(page.origin)),
  row(proof.index, wording.number(index), proof.indexHint),
  row(texts.record.version, wording.number(entry.version)),
  row(proof.cause, texts.record.causes[entry.cause]),
  row(proof.recorded, recordedAt),
  row(proof.size, wording.number(size)),
  row(proof.root, code(page.root)),
  row(proof.vkey, code(page.vkey), proof.vkeyHint),
]}</dl>
`,
)}${section('entry', proof.entry, [
    paragraph(proof.entryText),
    block(page.entry),
    markup`<dl class="fields">
${[
  row(proof.leaf, code(page.leaf)),
  row(proof.commitment, code(entry.commitment), proof.commitmentHint),
  row(proof.committedLog, code(page.log)),
]}</dl>
`,
  ])}${section('salts', proof.salts, [
    paragraph(proof.saltsText),
    markup`<dl class="fields">
${[
  row(proof.recordSalt, saltOf(proof, page.recordSalt), proof.recordSaltHint),
  row(proof.salt, page.salt === undefined ? proof.saltFor : saltOf(proof, page.salt), proof.saltHint),
]}</dl>
`,
  ])}${section('path', proof.path, [
    paragraph(proof.pathText(wording.number(size))),
    page.hashes.length === 0
      ? paragraph(proof.noPath)
      : markup`<ol>\n${page.hashes.map((hash) => markup`<li>${code(hash)}</li>\n`)}</ol>\n`,
    markup`<h3>${proof.checkpoint}</h3>\n`,
    block(page.checkpoint),
  ])}${section('check', proof.check, [
    paragraph(proof.file, { address: markup`<a class="long" href="${page.proof.file}">${page.proof.file}</a>` }),
    paragraph(proof.whole),
    block(`gazette verify ${page.feed} --vkey ${page.vkey} --state ${definition.id}.note`),
    paragraph(proof.go),
    paragraph(proof.hand),
  ])}</div>
${carriedProofs(wording, [page.proof])}`;
  return layout(frame, { title: proof.title, isHidden: true, main });
}

function saltOf(proof: { readonly erased: string }, salt: string | null): Content {
  return salt === null ? proof.erased : code(salt);
}
