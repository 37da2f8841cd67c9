// The records of a zip archive besides its data (APPNOTE.TXT 6.3.10), as bytes. Pure functions of sizes and offsets.
// Zip64 (4.5.3) is used only where a number does not fit in 32 bits, since some readers refuse it.
import type { DeflateTotals } from './deflate.ts';

/** An entry in the central directory. */
export interface ZipEntry extends DeflateTotals {
  /** Path in the archive, ASCII. */
  readonly name: string;
  /** Offset of its local header, in bytes from the start of the archive. */
  readonly offset: number;
  /** Whether its sizes follow its data instead of being in the local header. */
  readonly hasDescriptor: boolean;
}

const LOCAL_HEADER = 0x04034b50;
const DESCRIPTOR = 0x08074b50;
const CENTRAL_HEADER = 0x02014b50;
const ZIP64_END = 0x06064b50;
const ZIP64_LOCATOR = 0x07064b50;
const END = 0x06054b50;

/** 4.4.3.2: deflate needs version 2.0, zip64 needs 4.5. */
const VERSION_DEFLATE = 20;
const VERSION_ZIP64 = 45;
/** 4.4.4 bit 3: crc-32 and sizes are in the data descriptor. */
const FLAG_DESCRIPTOR = 0x0008;
const METHOD_DEFLATE = 8;
/** 1980-01-01 00:00:00, the earliest time of a zip (4.4.6): an archive's bytes depend only on its content. */
const TIME = 0;
const DATE = 0x0021;
const ZIP64_EXTRA = 0x0001;
const MAX_UINT16 = 0xffff;
const MAX_UINT32 = 0xffffffff;

/** The local file header (4.3.7). Without totals, crc-32 and sizes follow the data in a descriptor. */
export function localHeader(name: string, totals: DeflateTotals | null): Uint8Array<ArrayBuffer> {
  const bytes = new Fields(30 + name.length);
  bytes.uint32(LOCAL_HEADER);
  bytes.uint16(VERSION_DEFLATE);
  bytes.uint16(totals === null ? FLAG_DESCRIPTOR : 0);
  bytes.uint16(METHOD_DEFLATE);
  bytes.uint16(TIME);
  bytes.uint16(DATE);
  bytes.uint32(totals?.crc ?? 0);
  bytes.uint32(totals?.compressedSize ?? 0);
  bytes.uint32(totals?.size ?? 0);
  bytes.uint16(name.length);
  bytes.uint16(0);
  bytes.ascii(name);
  return bytes.done();
}

/**
 * The data descriptor (4.3.9). Sizes take eight bytes if one does not fit in four (4.3.9.2). The local header of a
 * stream cannot say which, so readers learn it from the central directory.
 */
export function dataDescriptor(totals: DeflateTotals): Uint8Array<ArrayBuffer> {
  const isLarge = totals.size >= MAX_UINT32 || totals.compressedSize >= MAX_UINT32;
  const bytes = new Fields(isLarge ? 24 : 16);
  bytes.uint32(DESCRIPTOR);
  bytes.uint32(totals.crc);
  if (isLarge) {
    bytes.uint64(totals.compressedSize);
    bytes.uint64(totals.size);
  } else {
    bytes.uint32(totals.compressedSize);
    bytes.uint32(totals.size);
  }
  return bytes.done();
}

/** The entry's header in the central directory (4.3.12), with the zip64 extra field (4.5.3) if a number needs it. */
export function centralHeader(entry: ZipEntry): Uint8Array<ArrayBuffer> {
  // 4.5.3: in this order, and only those whose 32-bit field is full.
  const large = [entry.size, entry.compressedSize, entry.offset].filter((value) => value >= MAX_UINT32);
  const extraLength = large.length === 0 ? 0 : 4 + 8 * large.length;
  const version = large.length === 0 ? VERSION_DEFLATE : VERSION_ZIP64;
  const bytes = new Fields(46 + entry.name.length + extraLength);
  bytes.uint32(CENTRAL_HEADER);
  bytes.uint16(version);
  bytes.uint16(version);
  bytes.uint16(entry.hasDescriptor ? FLAG_DESCRIPTOR : 0);
  bytes.uint16(METHOD_DEFLATE);
  bytes.uint16(TIME);
  bytes.uint16(DATE);
  bytes.uint32(entry.crc);
  bytes.uint32(Math.min(entry.compressedSize, MAX_UINT32));
  bytes.uint32(Math.min(entry.size, MAX_UINT32));
  bytes.uint16(entry.name.length);
  bytes.uint16(extraLength);
  bytes.uint16(0); // no comment
  bytes.uint16(0); // on the first disk
  bytes.uint16(0); // internal attributes
  bytes.uint32(0); // external attributes
  bytes.uint32(Math.min(entry.offset, MAX_UINT32));
  bytes.ascii(entry.name);
  if (large.length > 0) {
    bytes.uint16(ZIP64_EXTRA);
    bytes.uint16(8 * large.length);
    for (const value of large) bytes.uint64(value);
  }
  return bytes.done();
}

/** The position of the central directory, in bytes from the start of the archive. */
interface DirectoryPlace {
  readonly entries: number;
  readonly offset: number;
  readonly size: number;
}

/**
 * The end of the central directory (4.3.16), after its zip64 form and locator (4.3.14, 4.3.15) if a number needs them.
 */
export function endOfDirectory(directory: DirectoryPlace): Uint8Array<ArrayBuffer> {
  const { entries, offset, size } = directory;
  const isLarge = entries >= MAX_UINT16 || offset >= MAX_UINT32 || size >= MAX_UINT32;
  const bytes = new Fields(22 + (isLarge ? 56 + 20 : 0));
  if (isLarge) {
    bytes.uint32(ZIP64_END);
    bytes.uint64(44); // length of the rest of this record
    bytes.uint16(VERSION_ZIP64);
    bytes.uint16(VERSION_ZIP64);
    bytes.uint32(0);
    bytes.uint32(0);
    bytes.uint64(entries);
    bytes.uint64(entries);
    bytes.uint64(size);
    bytes.uint64(offset);
    bytes.uint32(ZIP64_LOCATOR);
    bytes.uint32(0);
    bytes.uint64(offset + size);
    bytes.uint32(1);
  }
  bytes.uint32(END);
  bytes.uint16(0);
  bytes.uint16(0);
  bytes.uint16(Math.min(entries, MAX_UINT16));
  bytes.uint16(Math.min(entries, MAX_UINT16));
  bytes.uint32(Math.min(size, MAX_UINT32));
  bytes.uint32(Math.min(offset, MAX_UINT32));
  bytes.uint16(0);
  return bytes.done();
}

/** Little-endian fields, one after the other (4.4.1). */
class Fields {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #view: DataView;
  #at = 0;

  constructor(length: number) {
    this.#bytes = new Uint8Array(length);
    this.#view = new DataView(this.#bytes.buffer);
  }

  uint16(value: number): void {
    this.#view.setUint16(this.#at, value, true);
    this.#at += 2;
  }

  uint32(value: number): void {
    this.#view.setUint32(this.#at, value, true);
    this.#at += 4;
  }

  uint64(value: number): void {
    this.#view.setBigUint64(this.#at, BigInt(value), true);
    this.#at += 8;
  }

  ascii(text: string): void {
    for (let i = 0; i < text.length; i++) this.#bytes[this.#at++] = text.charCodeAt(i);
  }

  done(): Uint8Array<ArrayBuffer> {
    return this.#bytes;
  }
}
