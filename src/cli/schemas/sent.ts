// What the commands of webhooks say of endpoints and deliveries.
import { z } from 'zod';
import { countSchema } from '../../register/schemas/records.ts';

const text = z.string();
const time = z.string();
const timeOrNull = (description: string): z.ZodType => time.nullable().meta({ description });

const listed = z.object({
  id: text.meta({ description: 'Names the endpoint in commands.' }),
  account: text,
  url: text,
  feeds: z.array(text).nullable().meta({ description: 'The registers it hears of; null: all.' }),
  events: z.array(text).nullable().meta({ description: 'The types of event it hears of; null: all.' }),
  filters: z.record(text, z.array(text)).nullable().meta({
    description: 'The filters that a record must match, before or after its new version; null: none.',
  }),
  created_at: time,
  disabled_at: timeOrNull('When it was stopped; null: it was not.'),
  disabled_reason: z.enum(['operator', 'gone', 'failing']).nullable().meta({
    description: 'Who stopped it: the operator, its own answer 410, or five days of nothing but failures.',
  }),
  failing_since: timeOrNull('The first failure since the last success.'),
  next_secret_prepared: z.boolean().meta({ description: 'Whether a rotation of its secret waits to be activated.' }),
  previous_secret_until: timeOrNull(
    'Until when deliveries are also signed with the previous secret; null: they are not.',
  ),
  standard_webhooks: z
    .boolean()
    .meta({ description: 'Whether deliveries also have the headers of Standard Webhooks.' }),
});

/** An endpoint, as `gazette webhook list` gives it. */
export const endpoint: z.ZodType = listed;

/** An endpoint, as the commands that change it give it. */
export const newEndpoint: z.ZodType = z.object({
  secret: text
    .regex(/^whsec_/)
    .optional()
    .meta({ description: 'The signing secret, of add and rotate-secret alone: it is never shown again.' }),
  ...listed.shape,
});

const attempt = z.object({
  at: time,
  duration_ms: countSchema(),
  status: z.int().min(100).max(999).nullable().meta({ description: 'The HTTP status; null: there was no answer.' }),
  error: text.nullable().meta({ description: 'Why there was none, in a word such as timeout.' }),
  response: text.nullable().meta({
    description: 'The beginning of an answer that was no success, at most 4 KiB.',
  }),
});

const known = z.object({
  id: text.meta({ description: 'Names the delivery in commands.' }),
  endpoint: text,
  event: text.meta({ description: 'The event’s id, as X-Register-Event carries it.' }),
  type: text,
  record_id: text.nullable().meta({ description: 'Null for a test.' }),
  version: z.int().min(1).nullable(),
  created_at: time,
  state: z.enum(['pending', 'acknowledged', 'failed', 'skipped']).meta({
    description:
      'The latest recorded outcome. Acknowledged: answered with a 2xx, which does not say that the receiver finished its work.',
  }),
  reason: text.nullable().meta({ description: 'Why it failed or was skipped, in a word such as access_lapsed.' }),
  attempts: countSchema('How often it was tried, replays included.'),
  next_attempt_at: time.nullable(),
  last_attempt: attempt.nullable().meta({ description: 'Null: it was not tried yet.' }),
});

/** A delivery in a list. */
export const delivery: z.ZodType = known;

/** A delivery with its attempts. */
export const oneDelivery: z.ZodType = known.extend({
  all_attempts: z
    .array(attempt)
    .optional()
    .meta({ description: 'Of gazette webhook deliveries alone: every attempt, in order.' }),
});
