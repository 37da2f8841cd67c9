// What every route of the service works with: the store, the cache, the tiers and the clock; and the one way in which a
// route answers, so that validators, caching and compression are the same everywhere.
import type { HttpResponse, WrittenBody } from '../web/representation.ts';
import { answerConditionally } from '../web/representation.ts';
import { entityTag, lastModified } from '../web/validators.ts';
import { type FilterField, FILTERS } from '../register/fields.ts';
import type { TierOptions } from '../register/tier.ts';
import type { RegisterStore } from '../stores/contract/registers.ts';
import { VERSION } from '../version.ts';
import { chooseCoding, encodeBody } from '../web/coding.ts';
import type { RequestContext } from './request-context.ts';
import { PageCache } from './page-cache.ts';
import { RegisterViews, type RegisterView } from '../views/registers.ts';

/** What a context is made of. */
export interface ServiceContextOptions {
  readonly store: RegisterStore;
  readonly tiers: TierOptions;
  /** What pages can be asked for by. Default: {@link FILTERS}. */
  readonly filters?: readonly FilterField[];
  /** How many bytes of finished bodies are kept. Default 32 MiB; 0 keeps none. */
  readonly cacheBytes?: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Something a route answers with. */
export interface Resource {
  /** The register it is read from; null where it comes from none. */
  readonly view: RegisterView | null;
  /** Its strong entity tag as it is, without a content coding; null: a digest of the body. */
  readonly etag: string | null;
  /** Whether a text that compression makes shorter. */
  readonly isText: boolean;
  /** Whether only writing it tells that there is such a thing at all. */
  readonly mayNotExist?: boolean;
  write(): WrittenBody | Promise<WrittenBody>;
}

/** What the routes share. */
export class ServiceContext {
  readonly store: RegisterStore;
  readonly tiers: TierOptions;
  readonly filters: readonly FilterField[];
  readonly registers: RegisterViews;
  readonly #cache: PageCache;
  readonly #now: () => number;
  /** A new configuration may change bytes without any change of data. */
  readonly #configuredAtMs: number;

  constructor({ store, tiers, filters = FILTERS, cacheBytes, now }: ServiceContextOptions) {
    this.store = store;
    this.tiers = tiers;
    this.filters = filters;
    this.#cache = new PageCache(cacheBytes);
    this.registers = new RegisterViews(store, (feedId) => {
      this.#cache.forget(feedId);
    });
    this.#now = now;
    this.#configuredAtMs = now();
  }

  /**
   * Answers a GET or HEAD: 304 from the entity tag alone, 200 from the cache where the same was asked for before.
   *
   * @throws what {@link answerConditionally} throws.
   */
  async answer(context: RequestContext, resource: Resource): Promise<HttpResponse> {
    const { view } = resource;
    const coding = resource.isText ? chooseCoding(context.request.headers.get('accept-encoding')) : null;
    // Not a suffix: a copy in one coding must not pass for one in another, which its reader may not understand.
    const tagOf = (etag: string): string => (coding === null ? etag : entityTag(etag, coding));
    const etag = resource.etag === null ? null : tagOf(resource.etag);
    const common = {
      ...context.headers,
      'cache-control': context.access.tier === 'public' ? 'public, max-age=60' : 'private, no-cache',
    };
    const write = async (): Promise<WrittenBody> => {
      const kept = etag === null ? null : this.#cache.get(etag);
      if (kept !== null) return kept;
      let written = await resource.write();
      const digest = (): string => tagOf(entityTag(context.access.tier, written.body));
      let tag = etag ?? digest();
      // Written to meanwhile: the bytes may be newer than the tag that was made for them.
      if (view !== null && (await view.source.revision!()) !== view.revision) tag = digest();
      if (coding !== null) {
        const body = await encodeBody(written.body, coding);
        const length = String(body.length);
        written = { headers: { ...written.headers, 'content-encoding': coding, 'content-length': length }, body };
      }
      written = { headers: { ...written.headers, etag: tag }, body: written.body };
      if (tag === etag) this.#cache.put(tag, view?.entry.definition.id ?? null, written);
      return written;
    };
    return answerConditionally(context.request, common, {
      etag,
      lastModified: this.#lastModified(resource),
      ...(resource.mayNotExist === undefined ? {} : { mayNotExist: resource.mayNotExist }),
      write,
    });
  }

  /**
   * The strong entity tag of what a register shows under an address to a tier, found without reading a record.
   *
   * @param kind what of the register is shown
   * @param shape whatever else tells it from others: a plain value
   */
  tagOf(context: RequestContext, view: RegisterView, kind: string, shape: unknown = null): string {
    const key = JSON.stringify([kind, context.access.tier, context.api, shape]);
    return entityTag(VERSION, JSON.stringify(this.tiers), view.entry.definition.id, view.revision, key);
  }

  #lastModified({ view, etag }: Resource): number | null {
    // What is no part of a register and has no tag beforehand may change at any time.
    if (view === null) return etag === null ? null : lastModified(this.#configuredAtMs, this.#now());
    const { lastChangeMs } = view;
    if (lastChangeMs === null) return null;
    return lastModified(Math.max(lastChangeMs, this.#configuredAtMs), this.#now());
  }
}

/** How many entity tags are remembered of a revision: they are cheap to find again. */
const MAX_TAGS = 1000;

/** What was found before under this key in this revision, or is found now. */
export async function remembered(
  view: RegisterView,
  key: string,
  find: () => Promise<string | null>,
): Promise<string | null> {
  const known = view.tags.get(key);
  if (known !== undefined) return known;
  const found = await find();
  if (view.tags.size >= MAX_TAGS) view.tags.clear();
  if (found !== null) view.tags.set(key, found);
  return found;
}

/** JSON as a body, with what else describes it. */
export function jsonBody(value: unknown, headers: Readonly<Record<string, string>> = {}): WrittenBody {
  return textBody(`${JSON.stringify(value)}\n`, 'application/json', headers);
}

/** A text as a body. */
export function textBody(text: string, mediaType: string, headers: Readonly<Record<string, string>> = {}): WrittenBody {
  const body = new TextEncoder().encode(text);
  return { headers: { 'content-type': mediaType, 'content-length': String(body.length), ...headers }, body };
}
