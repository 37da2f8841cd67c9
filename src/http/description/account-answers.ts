// What programs are told of accounts, keys, endpoints and deliveries, by commands with `--json` and over HTTP.
import { z } from 'zod';
import { ID_PATTERNS } from '../../register/identity.ts';
import { PRICE_TEXTS } from '../../money.ts';
import { tokenAmount } from '../../register/schemas/prices.ts';
import { countSchema } from '../../register/schemas/records.ts';
import { KEY_SCOPES } from '../../stores/rows/keys.ts';

const text = z.string();
const time = z.string();
const timeOrNull = (description: string): z.ZodType => time.nullable().meta({ description });

/** An account. */
export const account: z.ZodObject = z.object({
  id: text.regex(ID_PATTERNS.feed),
  state: z.enum(['active', 'lapsed', 'suspended']).meta({
    description: 'Whether its keys work now: lapsed when access has ended or never began.',
  }),
  access_until: timeOrNull('When access ends, RFC 3339; null when it never began.'),
  suspended: z.boolean().meta({ description: 'Whether the operator stopped it.' }),
  limit: text.nullable().meta({
    description: 'How much its keys may request together, as requests/seconds; null: each as much as any key.',
  }),
  email: text.nullable().meta({ description: 'Where its owner gets links to sign in; null: nowhere.' }),
  created_at: time,
});

const listedKey = z.object({
  id: text.meta({ description: 'Names the key in commands; opens nothing.' }),
  account: text,
  product: text.meta({ description: 'The one deployment it works for.' }),
  name: text.nullable().meta({ description: 'What its owner calls it; null: nothing.' }),
  state: z.enum(['active', 'rotated', 'ended', 'expired', 'revoked']).meta({
    description:
      'Its own state, whatever its account may do: rotated while its grace runs, then ended; expired at its expires_at.',
  }),
  scopes: z.array(z.enum(KEY_SCOPES)).meta({
    description: 'What it is for: read (records), webhooks (endpoints, deliveries), account (all of the account).',
  }),
  feeds: z.array(text).nullable().meta({ description: 'The registers that it opens; null: all.' }),
  limit: text.nullable().meta({
    description:
      'How much it may request, as requests/seconds, besides what its account may; null: as much as any key.',
  }),
  last_four: text.meta({ description: 'The last four characters of the key.' }),
  created_at: time,
  last_used_at: timeOrNull('To the minute; null when it was never used.'),
  requests: countSchema('How many requests it was used for, recorded up to a minute late.'),
  expires_at: timeOrNull('Until when it was made to work; null: as long as its account has access.'),
  ends_at: timeOrNull('When a rotated key ends; null when it was not rotated.'),
  revoked_at: timeOrNull('When it was revoked; null when it was not.'),
});

/** A key in a list. */
export const key: z.ZodObject = listedKey;

const amount = countSchema('In the smallest unit of the currency.');

/** The credit of an account, in answers of a service that sells records. */
export const balance: z.ZodObject = z.object({
  currency: text.meta({ description: 'That of its first credit, such as EUR.' }),
  credit: amount.meta({ description: 'All credits.' }),
  charged: amount.meta({ description: 'All charges, less refunds.' }),
  left: amount.meta({ description: 'What it can still spend.' }),
});

/** What a key may spend, in answers of a service that sells records. */
export const budget: z.ZodObject = z
  .object({
    amount: amount.meta({ description: 'Altogether, in the currency of the account’s credit.' }),
    per_day: amount.nullable().meta({ description: 'On one day, in UTC; null: as much as is left.' }),
    max_price: text.nullable().meta({ description: 'For one record, such as `2.00 EUR`; null: as much as is left.' }),
    spent: amount.meta({ description: 'What was charged through it, less refunds.' }),
    spent_day: text.nullable().meta({ description: 'The day of spent_on_day; null: nothing was charged yet.' }),
    spent_on_day: amount.meta({ description: 'What was charged on that day.' }),
  })
  .meta({ id: 'Budget' });

const asked: z.ZodOptional<z.ZodNullable<z.ZodInt>> = z.int().min(1).nullable().optional();

const askedPrice: z.ZodOptional<z.ZodNullable<z.ZodString>> = z
  .string()
  .regex(PRICE_TEXTS.pattern)
  .nullable()
  .optional();

/** What is asked for of a key's budget, in a service that sells records. */
export const budgetInput: z.ZodObject<{
  budget: typeof asked;
  per_day: typeof asked;
  max_price: typeof askedPrice;
}> = z.object({
  budget: asked.meta({
    description:
      'What it may spend altogether by reading, in the smallest unit of the currency of the account’s credit, and not below what it has spent; null: nothing. A key that has a budget gives it away: what another key gets is taken from its own.',
  }),
  per_day: asked.meta({ description: 'What it may spend of that on one day, in UTC; null: as much as is left.' }),
  max_price: askedPrice.meta({
    description:
      'What it may spend of that for one record, such as `2.00 EUR`; null: as much as is left. A record that costs more is not bought (409 `price_changed`).',
  }),
});

/** An account of a service that sells records. */
export const sellingAccount: z.ZodObject = account.extend({
  balance: balance.optional().meta({ description: 'Its credit; absent: it never had any.' }),
});

/** A key of a service that sells records. */
export const sellingKey: z.ZodObject = listedKey.extend({
  budget: budget.optional().meta({ description: 'What it may spend; absent: the key spends nothing.' }),
});

/** A key, as the commands that make or change one give it. */
export const newKey: z.ZodType = z.object({
  key: text
    .regex(/^gz_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$/)
    .optional()
    .meta({ description: 'The key itself, of create and rotate alone: it is never shown again.' }),
  ...sellingKey.shape,
  replaced: sellingKey.optional().meta({ description: 'Of rotate alone: the key that goes.' }),
});

const ENTRY_AMOUNT = 'In the smallest unit of the currency; the kind says which way it counts.';

/** An entry of an account's ledger. */
export const ledgerEntry: z.ZodObject = z.object({
  number: z.int().min(1),
  kind: z.enum(['credit', 'hold', 'charge', 'release', 'refund', 'reversed']),
  at: time,
  payer: text.meta({ description: 'The account, or x402: with network and address.' }),
  amount: z.int().min(1).meta({ description: ENTRY_AMOUNT }),
  currency: text,
  record_id: text.nullable().meta({ description: 'What was bought; null in a credit.' }),
  content_version: z.int().min(1).nullable(),
  provider: text.meta({ description: 'Who moved the money: operator, prepaid, or a payment provider.' }),
  reference: text.nullable().meta({ description: 'What the provider calls the payment.' }),
  key: text.nullable().meta({ description: 'The id of the key that was used.' }),
  idempotency_key: text.nullable(),
  reason: text.nullable(),
  reverses: z.int().min(1).nullable().meta({ description: 'The entry that it ends or takes back.' }),
});

/** An amount of money as a number, or of a token on chain as digits. */
export const paidAmount: z.ZodType = z.union([z.int().min(1), tokenAmount]);

/** An entry of the ledger, whoever pays. */
export const anyLedgerEntry: z.ZodObject = ledgerEntry.extend({
  amount: paidAmount.meta({ description: `${ENTRY_AMOUNT} Tokens on chain are given as digits.` }),
});

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
export const endpoint: z.ZodObject = listed;

/** An endpoint, as the commands that change it give it. */
export const newEndpoint: z.ZodType = z.object({
  secret: text
    .regex(/^whsec_/)
    .optional()
    .meta({ description: 'The signing secret, of add and rotate-secret alone: it is never shown again.' }),
  ...listed.shape,
});

const attempt = z
  .object({
    at: time,
    duration_ms: countSchema(),
    status: z.int().min(100).max(999).nullable().meta({ description: 'The HTTP status; null: there was no answer.' }),
    error: text.nullable().meta({ description: 'Why there was none, in a word such as timeout.' }),
    response: text.nullable().meta({
      description: 'The beginning of an answer that was no success, at most 4 KiB.',
    }),
  })
  .meta({ id: 'Attempt' });

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
export const delivery: z.ZodObject = known;

/** An attempt. */
export const oneAttempt: z.ZodObject = attempt;

/** A delivery with its attempts. */
export const oneDelivery: z.ZodType = known.extend({
  all_attempts: z
    .array(attempt)
    .optional()
    .meta({ description: 'Of gazette webhook deliveries alone: every attempt, in order.' }),
});
