// The register that a mirror is made of, at its source: what it says of itself, and its versions, page by page, or proved.
import type { ClientOptions } from '../client/client-options.ts';
import { jsonOf, type ReceivedResponse, Requester, where } from '../client/requester.ts';
import { isObject } from '../checks.ts';
import { GazetteError } from '../errors.ts';
import { changeToken } from '../register/parameters.ts';
import type { InspectedStore } from '../stores/contract/inspection.ts';
import type { Mirror, RegisterState, TakenVersion } from '../stores/contract/mirrors.ts';
import { BATCH_SIZE } from '../stores/contract/registers.ts';
import { PROVING } from '../wings/proving.ts';
import type { ChangesProver, ProveOptions } from './prover.ts';
import { headIn, isUuid, takenVersion } from './taken.ts';

/** How many versions are asked for at once. */
const PAGE = 100;

/** What a source says of its register, and by which tag. */
export interface SourceHead extends Omit<RegisterState, 'log'> {
  readonly change: number;
  readonly etag: string | null;
}

/** Versions, and the log that is the source's now. */
export interface ReadVersions {
  readonly versions: readonly TakenVersion[];
  readonly log: string;
  /** As in {@link Taking.kept}. */
  readonly kept: string | null;
  /** Whether there are no more. */
  readonly isLast: boolean;
}

/** A register at its source. */
export class Source {
  readonly feedId: string;
  readonly #feed: URL;
  readonly #requester: Requester;
  readonly #cached: Requester;
  readonly #client: Omit<ClientOptions, 'cache'>;
  readonly #prover: ChangesProver | null;
  readonly #isUnproved: boolean;

  /** @throws GazetteError `usage`, `invalid_log_key`, `invalid_option` for what is to be proved */
  constructor(
    feed: URL,
    client: Omit<ClientOptions, 'cache'>,
    { prove, isUnproved }: { readonly prove: ProveOptions | undefined; readonly isUnproved: boolean },
  ) {
    this.#feed = feed;
    this.#client = client;
    this.#prover = prove === undefined ? null : proverOf(prove);
    this.#isUnproved = isUnproved;
    this.feedId = feed.pathname.slice(feed.pathname.lastIndexOf('/') + 1);
    this.#requester = new Requester(feed, client);
    this.#cached = new Requester(feed, { ...client, cache: new Map() });
  }

  /** The state of the register before the first change is taken in. */
  async first(): Promise<RegisterState> {
    const { log } = await this.#page('', 0, 1);
    return { ...(await this.head()), log };
  }

  async head(): Promise<SourceHead> {
    const answer = await this.#cached.get(this.#feed, 'application/json');
    const { isSigned, ...head } = headIn(jsonOf(answer, 'request_failed'), this.feedId) ?? unlike(answer);
    if (isSigned && this.#prover === null && !this.#isUnproved)
      throw new GazetteError(
        'usage',
        `the log of ${where(this.#feed)} is signed: give its key with --vkey, or --unproved`,
      );
    return { ...head, etag: answer.headers.get('etag') };
  }

  /** Whether only what is signed is taken in. */
  get isProved(): boolean {
    return this.#prover !== null;
  }

  /** All that a mirror lacks, in batches; the last one may be empty. @param to how many changes the source says to have */
  async *batches(store: InspectedStore, mirror: Mirror, to: number): AsyncGenerator<ReadVersions> {
    const pages = this.#prover === null ? this.#pages(mirror, to) : this.#proved(this.#prover, store, mirror);
    let versions: TakenVersion[] = [];
    let last = { log: '', kept: null as string | null };
    for await (const page of pages) {
      versions.push(...page.versions);
      last = { log: page.log, kept: page.kept ?? last.kept };
      if (versions.length < BATCH_SIZE) continue;
      yield { ...page, versions, isLast: false };
      versions = [];
    }
    yield { ...last, versions, isLast: true };
  }

  /** Each page after the first change begins with the version before it: another one is of a history that the mirror does not have. */
  async *#pages({ log, change, last }: Mirror, to: number): AsyncGenerator<ReadVersions> {
    let [since, had, isLast] = [change, last, false];
    while (!isLast) {
      const page = had === null ? await this.#page(log, 0, PAGE) : await this.#pageFrom(log, since, had);
      const { versions } = page;
      since += versions.length;
      had = versions.at(-1)?.commitment ?? had;
      isLast = page.isLast || since >= to;
      yield { ...page, isLast };
    }
  }

  /** The versions after one that the mirror has. @param had its commitment: nothing changes it, and no other version has it */
  async #pageFrom(log: string, since: number, had: Uint8Array): Promise<ReadVersions> {
    const page = await this.#page(log, since - 1, PAGE);
    const [first, ...versions] = page.versions;
    if (first !== undefined && Buffer.compare(first.commitment, had) === 0) return { ...page, versions };
    if (first !== undefined) throw changedSource(this.#feed);
    // Refused where the source has fewer changes; otherwise one of its nodes, or a cache, was behind.
    await this.#page(log, since, 1);
    throw new GazetteError('log_stale', `${where(this.#feed)} answered an older state than it has`);
  }

  async *#proved(prove: ChangesProver, store: InspectedStore, mirror: Mirror): AsyncGenerator<ReadVersions> {
    const { feedId } = this;
    const { kept } = mirror;
    let since = mirror.change;
    // First, so that a source that was restored is not taken for one that proves something else.
    const { log } = await this.#page(mirror.log, since, 1);
    for await (const batch of prove({ feed: this.#feed, client: this.#client, store, feedId, since, kept })) {
      const versions = batch.versions.map((version, at) => takenVersion(version, feedId, since + at + 1));
      since += versions.length;
      yield { versions, log, kept: batch.kept, isLast: false };
    }
    yield { versions: [], log, kept: null, isLast: true };
  }

  /** @param log its name, which a mirror without changes need not have */
  async #page(log: string, since: number, limit: number): Promise<ReadVersions> {
    const url = new URL(`${this.#feed.href}/changes?proof=1`);
    url.searchParams.set('limit', String(limit));
    url.searchParams.set('since', since === 0 ? '0' : changeToken({ log, since }));
    const answer = await this.#requester.getPage(url, 'application/json');
    const body = jsonOf(answer, 'request_failed');
    const { versions, log: own }: Readonly<Record<string, unknown>> = isObject(body) ? body : {};
    if (!Array.isArray(versions) || !isUuid(own)) unlike(answer);
    return {
      kept: null,
      versions: versions.map((version, at) => takenVersion(version, this.feedId, since + at + 1)),
      log: own,
      // Fewer were asked for where they are long.
      isLast: versions.length < Number(url.searchParams.get('limit')),
    };
  }
}

/** @throws GazetteError `usage`, `invalid_log_key`, `invalid_option` */
function proverOf(prove: ProveOptions): ChangesProver {
  const [wing] = PROVING;
  if (wing === undefined) throw new GazetteError('usage', 'mirrors are not proved here: prove must be absent');
  return wing.changes(prove);
}

/** The refusal of a source that has something else than its mirror. */
export function changedSource(feed: URL, options: ErrorOptions = {}): GazetteError {
  return new GazetteError(
    'register_changed',
    `${where(feed)} does not have what the mirror has: it was removed, or restored from a backup. Delete the mirror with gazette register remove to begin it again, or keep it with gazette mirror promote`,
    options,
  );
}

function unlike({ url }: ReceivedResponse): never {
  throw new GazetteError('invalid_answer', `${where(url)} must answer what a mirror is made of: gazette serve does`);
}
