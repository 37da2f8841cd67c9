// What the account's routes answer with, each described once.
import { z } from 'zod';
import { keyStateAt } from '../../../access/state.ts';
import { toKeyAnswer } from '../../../operate/answers.ts';
import * as schemas from '../../description/account-answers.ts';
import { countSchema } from '../../../register/schemas/records.ts';
import type { ApiKeyEntry } from '../../../stores/contract/accounts.ts';
import type { DocumentedResponse } from '../../../web/documentation.ts';

/** An account. */
export const account: z.ZodObject = schemas.account
  .extend({
    last_used_at: z.string().nullable().meta({ description: 'When any of its keys was used; null: none was.' }),
    requests: countSchema('How many requests its keys were used for, recorded a minute late.'),
  })
  .meta({ id: 'Account' });
/** A key. */
export const key: z.ZodObject = schemas.key.meta({ id: 'Key' });
/** An endpoint. */
export const endpoint: z.ZodObject = schemas.endpoint.meta({ id: 'Endpoint' });
/** A delivery with its latest outcome. */
export const delivery: z.ZodObject = schemas.delivery.meta({ id: 'Delivery' });
/** How many are sent again. */
export const replayed: z.ZodObject = z
  .object({ replayed: countSchema('How many deliveries are to be sent again.') })
  .meta({ id: 'Replayed' });

/** An answer with something that is shown once. */
function withSecret(schema: z.ZodObject, name: 'key' | 'secret', more: z.ZodRawShape = {}): z.ZodObject {
  return z.object({
    [name]: z.string().nullable().meta({ description: 'Shown this once: null where the request is repeated.' }),
    code: z.literal('shown_once').optional().meta({ description: 'Where the request is repeated.' }),
    ...schema.shape,
    ...more,
  });
}

/** A key that is shown once. */
export const newKey: z.ZodObject = withSecret(key, 'key').meta({ id: 'IssuedKey' });
const replaces = { replaces: z.string().meta({ description: 'The key that goes.' }) };
/** A key that replaces another. */
export const successor: z.ZodObject = withSecret(key, 'key', replaces).meta({ id: 'RotatedKey' });
/** An endpoint with a secret that is shown once. */
export const newEndpoint: z.ZodObject = withSecret(endpoint, 'secret').meta({ id: 'IssuedSecret' });

/** An answer in JSON. */
export function answer(description: string, schema: z.ZodType): DocumentedResponse {
  return { description, content: { 'application/json': { schema } } };
}

/** A key's answer, in its state when it was asked for. */
export function showKey(entry: ApiKeyEntry, { atMs }: { readonly atMs: number }): object {
  return toKeyAnswer(entry, keyStateAt(entry, atMs));
}
