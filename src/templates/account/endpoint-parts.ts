// The parts of pages about endpoints: what an endpoint is, the fields that say what is sent to it, and its deliveries.
import type { DeliveryAttempt, DeliveryEntry, DeliveryState } from '../../stores/contract/deliveries.ts';
import type { WebhookEndpoint } from '../../stores/contract/endpoints.ts';
import { type Content, markup, type Markup, NOTHING } from '../markup.ts';
import { timeOf } from '../wording.ts';
import { type Choices, registerFields } from './key-parts.ts';
import { badge, checkboxes, facts, type OwnerFrame, phrase, type Sent, textField } from './parts.ts';

/** The state of an endpoint, and since when it fails. */
export function endpointBadge({ wording }: OwnerFrame, { disabledReason, failingSince }: WebhookEndpoint): Markup {
  const { states, failing } = wording.account.endpoints;
  const kind = disabledReason === null ? 'good' : disabledReason === 'operator' ? 'idle' : 'bad';
  const state = badge(states[disabledReason ?? 'enabled'], kind);
  if (failingSince === null) return state;
  return markup`${state} ${badge(phrase(failing, { date: timeOf(wording, failingSince) }), 'bad')}`;
}

/** The facts about an endpoint. @param lines its filters, one a line */
export function endpointFacts({ wording }: OwnerFrame, endpoint: WebhookEndpoint, lines: string): Markup {
  const texts = wording.account.endpoints;
  const { feeds, types, createdAt } = endpoint;
  const entries: (readonly [string, Content])[] = [
    [texts.feeds, feeds === null ? texts.allFeeds : feeds.join(', ')],
    [texts.types, types === null ? texts.allTypes : types.join(', ')],
    ...(lines === '' ? [] : [[texts.filters, markup`<code>${lines.replaceAll('\n', ', ')}</code>`] as const]),
    [texts.created, timeOf(wording, createdAt)],
  ];
  return facts(entries);
}

/** Where {@link endpointFields} are, and with what. */
export interface EndpointFieldParts {
  readonly form: string;
  /** Null: a new one. */
  readonly endpoint: WebhookEndpoint | null;
  /** Its filters, one a line. */
  readonly lines: string;
  readonly registers: Choices;
  /** The types of event that there are. */
  readonly types: readonly string[];
  readonly sent: Sent | null;
}

/** The fields that say what is sent to an endpoint. */
export function endpointFields(frame: OwnerFrame, parts: EndpointFieldParts): Markup {
  const { wording } = frame;
  const { form, endpoint, lines, registers, types, sent } = parts;
  const texts = wording.account.endpoints;
  return markup`${textField({
    ...{ form, name: 'url', label: texts.url, hint: texts.urlHint, type: 'url', sent },
    ...{ value: endpoint?.url ?? '', isRequired: true },
  })}${registerFields(frame, { form, sent, ...registers, chosen: endpoint?.feeds ?? [] })}${checkboxes({
    ...{ form, name: 'types', label: texts.types, hint: texts.typesHint, sent },
    choices: types.map((type) => ({ value: type, text: markup`<code>${type}</code>` })),
    chosen: endpoint?.types ?? [],
  })}${textField({
    ...{ form, name: 'filters', label: texts.filters, hint: texts.filtersHint, sent },
    ...{ value: lines, lines: 3 },
  })}${checkboxes({
    ...{ form, name: 'standard', label: 'Standard Webhooks', sent },
    choices: [{ value: 'yes', text: texts.standard }],
    chosen: endpoint?.isStandard === true ? ['yes'] : [],
  })}
`;
}

const KINDS: Readonly<Record<DeliveryState, 'good' | 'bad' | 'idle'>> = {
  acknowledged: 'good',
  pending: 'idle',
  failed: 'bad',
  skipped: 'bad',
};

/** The state of a delivery, and why. */
export function deliveryOutcome({ wording }: OwnerFrame, delivery: DeliveryEntry): Markup {
  const texts = wording.account.deliveries;
  const { state, reason, lastAttempt, nextAttemptAt } = delivery;
  const reasons: Readonly<Record<string, string>> = texts.reasons;
  const more = [
    reason === null ? null : (reasons[reason] ?? reason),
    lastAttempt === null ? null : answerOf(wording, lastAttempt),
    state !== 'pending' || nextAttemptAt === null ? null : phrase(texts.next, { date: timeOf(wording, nextAttemptAt) }),
  ].filter((part) => part !== null);
  const shown = more.map((part, at) => markup`${at === 0 ? '' : ', '}${part}`);
  return markup`${badge(texts.states[state], KINDS[state])} <span class="small">${shown}</span>`;
}

/** What an attempt was answered with. */
export function answerOf({ account: { deliveries } }: OwnerFrame['wording'], attempt: DeliveryAttempt): Markup {
  const { status, error } = attempt;
  if (status === null) return phrase(deliveries.error, { error: markup`<code>${error ?? ''}</code>` });
  return phrase(deliveries.status, { status: String(status) });
}

/** Deliveries, each with its latest recorded outcome. @param endpoints their addresses, by id; absent: all are of one */
export function deliveryList(
  frame: OwnerFrame,
  deliveries: readonly DeliveryEntry[],
  endpoints?: ReadonlyMap<string, string>,
): Markup {
  const { wording } = frame;
  const texts = wording.account.deliveries;
  const items = deliveries.map((delivery) => {
    const { id, event, recordId, version, createdAt, endpointId } = delivery;
    // The type of a test says that it is one.
    const what =
      recordId === null
        ? NOTHING
        : markup` <span class="small">${recordId} · ${phrase(texts.version, { version: String(version) })}</span>`;
    const to =
      endpoints === undefined
        ? NOTHING
        : markup`<p class="small quiet">${endpoints.get(endpointId) ?? endpointId}</p>\n`;
    return markup`<li><p><a href="${frame.at(`/account/deliveries/${id}`)}">${event.type}</a>${what}</p>
<p>${deliveryOutcome(frame, delivery)}</p>
${to}<p class="small quiet">${timeOf(wording, createdAt)}</p></li>\n`;
  });
  return markup`<ul class="rows">\n${items}</ul>\n`;
}
