// The JSON Schemas of events, made of one table: what openapi.json says of webhooks, and gazette/schemas.
import { z } from 'zod';
import { ID_PATTERNS } from '../../register/identity.ts';
import { type JsonSchema, toJsonSchema, withoutFormats } from '../../register/schemas/json-schema.ts';
import { CAUSES } from '../../register/record.ts';
import {
  DISABLED_EVENT_TYPE,
  type EVENT_TYPES,
  RECORD_EVENT_TYPES,
  type RecordEventType,
  TEST_EVENT_TYPE,
} from '../../webhooks/event.ts';
import { eventTypeOf } from '../../webhooks/send/record-event.ts';

/** A type of event, described. */
export interface DescribedEvent {
  readonly type: (typeof EVENT_TYPES)[number] | typeof TEST_EVENT_TYPE;
  /** When it is sent. */
  readonly summary: string;
  /** Its body. */
  readonly schema: JsonSchema;
}

const SUMMARIES: Readonly<Record<RecordEventType, string>> = {
  'record.published': 'A record is published, or published again after it was withdrawn.',
  'record.updated': 'The source changed a record.',
  'record.corrected': 'A record was read from its source again, because the first reading had an error.',
  'record.withdrawn': 'A record was withdrawn, or erased for legal reasons.',
};

const text = z.string();
const erasable = (description: string): z.ZodType => {
  return text.nullable().meta({ description: `${description}; null once it was erased for legal reasons.` });
};

const head = {
  id: text.regex(/^evt_[0-9a-f]{32}$/).meta({
    description: 'The same in every attempt, retry and replay, and in X-Register-Event.',
  }),
  created_at: text.meta({
    description: 'When what it tells of happened: RFC 3339.',
  }),
};

const invented = z.literal(true).optional().meta({ description: 'In an invented event that tests an endpoint.' });

function recordEvent(type: RecordEventType): z.ZodType {
  const causes = CAUSES.filter((cause) => cause !== 'renumbered' && eventTypeOf(cause) === type);
  return z.object({
    ...{ id: head.id, type: z.literal(type), created_at: head.created_at },
    feed_id: text.regex(ID_PATTERNS.feed).meta({ description: 'The register.' }),
    record_id: text.regex(ID_PATTERNS.record).meta({ description: 'The record.' }),
    version: z.int().min(1).meta({ description: 'The number of this version of the record.' }),
    log_index: z.int().min(0).meta({ description: 'Where the version stands in the log of its register, from 0.' }),
    cause: z.enum(causes).meta({ description: 'Why this version was recorded.' }),
    undoes: z.int().min(1).optional().meta({
      description: 'The number of the import that this version takes back, if it does.',
    }),
    source_url: erasable('The record’s original source'),
    published_at: erasable('When the source published it, null also when the source does not say'),
    observed_at: erasable('When it was first observed'),
    title: erasable('The record’s title'),
    url: text.meta({ description: 'The address of the record on this service.' }),
    test: invented,
  });
}

/** Every type of event. Later versions may add types and members. */
export function describedEvents(): readonly DescribedEvent[] {
  const disabled = z.object({
    ...{ id: head.id, type: z.literal(DISABLED_EVENT_TYPE), created_at: head.created_at },
    endpoint: text.regex(/^ep_[0-9a-f]{18}$/).meta({ description: 'The endpoint that was disabled.' }),
    reason: z.enum(['operator', 'gone', 'failing']).meta({
      description:
        'operator: by the operator or the owner; gone: it answered 410; failing: after days of nothing but failures.',
    }),
    test: invented,
  });
  const test = z.object({ id: head.id, type: z.literal(TEST_EVENT_TYPE), created_at: head.created_at });
  const ofRecords = RECORD_EVENT_TYPES.map((type) => {
    return { type, summary: SUMMARIES[type], schema: withoutFormats(toJsonSchema(recordEvent(type))) };
  });
  const disabledSummary = 'An endpoint of the account was disabled. It is sent to the others.';
  const summary = 'A test of an endpoint, about no record.';
  return [
    ...ofRecords,
    { type: DISABLED_EVENT_TYPE, summary: disabledSummary, schema: withoutFormats(toJsonSchema(disabled)) },
    { type: TEST_EVENT_TYPE, summary, schema: withoutFormats(toJsonSchema(test)) },
  ];
}
