// The pages of endpoints: all of them, one, and a secret, which is shown once.
import type { DeliveryEntry } from '../../stores/contract/deliveries.ts';
import type { WebhookEndpoint } from '../../stores/contract/endpoints.ts';
import { type Content, markup, type Markup, NOTHING } from '../markup.ts';
import { timeOf } from '../wording.ts';
import {
  deliveryList,
  endpointBadge,
  type EndpointFieldParts,
  endpointFacts,
  endpointFields,
} from './endpoint-parts.ts';
import { button, form, onceField, type OwnerFrame, ownerPage, phrase, secretBox, textField } from './parts.ts';

const SECTION = '/account/endpoints';

/** An endpoint, with its filters one a line. */
export interface EndpointSummary {
  readonly endpoint: WebhookEndpoint;
  readonly lines: string;
}

/** What the forms of endpoints need. */
export type EndpointFormParts = Pick<EndpointFieldParts, 'registers' | 'types' | 'sent'> & {
  /** As in {@link onceField}. */
  readonly once: string;
};

/** All endpoints, and the form for a new one. */
export function endpointsPage(
  frame: OwnerFrame,
  { endpoints, once, ...given }: { readonly endpoints: readonly EndpointSummary[] } & EndpointFormParts,
): string {
  const texts = frame.wording.account.endpoints;
  const cards = endpoints.map(
    ({
      endpoint,
      lines,
    }) => markup`<li><h2><a href="${frame.at(`${SECTION}/${endpoint.id}`)}">${endpoint.url}</a> ${endpointBadge(frame, endpoint)}</h2>
${endpointFacts(frame, endpoint, lines)}</li>\n`,
  );
  const main = markup`<h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
${cards.length === 0 ? NOTHING : markup`<p><a class="button plain" href="#new">${texts.add}</a></p>\n`}${cards.length === 0 ? markup`<p>${texts.none}</p>` : markup`<ul class="cards">\n${cards}</ul>`}
<div class="parts"><section aria-labelledby="new">
<h2 id="new">${texts.add}</h2>
${form(
  frame,
  { id: 'new-endpoint', action: SECTION },
  markup`${onceField(once)}${endpointFields(frame, { form: 'new-endpoint', endpoint: null, lines: '', ...given })}${button(texts.add)}`,
)}
</section></div>`;
  return ownerPage(frame, { title: texts.title, section: SECTION, main, problem: given.sent?.problem ?? null });
}

/** One endpoint, and what can be done with it. */
export function endpointPage(
  frame: OwnerFrame,
  {
    endpoint,
    lines,
    deliveries,
    once,
    ...given
  }: EndpointSummary & {
    readonly deliveries: readonly DeliveryEntry[];
  } & EndpointFormParts,
): string {
  const { wording } = frame;
  const texts = wording.account.endpoints;
  const path = `${SECTION}/${endpoint.id}`;
  const { sent } = given;
  const isEnabled = endpoint.disabledAt === null;
  const act = (name: string, content: Content): Markup =>
    form(frame, { id: `${name}-endpoint`, action: `${path}/${name}` }, content);
  const section = (
    id: string,
    heading: string,
    text: string,
    content: Content,
  ): Markup => markup`<section aria-labelledby="${id}">
<h2 id="${id}">${heading}</h2>
<p class="prose">${text}</p>
${content}
</section>\n`;
  const [turn, turnText] = isEnabled ? [texts.disable, texts.disableText] : [texts.enable, texts.enableText];
  const main = markup`<h1 class="long">${endpoint.url}</h1>
<p>${endpointBadge(frame, endpoint)}</p>
${endpointFacts(frame, endpoint, lines)}<h2>${texts.latest}</h2>
${
  deliveries.length === 0
    ? markup`<p>${wording.account.deliveries.none}</p>`
    : markup`${deliveryList(frame, deliveries)}<p><a href="${frame.at('/account/deliveries', new URLSearchParams({ endpoint: endpoint.id }))}">${texts.all}</a></p>`
}
<div class="parts">${section('test', texts.test, texts.testText, act('test', button(texts.test, 'plain')))}${section(
    'replay',
    texts.replay,
    texts.replayText,
    act(
      'replay',
      markup`${textField({
        ...{ form: 'replay-endpoint', name: 'since', label: texts.since, hint: texts.sinceHint, type: 'date', sent },
        size: 'short',
      })}${button(texts.replay, 'plain')}`,
    ),
  )}<section aria-labelledby="change">
<h2 id="change">${texts.change}</h2>
${form(
  frame,
  { id: 'endpoint', action: path },
  markup`${endpointFields(frame, { form: 'endpoint', endpoint, lines, ...given })}${button(texts.save)}`,
)}
</section>
${section('secret', texts.secret, texts.secretText, secretForms(frame, endpoint, { path, once, sent }))}${section(
    'turn',
    turn,
    turnText,
    act(isEnabled ? 'disable' : 'enable', button(turn, 'plain')),
  )}${section('remove', texts.remove, texts.removeText, act('remove', button(texts.remove, 'danger')))}</div>`;
  return ownerPage(frame, { title: endpoint.url, section: SECTION, main, problem: sent?.problem ?? null });
}

function secretForms(
  frame: OwnerFrame,
  { hasNextSecret, previousUntil }: WebhookEndpoint,
  { path, once, sent }: { readonly path: string } & Pick<EndpointFormParts, 'once' | 'sent'>,
): Markup {
  const { wording } = frame;
  const texts = wording.account.endpoints;
  const previous =
    previousUntil === null
      ? NOTHING
      : markup`<p>${phrase(texts.previous, { date: timeOf(wording, previousUntil) })}</p>\n`;
  const prepare = form(
    frame,
    { id: 'prepare-secret', action: `${path}/rotate-secret` },
    markup`${onceField(once)}${button(hasNextSecret ? texts.prepareAgain : texts.prepare, 'plain')}`,
  );
  if (!hasNextSecret) return markup`${previous}${prepare}`;
  return markup`${previous}<p><strong>${texts.prepared}</strong></p>
${form(
  frame,
  { id: 'activate-secret', action: `${path}/activate-secret` },
  markup`${textField({
    ...{ form: 'activate-secret', name: 'grace', type: 'number', value: 24, min: 0, max: 8784, size: 'short', sent },
    label: `${texts.grace} (${wording.account.keys.hours})`,
  })}${button(texts.activate)}`,
)}
${prepare}`;
}

/** A signing secret: the only page that ever shows it. */
export function secretPage(frame: OwnerFrame, { endpoint, secret, isFirst, replacesPrepared }: SecretParts): string {
  const texts = frame.wording.account.endpoints;
  const main = markup`<h1>${texts.shownTitle}</h1>
<p class="lead">${texts.shown}</p>
${secretBox(endpoint.url, secret)}${isFirst ? NOTHING : markup`<p>${texts.shownPrepared}</p>\n`}${
    replacesPrepared ? markup`<p>${texts.shownReplaced}</p>\n` : NOTHING
  }<p><a class="button" href="${frame.at(`${SECTION}/${endpoint.id}`)}">${texts.back}</a></p>`;
  return ownerPage(frame, { title: texts.shownTitle, section: SECTION, main });
}

/** What a {@link secretPage} shows. */
export interface SecretParts {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
  /** Whether the endpoint had none before. */
  readonly isFirst: boolean;
  /** Whether it replaces one that was prepared and never activated. */
  readonly replacesPrepared: boolean;
}
