// Finished bodies by their strong entity tag, which names the tier, the revision and everything else that shapes the
// bytes: what is found here needs neither the store nor a writer, and can be nobody else's.
import type { WrittenBody } from '../web/representation.ts';

/** How many bytes of bodies are kept unless said otherwise: some hundreds of pages. */
const DEFAULT_CACHE_BYTES: number = 32 * 1024 * 1024;

/** The least recently used body goes first. */
export class PageCache {
  readonly #maxBytes: number;
  /** In the order of their last use. */
  readonly #bodies = new Map<string, { readonly feedId: string | null; readonly written: WrittenBody }>();
  #bytes = 0;

  /** @param maxBytes 0 keeps nothing */
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

  /** @param feedId the register the body was read from; null where it comes from none */
  put(etag: string, feedId: string | null, written: WrittenBody): void {
    // A body of more than a tenth would push too many others out.
    if (written.body.length > this.#maxBytes / 10) return;
    this.#delete(etag);
    this.#bodies.set(etag, { feedId, written });
    this.#bytes += written.body.length;
    for (const oldest of this.#bodies.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#delete(oldest);
    }
  }

  /** Lets go of everything read from a register: it has changed, and what was erased there shall not stay here. */
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
