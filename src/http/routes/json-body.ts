// The JSON bodies of requests: each is described once, validated by what describes it, and refused by the name of the member that
// is wrong or unknown.
import type { z } from 'zod';
import { type ErrorCode, GazetteError, quote } from '../../errors.ts';
import type { IncomingRequest } from '../../web/incoming-request.ts';
import { checkMediaType, readBody } from '../../web/request-body.ts';

/** A body in JSON. None counts as an object without members. */
export interface Body<T> {
  /** Validates the body, and is described in openapi.json. */
  readonly schema: z.ZodType;
  /** What it means. @throws GazetteError `invalid_body`, which names the member; `invalid_option` */
  readonly parse: (bytes: Uint8Array) => T;
  /** The same in a service that sells records, where it has more members. Absent: it has none. */
  readonly selling?: Pick<Body<T>, 'parse'>;
}

/** Enough for every list that fits. */
const MAX_BODY_BYTES = 64 * 1024;

/** How a body is refused. */
export const BODY_CODES: readonly ErrorCode[] = ['invalid_body', 'body_too_large', 'unsupported_media_type'];

/** Reads the bytes of a body. @throws GazetteError `body_too_large`, `unsupported_media_type` */
export async function bodyBytes(request: IncomingRequest): Promise<Uint8Array> {
  const bytes = await readBody(request, MAX_BODY_BYTES);
  if (bytes.length > 0) checkMediaType(request.headers);
  return bytes;
}

/** The error for a body that is not what it must be. @param member its name; empty: the body itself */
export function invalidBody(message: string, member: string): GazetteError {
  return new GazetteError('invalid_body', message, { details: member === '' ? {} : { parameter: member } });
}

/** A body by its schema. @param meaning what a valid one means */
export function bodyOf<Schema extends z.ZodType, T>(schema: Schema, meaning: (given: z.output<Schema>) => T): Body<T> {
  return {
    schema,
    parse(bytes) {
      const result = schema.safeParse(jsonOf(bytes));
      if (result.success) return meaning(result.data);
      const [issue] = result.error.issues;
      const member = issue!.path.map(String).join('.');
      throw invalidBody(`${member === '' ? 'the body' : member}: ${issue!.message}`, member);
    },
  };
}

function jsonOf(bytes: Uint8Array): unknown {
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw invalidBody(`the body must be JSON, got ${quote(text)}`, '');
  }
}
