// The parameters of the list of deliveries.
import { z } from 'zod';
import { PAGE_SIZE } from '../../../register/page.ts';
import { LIMIT, type TextsParameter } from '../../../register/parameters.ts';
import { type Query, queryOf } from '../../../register/schemas/parameters.ts';
import type { DeliveryPage } from '../../../operate/own-account.ts';

const ENDPOINT: TextsParameter = { kind: 'texts', name: 'endpoint', minLength: 1, maxLength: 100, maxItems: 1 };

const BEFORE: TextsParameter = { ...ENDPOINT, name: 'before', pattern: /^dlv_[1-9][0-9]{0,14}$/ };

const schema = z.object({
  endpoint: z.string().min(1).max(100).optional().meta({ description: 'Those to this endpoint. Default: all.' }),
  limit: z
    .int()
    .min(1)
    .max(PAGE_SIZE)
    .default(50)
    .meta({ description: `How many, 1 to ${PAGE_SIZE}.` }),
  before: z.string().regex(BEFORE.pattern!).optional().meta({ description: 'Those created before this delivery.' }),
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
