// A zip archive written front to back (APPNOTE.TXT 6.3.10), with complete entries and entries whose size is known only
// at their end. Always deflate, because SheetJS cannot read stored entries with descriptors. Every entry has the same
// time.
import type { Output } from '../format.ts';
import type { DeflatedPart, DeflateTotals } from './deflate.ts';
import { centralHeader, dataDescriptor, endOfDirectory, localHeader, type ZipEntry } from './zip-headers.ts';

/** An archive being written. */
export class ZipWriter {
  readonly #out: Pick<Output, 'bytes'>;
  readonly #entries: ZipEntry[] = [];
  #offset = 0;
  #open: { readonly name: string; readonly offset: number } | null = null;

  constructor(out: Pick<Output, 'bytes'>) {
    this.#out = out;
  }

  /** A whole entry. */
  add(name: string, part: DeflatedPart): void {
    this.#entries.push({ ...totalsOf(part), name, offset: this.#offset, hasDescriptor: false });
    this.#write(localHeader(name, part));
    for (const piece of part.pieces) this.#write(piece);
  }

  /** Appends compressed bytes to the entry `name`; the first bytes open it. */
  append(name: string, bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#open === null) {
      this.#open = { name, offset: this.#offset };
      this.#write(localHeader(name, null));
    }
    this.#write(bytes);
  }

  /** Ends the entry that {@link append} opened. */
  end(totals: DeflateTotals): void {
    if (this.#open === null) return;
    this.#entries.push({ ...totalsOf(totals), ...this.#open, hasDescriptor: true });
    this.#write(dataDescriptor(totals));
    this.#open = null;
  }

  /** Writes the central directory. Nothing follows. */
  close(): void {
    const offset = this.#offset;
    for (const entry of this.#entries) this.#write(centralHeader(entry));
    this.#write(endOfDirectory({ entries: this.#entries.length, offset, size: this.#offset - offset }));
  }

  #write(bytes: Uint8Array<ArrayBuffer>): void {
    this.#offset += bytes.length;
    this.#out.bytes(bytes);
  }
}

function totalsOf({ crc, size, compressedSize }: DeflateTotals): DeflateTotals {
  return { crc, size, compressedSize };
}
