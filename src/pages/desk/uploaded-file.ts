// The file of a form (multipart/form-data, RFC 7578), written to the disk as it arrives: it is never held in memory.
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { GazetteError, isGazetteError, quote } from '../../errors.ts';
import type { IncomingRequest } from '../../web/incoming-request.ts';

const MEDIA_TYPE = 'multipart/form-data';

/** What a form may have beside its file, in bytes: what browsers write around it. */
const FORM_BYTES = 65_536;

/** Of the rest of a form nothing is read. */
const LIMITS = { files: 1, fields: 0, parts: 10, headerPairs: 20, headerSize: 8192 };

/** The longest name that file systems have, in their bytes; here in characters. */
const LONGEST_NAME = 255;

/**
 * Refuses what {@link writeUploadedFile} would refuse once it has begun to read.
 *
 * @throws GazetteError `unsupported_media_type`, `body_too_large`
 */
export function checkUpload({ headers }: Pick<IncomingRequest, 'headers'>, maxBytes: number): void {
  const type = headers.get('content-type') ?? '';
  if (type.split(';')[0]!.trim().toLowerCase() !== MEDIA_TYPE) {
    throw new GazetteError('unsupported_media_type', `a file must be sent as ${MEDIA_TYPE}, got ${quote(type)}`);
  }
  if (Number(headers.get('content-length') ?? 0) > maxBytes + FORM_BYTES) throw tooLarge(maxBytes);
}

/**
 * Writes the first file of a form to a path where there is none yet, which its owner alone may read. What fails leaves a part
 * of the file there.
 *
 * @returns the name of the file, without a folder; empty where the form has no file
 * @throws GazetteError `body_too_large`, `invalid_body` for what is no form, or is cut; and what writing and the body throw
 */
export async function writeUploadedFile(
  { headers, body }: Pick<IncomingRequest, 'headers' | 'body'>,
  path: string,
  maxBytes: number,
): Promise<string> {
  const ending = new AbortController();
  const { signal } = ending;
  let name = '';
  let cause: unknown;
  let written = Promise.resolve();
  const end = (error: unknown): void => {
    cause ??= error;
    ending.abort();
  };
  const form = openForm(headers.get('content-type') ?? '', maxBytes);
  form.on('file', (_, file, given) => {
    // A browser sends a file without a name where none was chosen.
    name = nameOf(given);
    file.once('limit', () => {
      end(tooLarge(maxBytes));
    });
    written = pipeline(file, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal });
    written.catch(end);
  });
  form.on('error', (error: unknown) => {
    cause ??= isGazetteError(error)
      ? error
      : new GazetteError('invalid_body', 'the form with the file is cut, or is none', { cause: error });
  });
  try {
    await pipeline(bounded(body ?? noBytes(), maxBytes), form, { signal });
    await written;
  } catch (error) {
    end(error);
    await written.catch(() => undefined);
    throw cause;
  }
  return name;
}

async function* bounded(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes + FORM_BYTES) throw tooLarge(maxBytes);
    yield chunk;
  }
}

async function* noBytes(): AsyncGenerator<Uint8Array, void, undefined> {
  yield* [];
}

function openForm(type: string, maxBytes: number): BusboyInstance {
  try {
    return new Busboy({ headers: { 'content-type': type }, limits: { ...LIMITS, fileSize: maxBytes } });
  } catch (cause) {
    throw new GazetteError('invalid_body', 'the form with the file names no boundary of its parts', { cause });
  }
}

/** What a form calls a file, as one line of bounded length. */
function nameOf(given = ''): string {
  const name = given
    .split(/[\\/]/)
    .at(-1)!
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim();
  // Its end says what the file is.
  return name.slice(-LONGEST_NAME).toWellFormed();
}

function tooLarge(maxBytes: number): GazetteError {
  return new GazetteError('body_too_large', `a file must be at most ${maxBytes} bytes long`);
}
