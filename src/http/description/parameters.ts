// The parameters as the reference describes them. What they may be is decided by register/query.ts alone; the limits
// named here are its own.
import { z } from '@hono/zod-openapi';
import { PAGE_SIZE } from '../../register/page.ts';

/** How many records or versions an answer holds unless asked otherwise; exports have {@link PAGE_SIZE}. */
export const DEFAULT_LIMIT = 50;

const limit = (defaultLimit: number): z.ZodType =>
  z
    .int()
    .min(1)
    .max(PAGE_SIZE)
    .default(defaultLimit)
    .openapi({
      description: `How many, 1 to ${PAGE_SIZE}. Anything else is refused with \`invalid_parameter\`, never clamped.`,
    });

// No examples of these: the reference would fill them in, and the public's three records seldom match.
// No examples of filters: the reference would send them with every request that is tried.
const documentType = z
  .string()
  .min(1)
  .max(1000)
  .optional()
  .openapi({ description: 'Only records of exactly this document type, such as `adopted`.' });

const facilityId = z
  .string()
  .min(1)
  .max(1000)
  .optional()
  .openapi({ description: 'Only records of exactly this facility.' });

const offset = (description: string): z.ZodType => z.int().min(0).default(0).openapi({ description });

/** `limit`, `offset`, `as_of` and the filters. */
export function pageQuery(defaultLimit: number): z.ZodObject {
  return z.object({
    limit: limit(defaultLimit),
    offset: offset('Where the page begins: `next_offset` of the page before it. 0 is the newest record.'),
    as_of: z.int().min(0).optional().openapi({
      description:
        'The view a walk began in; `Link` and `as_of` of the first page give it. With it a walk loses nothing and repeats nothing while the register is written to. Needs a key.',
    }),
    document_type: documentType,
    facility_id: facilityId,
  });
}

/** `limit` and `offset` of a history. */
export function historyQuery(): z.ZodObject {
  return z.object({ limit: limit(DEFAULT_LIMIT), offset: offset('How many of the newest versions to pass over.') });
}

/** `limit` and `since`. */
export function changesQuery(): z.ZodObject {
  return z.object({
    limit: limit(DEFAULT_LIMIT),
    since: z.int().min(0).default(0).openapi({
      description: 'The change number after which to begin: `next_since` of the answer before. 0 is the beginning.',
    }),
  });
}

/** `feed_id`. */
export const feedParams: z.ZodObject = z.object({
  feed_id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,63}$/)
    .openapi({ description: 'The register.', example: 'permits' }),
});

/** `record_id`. */
export const recordParams: z.ZodObject = z.object({
  record_id: z.string().max(200).openapi({
    description: 'The record, `<feed_id>:<key>`. The colon may be written `:` or `%3A`.',
    example: 'permits:2026-0191',
  }),
});
