// The pages of deliveries: the latest recorded outcome of each, and every attempt of one.
import type { DeliveryAttempt, DeliveryEntry } from '../../stores/contract/deliveries.ts';
import { markup, type Markup, NOTHING } from '../markup.ts';
import { timeOf } from '../wording.ts';
import { answerOf, deliveryList, deliveryOutcome } from './endpoint-parts.ts';
import { button, facts, form, type OwnerFrame, ownerPage, phrase } from './parts.ts';

const SECTION = '/account/deliveries';

/** A page of deliveries. */
export interface DeliveriesParts {
  readonly deliveries: readonly DeliveryEntry[];
  /** The addresses of the account's endpoints, by id. */
  readonly endpoints: ReadonlyMap<string, string>;
  /** The parameters of the page before, with older deliveries; null: these are the oldest. */
  readonly older: URLSearchParams | null;
  /** Those of the newest; null: these are. */
  readonly newest: URLSearchParams | null;
}

/** The deliveries of an account, or of one of its endpoints. */
export function deliveriesPage(frame: OwnerFrame, { deliveries, endpoints, older, newest }: DeliveriesParts): string {
  const texts = frame.wording.account.deliveries;
  const link = (parameters: URLSearchParams | null, text: string): Markup =>
    parameters === null
      ? NOTHING
      : markup`<a class="button plain" href="${frame.at(SECTION, parameters)}">${text}</a> `;
  const main = markup`<h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
${deliveries.length === 0 ? markup`<p>${texts.none}</p>\n` : deliveryList(frame, deliveries, endpoints)}${
    older === null && newest === null
      ? NOTHING
      : markup`<p>${link(newest, texts.newest)}${link(older, texts.older)}</p>`
  }`;
  return ownerPage(frame, { title: texts.title, section: SECTION, main });
}

/** One delivery, and its attempts. @param url the address of its endpoint */
export function deliveryPage(
  frame: OwnerFrame,
  {
    delivery,
    attempts,
    url,
  }: {
    readonly delivery: DeliveryEntry;
    readonly attempts: readonly DeliveryAttempt[];
    readonly url: string;
  },
): string {
  const { wording } = frame;
  const texts = wording.account.deliveries;
  const { id, event, endpointId, recordId, version, createdAt } = delivery;
  const record = recordId === null ? null : frame.addresses.record(recordId, null);
  const main = markup`<p class="crumbs"><a href="${frame.at(SECTION)}">${texts.all}</a></p>
<h1>${texts.delivery}: <code>${event.type}</code></h1>
<p>${deliveryOutcome(frame, delivery)}</p>
${facts(
  [
    [texts.id, markup`<code>${id}</code>`],
    [texts.event, markup`<code>${event.id}</code>`],
    [texts.endpoint, markup`<a href="${frame.at(`/account/endpoints/${endpointId}`)}">${url}</a>`],
    [
      texts.record,
      recordId === null
        ? texts.test
        : markup`${record === null ? recordId : markup`<a href="${record}">${recordId}</a>`} · ${phrase(texts.version, { version: String(version) })}`,
    ],
    [texts.created, timeOf(wording, createdAt)],
  ],
  'fields',
)}<h2>${texts.attempts}</h2>
${attempts.length === 0 ? markup`<p>${texts.attemptsNone}</p>` : markup`<ol class="rows">\n${attempts.map((attempt) => shown(frame, attempt))}</ol>`}
${form(frame, { id: 'replay-delivery', action: `${SECTION}/${id}/replay` }, button(texts.replay, 'plain'))}`;
  return ownerPage(frame, { title: `${texts.delivery} ${id}`, section: SECTION, main });
}

function shown({ wording }: OwnerFrame, attempt: DeliveryAttempt): Markup {
  const texts = wording.account.deliveries;
  const { at, durationMs, response } = attempt;
  return markup`<li><p>${timeOf(wording, at)}</p>
<p>${answerOf(wording, attempt)} <span class="quiet">${phrase(texts.ms, { ms: wording.number(durationMs) })}</span></p>
${response === null || response === '' ? NOTHING : markup`<pre class="wide" tabindex="0"><code>${response}</code></pre>\n`}</li>\n`;
}
