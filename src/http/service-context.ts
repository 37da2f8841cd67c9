// What all routes of the service share: the store, the cache, the tiers and the clock; and the common way to answer, so
// that validators, caching and compression are the same everywhere.
import { type FilterField, FILTERS } from '../register/finding/filters.ts';
import type { KeyHolder } from '../access/scopes.ts';
import type { HttpResponse, OpenedBody, WrittenBody } from '../web/representation.ts';
import { answerConditionally } from '../web/representation.ts';
import { entityTag } from '../web/validators.ts';
import { isFeedId } from '../register/definition.ts';
import { isMoment, type PageQuery } from '../register/page.ts';
import { AT } from '../register/parameters.ts';
import { canonicalQuery } from '../register/query.ts';
import { type Tier, tierIn, type TierOptions } from '../register/tier.ts';
import { toEpochMs } from '../register/time.ts';
import { sellingRegisters } from '../views/offers.ts';
import type { SeenRegister, Sight } from '../views/sight.ts';
import { GazetteError, isGazetteError } from '../errors.ts';
import { type Made, Shared } from '../shared.ts';
import { codedTag, render, type Resource, type StreamedResource } from './resource.ts';
import type { RegisterStore } from '../stores/contract/registers.ts';
import { VERSION } from '../version.ts';
import { chooseCoding, STREAMED_CODINGS } from '../web/coding.ts';
import { utf8 } from '../web/utf8.ts';
import { PUBLIC_CACHING, type RequestContext } from './request-context.ts';
import { ConfigurationDate, type ConfigurationDateOptions, type Dated } from '../views/configuration-date.ts';
import type { Selling } from '../views/selling.ts';
import type { SignedStates } from '../views/signed.ts';
import { RegisterViews, type RegisterView } from '../views/registers.ts';

/** Options of a service context. */
export interface ServiceContextOptions {
  readonly store: RegisterStore;
  readonly sight: Sight<KeyHolder>;
  /** Absent: nobody buys anything. */
  readonly selling?: Selling | undefined;
  /** Absent: nothing is signed. */
  readonly signed?: SignedStates | undefined;
  /** The filters that requests may use. Default: {@link FILTERS}. */
  readonly filters?: readonly FilterField[];
  /** A digest of everything in the configuration that shapes answers. Default: another one at each start. */
  readonly configuration?: Omit<ConfigurationDateOptions, 'now'>;
  /** Bytes of finished bodies to cache. Default 32 MiB; 0 disables the cache. */
  readonly cacheBytes?: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Some hundreds of pages. */
const DEFAULT_CACHE_BYTES = 32 * 1024 * 1024;

/** How long a moment must be past, in milliseconds: longer than a commit takes, and than clocks differ. */
const MOMENT_MS = 2000;

/** A finished body, and the view of the register that it is of; null: of none. */
interface Body extends WrittenBody {
  readonly view: RegisterView | null;
}

/** What an answer needs of a request. */
export type AnsweredRequest = Pick<RequestContext, 'access' | 'headers' | 'isPage' | 'request'> &
  Partial<Pick<RequestContext, 'hasWaited'>>;

/** The part that all routes share. */
export class ServiceContext {
  readonly store: RegisterStore;
  readonly tiers: TierOptions;
  readonly sight: Sight<KeyHolder>;
  readonly selling: Selling | undefined;
  readonly signed: SignedStates | undefined;
  readonly filters: readonly FilterField[];
  readonly registers: RegisterViews;
  /** Finished bodies by their strong entity tag, which covers the tier, the revision and everything else that shapes them. */
  readonly #bodies: Shared<string, Body, null>;
  /** A new configuration may change the bytes even if the data is unchanged. */
  readonly #dates: ConfigurationDate;
  readonly #now: () => number;
  #hasSold = false;

  constructor(given: ServiceContextOptions) {
    const { store, sight, selling, signed, filters = FILTERS, configuration, now, ...options } = given;
    this.store = store;
    this.tiers = sight.tiers;
    this.sight = sight;
    this.selling = selling;
    this.signed = signed;
    this.filters = filters;
    const { cacheBytes = DEFAULT_CACHE_BYTES } = options;
    this.#bodies = new Shared({
      capacity: cacheBytes,
      weigh: ({ body }) => body.length,
      // A larger one would push too many others out. Another request may have seen a change while the bytes were made.
      mayKeep: ({ body, view }) => body.length <= cacheBytes / 10 && (view === null || this.registers.isCurrent(view)),
    });
    this.registers = new RegisterViews(store, (feedId) => {
      // It has changed, and erased data must not stay here.
      this.#bodies.deleteWhere(({ view }) => view?.entry.definition.id === feedId);
    });
    this.#now = now;
    this.#dates = new ConfigurationDate({ ...(configuration ?? { digest: '' }), now });
  }

  /**
   * Answers a GET or HEAD: 304 from the entity tag alone, 200 from the cache if the same was requested before. Requests
   * for the same at the same time share one render; `context.hasWaited` then says that this one waited for another's.
   *
   * @throws the errors of {@link answerConditionally}.
   */
  async answer(context: AnsweredRequest, resource: Resource | StreamedResource): Promise<HttpResponse> {
    const codings = 'stream' in resource ? STREAMED_CODINGS : undefined;
    const accepted = context.request.headers.get('accept-encoding');
    const coding = resource.isText ? chooseCoding(accepted, codings) : null;
    const etag = resource.etag === null ? null : codedTag(resource.etag, coding);
    const common = {
      ...context.headers,
      'cache-control': resource.caching ?? cachingOf(context, resource.isPrivate),
      ...(resource.location === undefined ? {} : { 'content-location': resource.location }),
    };
    const write = async (): Promise<WrittenBody | OpenedBody> => {
      if ('stream' in resource) return resource.stream(coding);
      const make = (signal: AbortSignal): Promise<Made<WrittenBody>> =>
        render(resource, { coding, etag, tier: context.access.tier }, signal);
      if (etag === null) return (await make(context.request.signal)).value;
      return this.#shared(context, resource.view, etag, make);
    };
    return answerConditionally(context.request, common, {
      etag,
      ...(await this.#dated(resource)),
      ...(resource.mayNotExist === undefined ? {} : { mayNotExist: resource.mayNotExist }),
      write,
    });
  }

  /**
   * What a route has to write before it knows its answer: once for all who ask at the same time, and kept as answers are.
   *
   * @param key the strong entity tag of what is asked for, by {@link tagOf}
   * @throws the errors of `write`
   */
  async written(
    context: AnsweredRequest,
    view: RegisterView,
    key: string,
    write: (signal: AbortSignal) => Promise<WrittenBody>,
  ): Promise<WrittenBody> {
    return this.#shared(context, view, key, async (signal) => ({ value: await write(signal), isLasting: true }));
  }

  /** The body of this name: kept, or written once for all who ask at the same time. */
  async #shared(
    context: AnsweredRequest,
    view: RegisterView | null,
    name: string,
    write: (signal: AbortSignal) => Promise<Made<WrittenBody>>,
  ): Promise<WrittenBody> {
    const make = async (signal: AbortSignal): Promise<Made<Body>> => {
      const { value, isLasting } = await write(signal);
      return { value: { ...value, view }, isLasting };
    };
    const { value, hasWaited } = await this.#bodies.of(name, null, make, context.request.signal);
    // What the name was made of may have been another's already.
    if (hasWaited) context.hasWaited = true;
    return value;
  }

  /**
   * The query with its view, filter and fields checked against the register, in the one form that equal ones have.
   *
   * @throws GazetteError `invalid_parameter`, `unknown_parameter`
   */
  asked<Query extends Pick<PageQuery, 'asOf' | 'filter' | 'fields'>>({ entry }: RegisterView, query: Query): Query {
    if (isMoment(query.asOf)) this.checkMoment(query.asOf);
    return canonicalQuery(query, entry.definition.fields, { filters: this.filters });
  }

  /** Refuses a moment at which versions may still be recorded. @throws GazetteError `invalid_parameter` */
  checkMoment(at: string): void {
    if (toEpochMs(at) + MOMENT_MS <= this.#now()) return;
    throw new GazetteError('invalid_parameter', `at must be at least ${MOMENT_MS / 1000} seconds past, got ${at}`, {
      details: { parameter: AT.name },
    });
  }

  /** What the caller may see of a register. */
  tierOf({ access }: Pick<RequestContext, 'access'>, { entry }: RegisterView): Tier {
    return tierIn(entry.definition, access.tier);
  }

  /** The register as the caller sees it. */
  seen({ access }: Pick<RequestContext, 'access'>, view: RegisterView): SeenRegister {
    return this.sight.of(access, view);
  }

  /** Whether a register is open: everybody may ask for everything of it. False where there is none with this id. */
  async isOpen(feedId: string, stamp?: number): Promise<boolean> {
    if (!isFeedId(feedId)) return false;
    try {
      return (await this.registers.view(feedId, stamp)).entry.definition.access === 'open';
    } catch (error) {
      if (isGazetteError(error, 'unknown_feed')) return false;
      throw error;
    }
  }

  /**
   * Whether the register of a record has prices; without a record, whether any has. Once something was sold, always: what was
   * bought stays open.
   */
  async isSold(recordId: string | undefined, stamp?: number): Promise<boolean> {
    return this.selling !== undefined && ((await this.#hasPrices(recordId, stamp)) || (await this.hasSold()));
  }

  /** Whether anything was ever bought, or is being bought. */
  async hasSold(): Promise<boolean> {
    // Entries of the ledger stay: what is known is asked once.
    this.#hasSold ||= (await this.selling?.hasSold()) === true;
    return this.#hasSold;
  }

  async #hasPrices(recordId: string | undefined, stamp?: number): Promise<boolean> {
    if (recordId === undefined) return (await sellingRegisters(this.store.catalogue, 1)).length > 0;
    try {
      return (await this.registers.viewOfRecord(recordId, stamp)).entry.definition.prices !== undefined;
    } catch (error) {
      if (isGazetteError(error, 'unknown_record')) return false;
      throw error;
    }
  }

  /**
   * The strong entity tag of what a tier sees of a register at a URL, computed without reading a record.
   *
   * @param kind which part of the register is shown
   * @param shape everything else that distinguishes the answer: a plain value
   */
  tagOf(
    context: Pick<RequestContext, 'access' | 'api'>,
    view: RegisterView,
    kind: string,
    shape: unknown = null,
  ): string {
    const key = JSON.stringify([kind, context.access.tier, context.api, shape]);
    return entityTag(VERSION, JSON.stringify(this.tiers), view.entry.definition.id, view.revision, key);
  }

  async #dated({ view, etag, isDated = true, isOfBytes = false }: Omit<Resource, 'write'>): Promise<Dated> {
    // The date of the register says nothing of a part of it that stays.
    if (isOfBytes) return { lastModified: null };
    if (view !== null) return this.#dates.of(view);
    // An answer that belongs to no register and has no tag in advance may change at any time.
    return etag === null || !isDated ? { lastModified: null } : this.#dates.alone();
  }
}

/** `Cache-Control`. A page of somebody who signed in must not be found again on a computer that others use. */
function cachingOf({ access, isPage }: AnsweredRequest, isPrivate = false): string {
  if (isPage && access.account !== undefined) return 'private, no-store';
  return access.tier === 'public' && access.buyer === undefined && !isPrivate ? PUBLIC_CACHING : 'private, no-cache';
}

/** JSON as a body, with the header fields that describe it. */
export function jsonBody(value: unknown, headers: Readonly<Record<string, string>> = {}): WrittenBody {
  return textBody(`${JSON.stringify(value)}\n`, 'application/json', headers);
}

/** A text as a body. */
export function textBody(text: string, mediaType: string, headers: Readonly<Record<string, string>> = {}): WrittenBody {
  const body = utf8(text);
  return { headers: { 'content-type': mediaType, 'content-length': String(body.length), ...headers }, body };
}
