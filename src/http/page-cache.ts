// A cache of finished bodies by their strong entity tag. The tag covers the tier, the revision and everything else that
// affects the bytes. A body found here needs neither the store nor a writer, and cannot belong to another tier.
import type { WrittenBody } from '../web/representation.ts';

/** Default size of the cache in bytes: some hundreds of pages. */
const DEFAULT_CACHE_BYTES: number = 32 * 1024 * 1024;

/** A cache of bodies that evicts the least recently used one first. */
export class PageCache {
  readonly #maxBytes: number;
  /** In the order of their last use. */
  readonly #bodies = new Map<string, { readonly feedId: string | null; readonly written: WrittenBody }>();
  #bytes = 0;

  /** @param maxBytes 0 disables the cache */
  constructor(maxBytes: number = DEFAULT_CACHE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  get(etag: string): WrittenBody | null {
    const found = this.#bodies.get(etag);
    if (found === undefined) return null;
    this.#bodies.delete(etag);
    this.#bodies.set(etag, found);
    return found.written;
  }

  /** @param feedId the register of the body; null if it belongs to none */
  put(etag: string, feedId: string | null, written: WrittenBody): void {
    // A body larger than a tenth of the cache would evict too many others.
    if (written.body.length > this.#maxBytes / 10) return;
    this.#delete(etag);
    this.#bodies.set(etag, { feedId, written });
    this.#bytes += written.body.length;
    for (const oldest of this.#bodies.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#delete(oldest);
    }
  }

  /** Removes everything read from a register: it has changed, and erased data must not stay here. */
  forget(feedId: string): void {
    for (const [etag, body] of this.#bodies) if (body.feedId === feedId) this.#delete(etag);
  }

  #delete(etag: string): void {
    const found = this.#bodies.get(etag);
    if (found === undefined) return;
    this.#bodies.delete(etag);
    this.#bytes -= found.written.body.length;
  }
}
