// The parameters of the account's routes: the ids in their paths, and the query of the list of deliveries.
import { z } from 'zod';
import { KEY_IDS } from '../../../access/api-key.ts';
import type { GazetteError } from '../../../errors.ts';
import { ENDPOINT_IDS } from '../../../operate/endpoints.ts';
import type { DeliveryPage } from '../../../operate/own-account.ts';
import { PAGE_SIZE } from '../../../register/page.ts';
import { LIMIT, type TextsParameter } from '../../../register/parameters.ts';
import { integer, type Query, queryOf, text } from '../../../register/schemas/parameters.ts';
import { DELIVERY_IDS, unknownDelivery, unknownEndpoint } from '../../../stores/rows/deliveries.ts';
import { unknownKey } from '../../../stores/rows/keys.ts';

/** The id in a path. */
export interface IdInPath {
  /** Refuses what cannot be an id, and is described in openapi.json. */
  readonly params: z.ZodType;
  /** The error for an id of nothing. */
  readonly unknown: (id: string) => GazetteError;
}

/** The id of a key. */
export const keyInPath: IdInPath = { params: idOf('The key’s id.', KEY_IDS), unknown: unknownKey };

/** The id of an endpoint. */
export const endpointInPath: IdInPath = { params: idOf('The endpoint’s id.', ENDPOINT_IDS), unknown: unknownEndpoint };

/** The id of a delivery. */
export const deliveryInPath: IdInPath = { params: idOf('The delivery’s id.', DELIVERY_IDS), unknown: unknownDelivery };

function idOf(description: string, { pattern }: { readonly pattern: RegExp }): z.ZodType {
  return z.object({ id: z.string().regex(pattern).meta({ description }) });
}

const ENDPOINT: TextsParameter = {
  ...{ kind: 'texts', name: 'endpoint', minLength: 1, maxLength: 100, maxItems: 1 },
  ...{ pattern: ENDPOINT_IDS.pattern, expected: 'the id of an endpoint, ep_ and 18 hexadecimal digits' },
};

const BEFORE: TextsParameter = {
  ...{ ...ENDPOINT, name: 'before', pattern: DELIVERY_IDS.pattern },
  expected: 'the id of a delivery, dlv_ and a number',
};

const schema = z.object({
  endpoint: text(ENDPOINT).optional().meta({ description: 'Those to this endpoint. Default: all.' }),
  limit: integer(LIMIT)
    .default(50)
    .meta({ description: `How many, 1 to ${PAGE_SIZE}.` }),
  before: text(BEFORE).optional().meta({ description: 'Those created before this delivery.' }),
});

/** `endpoint`, `limit` and `before`. */
export const deliveriesQuery: Query<DeliveryPage> = queryOf(
  schema,
  [ENDPOINT, LIMIT, BEFORE],
  ({ endpoint, limit, before }) => ({
    limit,
    ...(endpoint === undefined ? {} : { endpointId: endpoint }),
    ...(before === undefined ? {} : { before }),
  }),
);
