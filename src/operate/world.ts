// What the world sees of a service at its public address: whether it answers, over TLS, with the registers of the store, and
// whether a proxy passes on what the service needs and nothing that a client made up. It asks a few bounded requests.
import { isObject, isWhole } from '../checks.ts';
import { GazetteError, quote } from '../errors.ts';

/** Options of {@link lookFromOutside}. */
export interface WorldOptions {
  /** The public address, without a slash at its end. */
  readonly baseUrl: string;
  /** The registers of the store. */
  readonly feedIds: readonly string[];
  /** Default: that of the runtime. */
  readonly fetch?: typeof globalThis.fetch;
  /** How long each request may take, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number;
  /** Ends all requests. */
  readonly signal?: AbortSignal;
}

/** A host that a client makes up (RFC 2606), and addresses of no one (RFC 5737). */
const FORGED_HOST = 'forged.example';
const FORGED_ADDRESSES = ['192.0.2.1', '192.0.2.2'] as const;

/** How many registers a finding names. */
const MAX_NAMED = 20;

/** An index or a list of registers is not longer, in bytes. */
const MAX_BODY = 4 * 1024 * 1024;

/**
 * What is wrong with a service as others reach it, in sentences; empty where nothing is.
 *
 * @throws the reason of the signal when it fires
 */
export async function lookFromOutside(options: WorldOptions): Promise<readonly string[]> {
  const { baseUrl, signal } = options;
  const secure = new URL(baseUrl).protocol === 'https:' || isOfThisMachine(baseUrl);
  const insecure = secure ? [] : [`${baseUrl} is not https: everybody on the way can read keys, and change answers`];
  try {
    return [
      ...insecure,
      ...(await brokenLinks(options)),
      ...(await otherRegisters(options)),
      ...(await believedAddresses(options)),
    ];
  } catch (error) {
    signal?.throwIfAborted();
    return [...insecure, `${baseUrl} cannot be reached: ${reasonOf(error)}`];
  }
}

function wrongAnswer(message: string): GazetteError {
  return new GazetteError('invalid_answer', message);
}

/** A failed fetch says why in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message;
}

function isOfThisMachine(url: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}

async function ask(
  path: string,
  { baseUrl, fetch = globalThis.fetch, timeoutMs = 10_000, signal }: WorldOptions,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const timeout = AbortSignal.timeout(timeoutMs);
  return fetch(`${baseUrl}/api/v1${path}`, {
    headers,
    redirect: 'manual',
    signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
  });
}

/** A JSON answer of a bounded length. */
async function askJson(
  path: string,
  options: WorldOptions,
  headers?: Readonly<Record<string, string>>,
): Promise<unknown> {
  const response = await ask(path, options, headers);
  const place = `${options.baseUrl}/api/v1${path}`;
  if (response.status !== 200) {
    const target = response.headers.get('location');
    const where = target === null ? '' : `, to ${target}`;
    throw wrongAnswer(`${place} is answered ${response.status}${where}, not 200`);
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > MAX_BODY) throw wrongAnswer(`${place} is answered with more than ${MAX_BODY} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw wrongAnswer(`${place} is not answered in JSON: another program may be there`);
  }
}

/** Links that lead elsewhere than to the public address, also when a client names another host. */
async function brokenLinks(options: WorldOptions): Promise<readonly string[]> {
  const { baseUrl } = options;
  const firstLink = async (headers?: Readonly<Record<string, string>>): Promise<string | null> => {
    const index = await askJson('', options, headers);
    const [link] = isObject(index) && Array.isArray(index.links) ? (index.links as unknown[]) : [];
    return isObject(link) && typeof link.href === 'string' ? link.href : null;
  };
  const href = await firstLink();
  if (href === null) throw wrongAnswer(`${baseUrl}/api/v1 is not the index of gazette`);
  if (!href.startsWith(`${baseUrl}/`)) {
    return [
      `links lead to ${quote(href)} instead of ${baseUrl}: give gazette serve --base-url, or have the proxy pass on Host and X-Forwarded-Proto`,
    ];
  }
  const forged = await firstLink({ 'x-forwarded-host': FORGED_HOST, forwarded: `host=${FORGED_HOST}` });
  return forged?.includes(FORGED_HOST) === true
    ? [
        'a client that sends X-Forwarded-Host decides where links lead: leave out --trust-forwarded-host, or set --base-url',
      ]
    : [];
}

async function otherRegisters(options: WorldOptions): Promise<readonly string[]> {
  const { baseUrl, feedIds } = options;
  const seen = await listedRegisters(options);
  const [here, there] = [new Set(feedIds), new Set(seen)];
  const missing = feedIds.filter((id) => !there.has(id));
  const strange = seen.filter((id) => !here.has(id));
  return [
    ...(missing.length === 0 ? [] : [`${baseUrl} does not have what the store has: ${named(missing)}`]),
    ...(strange.length === 0 ? [] : [`${baseUrl} has what the store does not have: ${named(strange)}`]),
  ];
}

/** The first ids, and how many more there are. */
function named(feedIds: readonly string[]): string {
  const more = feedIds.length - MAX_NAMED;
  return feedIds.slice(0, MAX_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** The ids of all registers that are listed there; at most one page more than the store would fill. */
async function listedRegisters(options: WorldOptions): Promise<readonly string[]> {
  const seen: string[] = [];
  for (let offset: unknown = 0; isWhole(offset, 0) && seen.length <= options.feedIds.length;) {
    const list = await askJson(`/feeds?offset=${offset}`, options);
    const { feeds, next_offset: next = null } = isObject(list) ? list : {};
    const entries = Array.isArray(feeds) ? (feeds as unknown[]) : [];
    seen.push(...entries.flatMap((feed) => (isObject(feed) && typeof feed.feed_id === 'string' ? [feed.feed_id] : [])));
    offset = isWhole(next, offset + 1) ? next : null;
  }
  return seen;
}

/** Two requests that name different addresses are counted together, unless what clients say of themselves is believed. */
async function believedAddresses(options: WorldOptions): Promise<readonly string[]> {
  const [feedId] = options.feedIds;
  if (feedId === undefined) return [];
  const left: (number | null)[] = [];
  for (const address of FORGED_ADDRESSES) {
    const { headers, body } = await ask(`/feeds/${feedId}/changes`, options, { 'x-forwarded-for': address });
    await body?.cancel();
    const [, remaining] = /^"address";r=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
    left.push(remaining === undefined ? null : Number(remaining));
  }
  const [first = null, second = null] = left;
  return first !== null && second !== null && second >= first
    ? [
        'a client that sends X-Forwarded-For is counted under the address that it names, so limits do not hold: the proxy must replace this field, or gazette serve must not be given --trust-proxy',
      ]
    : [];
}
