// Looks up the names of destinations: the hosts file first, then DNS through c-ares. Never getaddrinfo(): it blocks one
// of the few threads that files and zlib need, too, so that a few name servers that do not answer would stop everything.
// A name is fully qualified: no search list is applied. Answers are cached; the caller checks them each time.
import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { GazetteError, quote } from '../../errors.ts';
import { HostsFile } from './hosts-file.ts';

/**
 * Resolves a name to all its addresses, as `dns.lookup` does.
 *
 * The callback's third argument says for how many milliseconds the addresses may be used, connections included. Without
 * it they may be used without end.
 */
export type ResolveHost = (
  hostname: string,
  options: { readonly all: true; readonly family?: 0 | 4 | 6 },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[], usableMs?: number) => void,
) => void;

/** Options of look-ups. */
export interface NameResolverOptions {
  /** The name servers: addresses, each with or without a port. Default: those of the system. */
  readonly servers?: readonly string[];
  /** The hosts file. Default: the system's own. */
  readonly hostsFile?: string;
  /** The time limit of a look-up, in milliseconds. Default 5,000. */
  readonly timeoutMs?: number;
  /** Milliseconds of a clock that never goes back. Default: the machine's. */
  readonly now?: () => number;
}

/** How long an answer is used, in seconds, whatever its time to live says. */
const MIN_TTL_SECONDS = 5;
const MAX_TTL_SECONDS = 300;

/** How long a failure is used, in seconds: the first, and at most. It doubles with each failure in a row. */
const FIRST_FAILURE_SECONDS = 5;
const MAX_FAILURE_SECONDS = 30;

/** How many names are remembered. */
const MAX_NAMES = 10_000;

const TIMEOUT_MS = 5000;

/** How long one question to one name server may take before the next one is asked, in milliseconds. */
const QUESTION_MS = 1500;

/** These names are this machine, and no name server is asked about them (RFC 6761 6.3). */
const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** The result of a look-up: addresses, or why there are none. */
type Found =
  | { readonly addresses: readonly LookupAddress[]; readonly ttlSeconds: number }
  | { readonly error: NodeJS.ErrnoException };

/** A result, and until when it may be used. */
interface Answer {
  readonly found: Found;
  readonly until: number;
  /** How many look-ups of this name failed in a row, this one included. */
  readonly failures: number;
}

/** A look-up that runs, or its answer. */
interface Known {
  readonly answer: Promise<Answer>;
  /** Null while it runs. */
  ended: Answer | null;
}

/** Looks names up and remembers the answers. */
export class NameResolver {
  readonly #options: Required<Pick<NameResolverOptions, 'timeoutMs' | 'now'>> & { readonly servers: readonly string[] };
  readonly #hosts: HostsFile;
  readonly #known = new Map<string, Known>();
  readonly #running = new Set<Resolver>();

  /** @throws GazetteError `invalid_option` for a name server that is not an address */
  constructor(options: NameResolverOptions = {}) {
    const { servers = [], hostsFile, timeoutMs = TIMEOUT_MS, now = () => performance.now() } = options;
    this.#options = { servers: checkServers(servers), timeoutMs, now };
    this.#hosts = new HostsFile(hostsFile, now);
  }

  /** Looks a name up, or gives what is known of it. It can be passed on by itself. */
  readonly resolve: ResolveHost = (hostname, { family }, callback) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    void this.#find(name).then(({ found, until }) => {
      if ('error' in found) {
        callback(found.error, []);
        return;
      }
      const addresses = found.addresses.filter((one) => family === undefined || family === 0 || one.family === family);
      if (addresses.length === 0) callback(failure(name, 'ENOTFOUND'), []);
      else callback(null, addresses, Math.max(0, until - this.#options.now()));
    });
  };

  /** Ends the look-ups that run. */
  close(): void {
    for (const resolver of this.#running) resolver.cancel();
  }

  async #find(name: string): Promise<Answer> {
    const now = this.#options.now();
    // The file is small and may change at any time: what it says is not cached here.
    const own = isLoopback(name) ? LOOPBACK : this.#hosts.addresses(name);
    if (own.length > 0) {
      return { found: { addresses: own, ttlSeconds: 0 }, until: now + MIN_TTL_SECONDS * 1000, failures: 0 };
    }
    const last = this.#known.get(name);
    if (last !== undefined && (last.ended === null || now < last.ended.until)) return last.answer;
    const known: Known = { answer: this.#look(name, last?.ended?.failures ?? 0), ended: null };
    // The latest are at the end, and the first to be forgotten at the beginning.
    this.#known.delete(name);
    this.#known.set(name, known);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_NAMES) break;
      this.#known.delete(oldest);
    }
    known.ended = await known.answer;
    return known.ended;
  }

  async #look(name: string, failuresBefore: number): Promise<Answer> {
    const found = await this.#ask(name);
    const failures = 'error' in found ? failuresBefore + 1 : 0;
    return { found, failures, until: this.#options.now() + 1000 * usableSeconds(found, failures) };
  }

  /** Asks the name servers for addresses of both families. Never rejects. */
  async #ask(name: string): Promise<Found> {
    // One for each look-up: cancel() ends all questions of a resolver.
    const resolver = new Resolver({ timeout: QUESTION_MS, tries: 2 });
    const { servers, timeoutMs } = this.#options;
    if (servers.length > 0) resolver.setServers(servers);
    this.#running.add(resolver);
    const timer = setTimeout(() => {
      resolver.cancel();
    }, timeoutMs);
    try {
      const [v4, v6] = await Promise.allSettled([
        resolver.resolve4(name, { ttl: true }),
        resolver.resolve6(name, { ttl: true }),
      ]);
      const answers = [
        ...(v4.status === 'fulfilled' ? v4.value.map((one) => ({ ...one, family: 4 })) : []),
        ...(v6.status === 'fulfilled' ? v6.value.map((one) => ({ ...one, family: 6 })) : []),
      ];
      if (answers.length === 0) return { error: failureOf(name, [v4, v6]) };
      const addresses = answers.map(({ address, family }) => ({ address, family }));
      return { addresses, ttlSeconds: Math.min(...answers.map(({ ttl }) => ttl)) };
    } finally {
      clearTimeout(timer);
      this.#running.delete(resolver);
      // Stops whatever is left of the questions.
      resolver.cancel();
    }
  }
}

/** Looks one name up, with nothing remembered. */
export const resolveName: ResolveHost = (hostname, options, callback) => {
  new NameResolver().resolve(hostname, options, callback);
};

function usableSeconds(found: Found, failures: number): number {
  if ('error' in found) return Math.min(MAX_FAILURE_SECONDS, FIRST_FAILURE_SECONDS * 2 ** (failures - 1));
  return Math.min(MAX_TTL_SECONDS, Math.max(MIN_TTL_SECONDS, found.ttlSeconds));
}

function isLoopback(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

/** The name does not exist if one answer says so or both are empty; else the first failure counts. */
function failureOf(name: string, results: readonly PromiseSettledResult<unknown>[]): NodeJS.ErrnoException {
  const codes = results.map((result) => {
    return result.status === 'rejected' ? String((result.reason as NodeJS.ErrnoException).code) : 'ENODATA';
  });
  if (codes.includes('ENOTFOUND')) return failure(name, 'ENOTFOUND');
  const [code] = codes.filter((one) => one !== 'ENODATA');
  if (code === undefined) return failure(name, 'ENOTFOUND');
  // A refused connection to a name server must not look like one to the destination.
  return failure(name, code === 'ECANCELLED' ? 'DNS_TIMEOUT' : `DNS_${code.replace(/^E/, '')}`);
}

function failure(name: string, code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`the host ${quote(name)} cannot be resolved: ${code}`), { code });
}

/**
 * Name servers, as they were given.
 *
 * @throws GazetteError `invalid_option` for one that is not an address, with or without a port
 */
export function checkServers(servers: readonly string[]): readonly string[] {
  const wrong = servers.find(
    (server) => isIP(server.replace(/^\[(.*)\](?::\d{1,5})?$|^([^:]*):\d{1,5}$/, '$1$2')) === 0,
  );
  if (wrong === undefined) return servers;
  throw new GazetteError('invalid_option', `a name server must be an IP address, got ${quote(wrong)}`, {
    details: { option: 'dnsServers' },
  });
}
