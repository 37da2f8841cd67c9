// The pages of keys: all of them, one, and a new one, which is shown once.
import { markup, type Markup, NOTHING } from '../markup.ts';
import { timeOf } from '../wording.ts';
import { type Choices, keyBadge, keyFacts, keyFields, keyName, type KeySummary } from './key-parts.ts';
import {
  button,
  form,
  onceField,
  type OwnerFrame,
  ownerPage,
  phrase,
  secretBox,
  type Sent,
  textField,
} from './parts.ts';

const SECTION = '/account/keys';

/** All keys, and the form for a new one. */
export function keysPage(
  frame: OwnerFrame,
  { keys, registers, currency, once, sent }: { readonly keys: readonly KeySummary[] } & NewKeyParts,
): string {
  const texts = frame.wording.account.keys;
  const working = keys.filter(({ state }) => state === 'active' || state === 'rotated');
  const old = keys.filter((key) => !working.includes(key));
  const main = markup`<h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
${keys.length === 0 ? NOTHING : markup`<p><a class="button plain" href="#new">${texts.create}</a></p>\n`}${working.length === 0 ? markup`<p>${texts.none}</p>\n` : cards(frame, working)}${
    old.length === 0
      ? NOTHING
      : markup`<details><summary>${texts.old} (${old.length})</summary>\n${cards(frame, old)}</details>\n`
  }<div class="parts"><section aria-labelledby="new">
<h2 id="new">${texts.create}</h2>
${form(
  frame,
  { id: 'new-key', action: SECTION },
  markup`${onceField(once)}${keyFields(frame, { form: 'new-key', entry: null, registers, currency, sent })}${textField({
    ...{ form: 'new-key', name: 'expires', label: texts.expires, hint: texts.expiresHint, type: 'date', sent },
    size: 'short',
  })}${button(texts.create)}`,
)}
</section></div>`;
  return ownerPage(frame, { title: texts.title, section: SECTION, main, problem: sent?.problem ?? null });
}

/** What the form for a new key needs. */
export interface NewKeyParts {
  readonly registers: Choices;
  /** The currency of the account's credit; null: it has none, and keys have no budgets. */
  readonly currency: string | null;
  /** Tells one sending of the form from another, as in {@link onceField}. */
  readonly once: string;
  readonly sent: Sent | null;
}

function cards(frame: OwnerFrame, keys: readonly KeySummary[]): Markup {
  const cards = keys.map((key) => {
    const { entry, isOwn } = key;
    const name = keyName(frame, entry);
    const heading = isOwn ? markup`<a href="${frame.at(`${SECTION}/${entry.id}`)}">${name}</a>` : name;
    return markup`<li><h2>${heading} ${keyBadge(frame, key)}</h2>
${keyFacts(frame, key)}</li>\n`;
  });
  return markup`<ul class="cards">\n${cards}</ul>\n`;
}

/** One key, and what can be done with it. */
export function keyPage(
  frame: OwnerFrame,
  { key, registers, currency, once, sent }: { readonly key: KeySummary } & NewKeyParts,
): string {
  const texts = frame.wording.account.keys;
  const { entry, state } = key;
  const path = `${SECTION}/${entry.id}`;
  const name = keyName(frame, entry);
  const sections = markup`<div class="parts"><section aria-labelledby="change">
<h2 id="change">${texts.change}</h2>
${form(
  frame,
  { id: 'key', action: path },
  markup`${keyFields(frame, { form: 'key', entry, registers, currency, sent })}${button(texts.save)}`,
)}
</section>
<section aria-labelledby="rotate">
<h2 id="rotate">${texts.rotate}</h2>
<p class="prose">${texts.rotateText}</p>
${form(
  frame,
  { id: 'rotate-key', action: `${path}/rotate` },
  markup`${onceField(once)}${textField({
    ...{ form: 'rotate-key', name: 'grace', label: `${texts.grace} (${texts.hours})`, type: 'number', value: 24 },
    ...{ min: 0, max: 8784, size: 'short', sent },
  })}${button(texts.rotate)}`,
)}
</section>
<section aria-labelledby="revoke">
<h2 id="revoke">${texts.revoke}</h2>
<p class="prose">${texts.revokeText}</p>
${form(frame, { id: 'revoke-key', action: `${path}/revoke` }, button(texts.revoke, 'danger'))}
</section></div>`;
  const main = markup`<p class="crumbs"><a href="${frame.at(SECTION)}">${texts.back}</a></p>
<h1>${name}</h1>
<p>${keyBadge(frame, key)}</p>
${keyFacts(frame, key)}${state === 'active' || state === 'rotated' ? sections : NOTHING}`;
  return ownerPage(frame, { title: name, section: SECTION, main, problem: sent?.problem ?? null });
}

/** A new key: the only page that ever shows it. @param replacedUntil until when the one before works; null: it has ended; undefined: there was none */
export function newKeyPage(
  frame: OwnerFrame,
  { key, replacedUntil }: { readonly key: string; readonly replacedUntil?: string | null },
): string {
  const { wording, addresses } = frame;
  const texts = wording.account.keys;
  const guide = addresses.guide();
  const main = markup`<h1>${texts.shownTitle}</h1>
<p class="lead">${texts.shown}</p>
${secretBox(texts.shownTitle, key)}${
    replacedUntil === undefined
      ? NOTHING
      : markup`<p>${replacedUntil === null ? texts.shownEnded : phrase(texts.shownReplaced, { date: timeOf(wording, replacedUntil) })}</p>\n`
  }<p><code>Authorization: Bearer ${key.slice(0, 7)}…</code></p>
<p class="actions"><a class="button" href="${frame.at(SECTION)}">${texts.back}</a>${guide === null ? NOTHING : markup` <a href="${guide}">${texts.how}</a>`}</p>`;
  return ownerPage(frame, { title: texts.shownTitle, section: SECTION, main });
}
