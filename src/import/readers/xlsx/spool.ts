// Copies a file that must be read from its end, such as a zip archive, to disk: standard input and other sources can
// only be read from their start.
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GazetteError } from '../../../errors.ts';
import { systemReason } from '../../../files/output-failed.ts';
import { throwIfAborted } from '../../../register/sources/source.ts';
import { type ByteSource, readBytes } from '../byte-source.ts';

/** The maximum size of a copied file, in bytes: 2 GiB. */
const MAX_SPOOLED_BYTES = 2_147_483_648;

/** A file of known size with random access. */
export interface SpooledFile {
  readonly name: string;
  readonly file: FileHandle;
  readonly size: number;
  /** Closes the file and deletes it. */
  close(): Promise<void>;
}

/**
 * Copies a source to a temporary file.
 *
 * @throws GazetteError `invalid_input` when it cannot be read or is larger than {@link MAX_SPOOLED_BYTES}; `aborted`.
 */
export async function spool(source: ByteSource, signal?: AbortSignal): Promise<SpooledFile> {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  let file: FileHandle | undefined;
  const close = async (): Promise<void> => {
    await file?.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    file = await open(join(folder, 'input'), 'wx+');
    // An open file needs no name: nothing remains however the process ends. Windows does not allow deleting an open
    // file.
    if (process.platform !== 'win32') await rm(folder, { recursive: true });
    let size = 0;
    for await (const bytes of readBytes(source, 'xlsx', signal)) {
      throwIfAborted(signal);
      size += bytes.length;
      if (size > MAX_SPOOLED_BYTES)
        throw refuse(source.name, `is larger than ${MAX_SPOOLED_BYTES} bytes, the most that is read`);
      for (let done = 0; done < bytes.length;) done += (await file.write(bytes, done)).bytesWritten;
    }
    throwIfAborted(signal);
    return { name: source.name, file, size, close };
  } catch (error) {
    await close();
    throwIfAborted(signal);
    if (error instanceof Error && !(error instanceof GazetteError) && 'syscall' in error) {
      throw refuse(source.name, `cannot be read: ${systemReason(error)}`, error);
    }
    throw error;
  }
}

function refuse(name: string, reason: string, cause?: unknown): GazetteError {
  return new GazetteError('invalid_input', `${name} ${reason}`, {
    ...(cause === undefined ? {} : { cause }),
    details: { input: name },
  });
}
