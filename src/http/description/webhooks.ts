// What openapi.json says of the events that the service sends.
import { SIGNATURE_HEADER } from '../../webhooks/signature-rules.ts';
import { EVENT_HEADER } from '../../webhooks/event.ts';
import type { Components, DescribedParameter } from './components.ts';
import { describedEvents } from './event-schemas.ts';

/** The tag of webhooks. */
export const WEBHOOKS_TAG = {
  name: 'Webhooks',
  description:
    'Events that this service sends to the addresses which subscribers gave it. Later versions may add types and members: ignore those you do not know, and answer with success.',
};

const HEADERS: readonly DescribedParameter[] = [
  {
    ...{ name: SIGNATURE_HEADER, in: 'header', required: true },
    description:
      't=<Unix seconds>,v1=<hex>: HMAC-SHA-256 over <t>.<raw body>, keyed with the whole secret. While a secret is rotated there may be a second v1.',
    schema: { type: 'string' },
  },
  {
    ...{ name: EVENT_HEADER, in: 'header', required: true },
    description: 'The event’s id. The signature does not cover it: it must equal the id in the body.',
    schema: { type: 'string' },
  },
];

const RESPONSES = {
  '2XX': { description: 'Acknowledged: the event is not sent again.' },
  '410': { description: 'Nothing is sent to this address any more.' },
  default: { description: 'Sent again later, not before Retry-After. Redirects are not followed.' },
};

/** The object `webhooks` (OpenAPI 3.1.0 4.8.1): one for each type of event. */
export function webhooksObject(components: Components): object {
  const events = describedEvents().map(({ type, summary, schema }) => {
    const requestBody = { required: true, content: { 'application/json': { schema } } };
    const operationId = type.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase());
    return [
      type,
      {
        post: {
          operationId,
          tags: [WEBHOOKS_TAG.name],
          summary,
          security: [],
          parameters: HEADERS.map((header) => components.parameter(header, operationId)),
          requestBody,
          responses: RESPONSES,
        },
      },
    ];
  });
  return Object.fromEntries(events) as object;
}
