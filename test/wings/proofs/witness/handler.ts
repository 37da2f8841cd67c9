// A witness over HTTP (C2SP tlog-witness): `POST /add-checkpoint` and `GET /<hash of the origin>/checkpoint`.
import { isGazetteError } from '../../../../src/errors.ts';
import { readBody } from '../../../../src/web/request-body.ts';
import type { Witness } from './witness.ts';

/** What notes and proofs need at most: sixteen signatures of ML-DSA are a tenth of it. */
const MAX_BYTES = 1024 * 1024;

const TEXT = 'text/plain; charset=utf-8';

/** C2SP tlog-witness: the media type of the size that was signed last. */
const SIZE = 'text/x.tlog.size';

/** Answers the requests of a witness. @param onError gets what kept a request from being answered */
export function witnessHandler(
  witness: Witness,
  onError: (error: unknown) => void,
): (request: Request) => Promise<Response> {
  return async (request) => {
    try {
      return await answer(witness, request);
    } catch (error) {
      onError(error);
      const isBusy = isGazetteError(error, 'store_busy');
      return text(isBusy ? 503 : 500, isBusy ? 'try again\n' : 'the witness failed\n');
    }
  };
}

async function answer(witness: Witness, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const [, log] = /^\/([0-9a-f]{64})\/checkpoint$/.exec(pathname) ?? [];
  if (log !== undefined) {
    if (request.method !== 'GET' && request.method !== 'HEAD') return notAllowed('GET, HEAD');
    const checkpoint = witness.checkpoint(log);
    return checkpoint === null ? text(404, 'nothing was signed of this log\n') : text(200, checkpoint);
  }
  if (pathname !== '/add-checkpoint') return text(404, 'there is nothing here\n');
  if (request.method !== 'POST') return notAllowed('POST');
  const bytes = await readBody(request, MAX_BYTES).catch((error: unknown) => {
    return isGazetteError(error, 'body_too_large')
      ? text(413, `${error.message}\n`)
      : text(400, 'the body broke off\n');
  });
  if (bytes instanceof Response) return bytes;
  const submission = decode(bytes);
  if (submission === null) return text(400, 'a request must be UTF-8\n');
  const { status, body } = witness.add(submission);
  return text(status, body, status === 409 ? SIZE : TEXT);
}

/** The text of bytes; null when they are not UTF-8. A mark at the beginning is part of it. */
function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function notAllowed(allow: string): Response {
  return new Response('the method is not allowed here\n', { status: 405, headers: { 'content-type': TEXT, allow } });
}

function text(status: number, body: string, type: string = TEXT): Response {
  return new Response(body, { status, headers: { 'content-type': type, 'cache-control': 'no-store' } });
}
