// The cursor of `read_register`: where a walk goes on, in the view in which it began. It is opaque, and as long as a
// model copies without a mistake; a digest ties it to its register, its filters and its tier.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { GazetteError, quote } from '../../errors.ts';
import { filterText } from '../../register/finding/filter.ts';
import type { AsOf, Page, PageQuery } from '../../register/page.ts';
import type { Tier } from '../../register/tier.ts';
import type { RegisterEntry } from '../../stores/contract/registers.ts';

/** What a cursor belongs to. */
export interface CursorPlace {
  readonly entry: Pick<RegisterEntry, 'definition' | 'log'>;
  readonly filter: PageQuery['filter'];
  readonly tier: Tier;
}

/** `cursor`, the argument. */
export const CURSOR_ARGUMENT: z.ZodOptional<z.ZodString> = z
  .string({ error: 'must be given as a text' })
  .optional()
  .meta({
    description:
      'cursor of the answer before, with the same feed_id and filters, instead of offset: no record is lost or comes twice while the register changes.',
  });

/** What a cursor consists of: the view, the offset, and the digest of both with their place. */
const PARTS = z.tuple([z.union([z.int().min(0), z.string(), z.null()]), z.int().min(0), z.string()]);

/** Hexadecimal digits of the digest: enough against mistakes. The parts are checked like any caller's arguments. */
const DIGEST_LENGTH = 12;

/** The cursor that continues after a page; null after the last one. */
export function cursorAfter({ asOf, nextOffset }: Page, place: CursorPlace): string | null {
  if (nextOffset === null) return null;
  const parts: z.output<typeof PARTS> = [asOf, nextOffset, digestOf(asOf, nextOffset, place)];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/**
 * The page that a cursor continues with.
 *
 * @throws GazetteError `invalid_parameter` for a text that is not a cursor of this place
 */
export function readCursor(cursor: string, place: CursorPlace): Pick<PageQuery, 'offset' | 'asOf'> {
  const parts = PARTS.safeParse(jsonOf(cursor));
  const [asOf, offset, digest] = parts.data ?? [null, 0, ''];
  if (digest !== digestOf(asOf, offset, place)) {
    throw new GazetteError(
      'invalid_parameter',
      `cursor must be that of the answer before, unchanged, with the same feed_id, filters and API key; leave it out to begin again, got ${quote(cursor)}`,
      { details: { parameter: 'cursor' } },
    );
  }
  return { offset, ...(asOf === null ? {} : { asOf }) };
}

function digestOf(asOf: AsOf | null, offset: number, { entry, filter = {}, tier }: CursorPlace): string {
  const text = JSON.stringify([asOf, offset, entry.definition.id, entry.log, tier, filterText(filter)]);
  return createHash('sha256').update(text).digest('hex').slice(0, DIGEST_LENGTH);
}

function jsonOf(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    // Not a cursor: its parts are missing.
    return null;
  }
}
