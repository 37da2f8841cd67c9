// What the account's routes are asked: the bodies of their requests, each described once, and what they mean in the words of
// operate/.
import { z } from 'zod';
import { quote } from '../../../errors.ts';
import type { KeyRequest } from '../../../operate/accounts.ts';
import { ENDPOINT_URLS, type EndpointRequest, type EndpointUpdate } from '../../../operate/endpoints.ts';
import { HOUR_MS, MAX_GRACE_HOURS } from '../../../operate/times.ts';
import { FILTERS } from '../../../register/finding/filters.ts';
import { priceIn } from '../../../money.ts';
import { filterLists, text } from '../../../register/schemas/parameters.ts';
import { TIME_PATTERNS } from '../../../register/time.ts';
import type { KeyChange } from '../../../stores/contract/accounts.ts';
import { KEY_NAMES, KEY_SCOPES } from '../../../stores/rows/keys.ts';
import { parseRate, RATES } from '../../../web/rate-limit.ts';
import { EVENT_TYPES } from '../../../webhooks/event.ts';
import { budgetInput } from '../../description/account-answers.ts';
import { type Body, bodyOf, invalidBody } from '../json-body.ts';

/** Which days there are, and whether a time is over, no pattern can say. */
const TIME = z.string().regex(TIME_PATTERNS.dateOrDateTime);

const FEEDS = z.array(z.string()).nullable().optional();

const KEY_CHANGE = z.strictObject({
  name: z
    .string()
    .regex(KEY_NAMES.pattern)
    .nullable()
    .optional()
    .meta({ description: 'What you call it, 1 to 100 characters; null: nothing.' }),
  scopes: z.array(z.enum(KEY_SCOPES)).min(1).optional().meta({
    description:
      '`read` (records; the default), `webhooks` (endpoints and deliveries), `account` (all of `/account`). None that the key that asks lacks.',
  }),
  feeds: FEEDS.meta({ description: 'The registers that it opens; null: all.' }),
  limit: z
    .string()
    .regex(RATES.pattern)
    .nullable()
    .optional()
    .meta({ description: 'How much it may request, as requests/seconds such as `600/60`; null: as much as any key.' }),
});

const NEW_KEY = KEY_CHANGE.extend({
  expires_at: TIME.nullable().optional().meta({
    description:
      'Until when it works, a time to come: a day, which is included and in UTC, or an RFC 3339 date-time. Null: as long as the account has access.',
  }),
});

/** What to change of a key. */
export const keyChangeBody: Body<KeyChange> = {
  ...bodyOf(KEY_CHANGE.meta({ id: 'KeyChange' }), keyChangeOf),
  selling: bodyOf(KEY_CHANGE.extend(budgetInput.shape), keyChangeOf),
};

/** A key to make. */
export const newKeyBody: Body<KeyRequest> = {
  ...bodyOf(NEW_KEY.meta({ id: 'NewKey' }), newKeyOf),
  selling: bodyOf(NEW_KEY.extend(budgetInput.shape), newKeyOf),
};

function newKeyOf({
  expires_at: expiresAt,
  ...given
}: z.output<typeof NEW_KEY> & z.output<typeof budgetInput>): KeyRequest {
  return { ...keyChangeOf(given), ...(expiresAt === undefined ? {} : { expiresAt }) };
}

function keyChangeOf(given: z.output<typeof KEY_CHANGE> & z.output<typeof budgetInput>): KeyChange {
  const { name, scopes, feeds, limit } = given;
  return {
    ...(name === undefined ? {} : { name }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(feeds === undefined ? {} : { feeds }),
    ...(limit === undefined ? {} : { limit: limit === null ? null : parseRate('limit', limit) }),
    ...budgetOf(given),
  };
}

/** @throws GazetteError `invalid_body` for a bound without a budget, and for a text that is no price */
function budgetOf(given: z.output<typeof budgetInput>): Pick<KeyChange, 'budget'> {
  const { budget, per_day: perDay, max_price: written } = given;
  if (budget === null) {
    const bound = (['per_day', 'max_price'] as const).find((name) => given[name] != null);
    if (bound === undefined) return { budget: null };
    throw invalidBody(`${bound}: it bounds a budget, and budget is null`, bound);
  }
  if (budget === undefined && perDay === undefined && written === undefined) return {};
  const maxPrice = written == null ? written : priceIn(written);
  if (written != null && maxPrice === null) {
    throw invalidBody(`max_price: it must be a price such as 2.00 EUR, got ${quote(written)}`, 'max_price');
  }
  return {
    budget: {
      ...(budget === undefined ? {} : { budget }),
      ...(perDay === undefined ? {} : { perDay }),
      ...(maxPrice === undefined ? {} : { maxPrice }),
    },
  };
}

/** How a key is rotated. */
export const rotationBody: Body<{ readonly graceMs?: number }> = graceBody(
  'Rotation',
  'How long the old key keeps working. Default: 24.',
);

/** How a prepared secret is activated. */
export const activationBody: Body<{ readonly graceMs?: number }> = graceBody(
  'Activation',
  'For how long deliveries are signed with the old secret too, by a second `v1`. Default: 0.',
);

function graceBody(id: string, description: string): Body<{ readonly graceMs?: number }> {
  const schema = z.strictObject({
    grace_hours: z.number().min(0).max(MAX_GRACE_HOURS).optional().meta({ description }),
  });
  return bodyOf(schema.meta({ id }), ({ grace_hours: hours }) =>
    hours === undefined ? {} : { graceMs: hours * HOUR_MS },
  );
}

const NEW_ENDPOINT = z.strictObject({
  url: text(ENDPOINT_URLS).meta({ description: 'Where to send events: https, at a public address.' }),
  feeds: FEEDS.meta({ description: 'Send events of these registers; null: of all.' }),
  events: z.array(z.enum(EVENT_TYPES)).nullable().optional().meta({ description: 'Types; null: all.' }),
  filters: filterLists()
    .meta({ id: 'EndpointFilters' })
    .nullable()
    .optional()
    .meta({
      description: `Send events of records that match, before or after: ${FILTERS.map(({ name }) => name).join(', ')}, or data.NAME, each with such values as the query parameter of that name takes; null: of all.`,
    }),
  standard_webhooks: z.boolean().optional().meta({ description: 'Send the headers of Standard Webhooks too.' }),
});

const ENDPOINT_CHANGE = NEW_ENDPOINT.partial();

/** An endpoint to add. */
export const newEndpointBody: Body<Omit<EndpointRequest, 'accountId'>> = bodyOf(
  NEW_ENDPOINT.meta({ id: 'NewEndpoint' }),
  (given) => ({ ...subscriptionOf(given), url: given.url }),
);

/** What to change of an endpoint. */
export const endpointChangeBody: Body<{ readonly change: EndpointUpdate; readonly enabled?: boolean }> = bodyOf(
  ENDPOINT_CHANGE.extend({
    enabled: z.boolean().optional().meta({ description: 'False disables it: its events are skipped.' }),
  }).meta({ id: 'EndpointChange' }),
  ({ enabled, ...given }) => ({ change: subscriptionOf(given), ...(enabled === undefined ? {} : { enabled }) }),
);

function subscriptionOf(given: z.output<typeof ENDPOINT_CHANGE>): EndpointUpdate {
  const { url, feeds, events, filters, standard_webhooks: isStandard } = given;
  return {
    ...(url === undefined ? {} : { url }),
    ...(feeds === undefined ? {} : { feeds: feeds ?? [] }),
    ...(events === undefined ? {} : { types: events ?? [] }),
    ...(filters === undefined ? {} : { filters: filters ?? {} }),
    ...(isStandard === undefined ? {} : { isStandard }),
  };
}

/** What is sent as a test. */
export const testBody: Body<{ readonly type?: string }> = bodyOf(
  z
    .strictObject({
      event: z.enum(EVENT_TYPES).optional().meta({
        description: 'An invented event of this type, which says `test: true`. Default: `endpoint.test`.',
      }),
    })
    .meta({ id: 'TestRequest' }),
  ({ event }) => (event === undefined ? {} : { type: event }),
);

/** What is sent again. */
export const replayBody: Body<{ readonly since?: string; readonly isMissed?: boolean }> = bodyOf(
  z
    .strictObject({
      since: TIME.optional().meta({
        description: 'Those created since: a day, from its beginning in UTC, or an RFC 3339 date-time. Default: all.',
      }),
      failed: z.boolean().optional().meta({ description: 'Only those that failed or were skipped. Default: true.' }),
    })
    .meta({ id: 'ReplayRequest' }),
  ({ since, failed }) => ({
    ...(since === undefined ? {} : { since }),
    ...(failed === undefined ? {} : { isMissed: failed }),
  }),
);

/** No members. */
export const noBody: Body<null> = bodyOf(z.strictObject({}).meta({ id: 'Nothing' }), () => null);
