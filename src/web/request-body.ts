// Reads the body of a request, up to a limit.
import { GazetteError, quote } from '../errors.ts';
import type { IncomingRequest } from './incoming-request.ts';

/** The media type of a form that a browser sends without files (URL Standard 5). */
const FORM_MEDIA_TYPE = 'application/x-www-form-urlencoded';

/** A short body that takes longer to come is treated as hostile. */
const BODY_MS = 30_000;

/**
 * Reads a body of at most `maxBytes`, of a request or of an answer.
 *
 * @param withinMs how long it may take to come. Default 30 seconds
 * @throws GazetteError `body_too_large`, as soon as the length is known; `bad_request` for one that takes too long
 */
export async function readBody(
  request: Pick<IncomingRequest, 'headers' | 'body'>,
  maxBytes: number,
  withinMs: number = BODY_MS,
): Promise<Uint8Array> {
  const tooLarge = (): GazetteError =>
    new GazetteError('body_too_large', `the body must be at most ${maxBytes} bytes long`);
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const read = async (): Promise<void> => {
    for await (const chunk of request.body ?? []) {
      length += chunk.length;
      if (length > maxBytes) throw tooLarge();
      chunks.push(chunk);
    }
  };
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new GazetteError('bad_request', 'the body did not arrive in time'));
  }, withinMs);
  try {
    await Promise.race([read(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

/**
 * Reads the fields of a form.
 *
 * @throws GazetteError `unsupported_media_type`, `body_too_large`
 */
export async function readForm(request: IncomingRequest, maxBytes: number): Promise<URLSearchParams> {
  const type = request.headers.get('content-type') ?? '';
  if (type.split(';')[0]!.trim().toLowerCase() !== FORM_MEDIA_TYPE) {
    throw new GazetteError('unsupported_media_type', `a form must be sent as ${FORM_MEDIA_TYPE}, got ${quote(type)}`);
  }
  return new URLSearchParams(new TextDecoder().decode(await readBody(request, maxBytes)));
}

/** Refuses a body that is not JSON. @throws GazetteError `unsupported_media_type` */
export function checkMediaType(headers: IncomingRequest['headers']): void {
  const value = headers.get('content-type');
  const [type = '', ...parameters] = (value ?? '').toLowerCase().split(';');
  const isOtherCharset = parameters.some((parameter) =>
    /^\s*charset\s*=(?!\s*"?(?:utf-8|utf8|us-ascii)"?\s*$)/.test(parameter),
  );
  if (type.trim() !== 'application/json' || isOtherCharset) {
    const got = value === null ? 'none' : quote(value);
    throw new GazetteError('unsupported_media_type', `Content-Type must be application/json in UTF-8, got ${got}`);
  }
  const coding = headers.get('content-encoding');
  if (coding !== null && !/^\s*(?:identity)?\s*$/i.test(coding)) {
    throw new GazetteError(
      'unsupported_media_type',
      `the body must come without a Content-Encoding, got ${quote(coding)}`,
    );
  }
}
