// A zip archive (APPNOTE.TXT 6.3) as used by workbooks: read by its central directory. Every size is checked before and
// while a part is unpacked, and so is every checksum. Encryption and zip64 are not supported: a workbook that needs
// zip64 is too large.
import { pipeline } from 'node:stream/promises';
import { createInflateRaw, crc32 } from 'node:zlib';
import { GazetteError, quote } from '../../../errors.ts';
import { throwIfAborted } from '../../../register/sources/source.ts';
import { MAX_RATIO, RATIO_FREE_BYTES, unpacksTooLarge } from '../file/unpack.ts';
import type { SpooledFile } from './spool.ts';

/** The maximum total size of a workbook's unpacked parts, in bytes: 4 GiB less one. */
const MAX_UNPACKED_BYTES = 4_294_967_295;

const MAX_PARTS = 10_000;
const READ_SIZE = 65_536;
const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;

interface Entry {
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly unpacked: number;
  readonly offset: number;
}

/** An archive's parts by name. */
export class Archive {
  readonly #source: SpooledFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #maxBytes: number;
  #bytes = 0;

  private constructor(source: SpooledFile, entries: ReadonlyMap<string, Entry>, maxBytes: number) {
    this.#source = source;
    this.#entries = entries;
    this.#maxBytes = maxBytes;
  }

  /**
   * @param maxBytes to which all that is read of it may unpack
   * @throws GazetteError `invalid_input` when the file is not an archive, or would unpack to too much.
   */
  static async open(source: SpooledFile, maxBytes?: number): Promise<Archive> {
    return new Archive(source, await readDirectory(source), maxBytes ?? Infinity);
  }

  /** The names of the parts, in lower case. */
  get parts(): readonly string[] {
    return [...this.#entries.keys()];
  }

  has(part: string): boolean {
    return this.#entries.has(part.toLowerCase());
  }

  /**
   * A part's bytes.
   *
   * @throws GazetteError `invalid_input` when it is missing, damaged, or does not match the directory; `body_too_large`
   */
  async *read(part: string, signal?: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    const entry = this.#entries.get(part.toLowerCase());
    if (entry === undefined) throw refuse(this.#source, `has no part ${quote(part)}`);
    this.#bytes += entry.unpacked;
    if (this.#bytes > this.#maxBytes) throw unpacksTooLarge(this.#source.name, this.#maxBytes);
    const damaged = (reason: string, cause?: unknown): GazetteError =>
      refuse(this.#source, `has a damaged part ${quote(part)}: ${reason}`, cause);
    const local = await readAt(this.#source, entry.offset, 30);
    if (local.length < 30 || local.readUInt32LE(0) !== LOCAL_SIGNATURE) throw damaged('it is not where it should be');
    const start = entry.offset + 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
    const packed = this.#readRange(start, entry.packed, signal);
    let size = 0;
    let crc = 0;
    try {
      for await (const bytes of entry.method === 0 ? packed : inflate(packed)) {
        size += bytes.length;
        if (size > entry.unpacked)
          throw damaged(`it unpacks to more than the ${entry.unpacked} bytes it is said to have`);
        crc = crc32(bytes, crc);
        yield bytes;
      }
    } catch (error) {
      if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) {
        throw damaged(error.message, error);
      }
      throw error;
    }
    if (size !== entry.unpacked || crc !== entry.crc) throw damaged('its checksum is wrong');
  }

  async *#readRange(start: number, length: number, signal?: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
    for (let done = 0; done < length;) {
      throwIfAborted(signal);
      const bytes = await readAt(this.#source, start + done, Math.min(READ_SIZE, length - done));
      if (bytes.length === 0) return;
      done += bytes.length;
      yield bytes;
    }
  }
}

async function* inflate(packed: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array, void, undefined> {
  const unpack = createInflateRaw({ chunkSize: READ_SIZE });
  // A failure of either side ends the other; the iteration below throws it.
  const flowing = pipeline(packed, unpack).catch(() => undefined);
  try {
    yield* unpack as AsyncIterable<Uint8Array>;
  } finally {
    unpack.destroy();
    await flowing;
  }
}

async function readDirectory(source: SpooledFile): Promise<ReadonlyMap<string, Entry>> {
  const { count, offset, size } = await findDirectory(source);
  if (count > MAX_PARTS) throw refuse(source, `has ${count} parts; at most ${MAX_PARTS} are read`);
  const directory = await readAt(source, offset, size);
  const entries = new Map<string, Entry>();
  let total = 0;
  let at = 0;
  for (let index = 0; index < count; index++) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== ENTRY_SIGNATURE) {
      throw refuse(source, 'is a damaged zip archive: its directory is cut');
    }
    const nameLength = directory.readUInt16LE(at + 28);
    const name = directory.toString('utf8', at + 46, at + 46 + nameLength);
    const entry = {
      method: directory.readUInt16LE(at + 10),
      crc: directory.readUInt32LE(at + 16),
      packed: directory.readUInt32LE(at + 20),
      unpacked: directory.readUInt32LE(at + 24),
      offset: directory.readUInt32LE(at + 42),
    };
    if ((directory.readUInt16LE(at + 8) & 1) !== 0) throw refuse(source, 'is encrypted; save it without a password');
    if (entry.method !== 0 && entry.method !== 8) {
      throw refuse(source, `has the part ${quote(name)} in compression ${entry.method}; expected deflate`);
    }
    total += entry.unpacked;
    // A size of 2^32 − 1 means that zip64 is needed.
    if (total >= MAX_UNPACKED_BYTES) {
      throw refuse(source, `would unpack to more than ${MAX_UNPACKED_BYTES} bytes, the most that is read`);
    }
    if (entry.unpacked > RATIO_FREE_BYTES && entry.unpacked > entry.packed * MAX_RATIO) {
      throw refuse(
        source,
        `has the part ${quote(name)} of ${entry.packed} bytes that would unpack to ${entry.unpacked}; at most ${MAX_RATIO} times is read`,
      );
    }
    // OPC (ECMA-376-2 6.2.2.3): part names that differ only in case are the same.
    const key = name.toLowerCase();
    if (entries.has(key)) throw refuse(source, `has the part ${quote(name)} twice`);
    entries.set(key, entry);
    at += 46 + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return entries;
}

/** The end record is the last 22 bytes, or precedes a comment of up to 65,535 bytes. */
async function findDirectory(source: SpooledFile): Promise<{ count: number; offset: number; size: number }> {
  const start = Math.max(0, source.size - 22 - 65_535);
  const tail = await readAt(source, start, source.size - start);
  for (let at = tail.length - 22; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END_SIGNATURE) continue;
    const count = tail.readUInt16LE(at + 10);
    const size = tail.readUInt32LE(at + 12);
    const offset = tail.readUInt32LE(at + 16);
    if (offset + size <= start + at) return { count, offset, size };
  }
  throw refuse(source, 'is a truncated or damaged zip archive: it has no directory');
}

async function readAt({ file }: SpooledFile, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(buffer, done, length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return buffer.subarray(0, done);
}

function refuse({ name }: SpooledFile, reason: string, cause?: unknown): GazetteError {
  return new GazetteError('invalid_input', `${name} ${reason}`, {
    ...(cause === undefined ? {} : { cause }),
    details: { input: name },
  });
}
