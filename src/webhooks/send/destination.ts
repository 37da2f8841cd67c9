// Which addresses webhooks may be sent to, so that nobody makes the service call its own network (SSRF). Two guards that
// need each other: the host as the URL names it, and each address it resolves to inside the connecting lookup. Node
// never calls `lookup` for a host that is an address already, and a name checked earlier may resolve otherwise later.
import { lookup as resolveHost, type LookupAddress } from 'node:dns';
import type { RequestOptions } from 'node:https';
import type { LookupFunction } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import ipaddr from 'ipaddr.js';
import { GazetteError, quote } from '../../errors.ts';

/** What is allowed besides https to public addresses. */
export interface DestinationRules {
  /** Whether plain http is allowed: for development. Default false. */
  readonly allowHttp?: boolean;
  /** Networks that may be called although they are not public, in CIDR notation: `['127.0.0.0/8']`. Default none. */
  readonly allowNetworks?: readonly string[];
}

/** Rules for trying things out on one machine: http, and its own loopback. Never for a service others use. */
export const DEVELOPMENT_DESTINATIONS: DestinationRules = {
  allowHttp: true,
  allowNetworks: ['127.0.0.0/8', '::1/128'],
};

/** Resolves a name to all its addresses, as `dns.lookup` does. */
export type ResolveHost = (
  hostname: string,
  options: { readonly all: true; readonly family?: 0 | 4 | 6 },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** All the global unicast addresses that were ever given out (RFC 4291 2.4, IANA): what lies outside is no one's yet. */
const GLOBAL_UNICAST: readonly [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * The destination as a URL, when its scheme, its form and its host allow it. A host that is a name is not resolved: that
 * is {@link resolveDestination}'s part when an endpoint is registered, and {@link toRequestOptions}'s at each send.
 *
 * @throws GazetteError `destination_refused` with `details.reason`: `url`, `scheme`, `user_info`, `address`;
 *   `invalid_option` for a network that is none.
 */
export function checkDestination(destination: string | URL, rules: DestinationRules = {}): URL {
  const url = URL.parse(String(destination));
  if (url === null) throw refusal('url', 'a destination must be an absolute URL');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && rules.allowHttp === true)) {
    throw refusal('scheme', `a destination must be ${rules.allowHttp === true ? 'http or https' : 'https'}`);
  }
  // They would stand in logs, and the signature is what the receiver knows the sender by.
  if (url.username !== '' || url.password !== '') {
    throw refusal('user_info', 'a destination must have no user name and no password');
  }
  const networks = parseNetworks(rules.allowNetworks ?? []);
  // The URL parser has made one form of `2130706433`, `0x7f.1` and `①②⑦.⓪.⓪.①`: 127.0.0.1.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (ipaddr.isValid(host)) checkAddress(host, host, networks);
  return url;
}

/**
 * The check when an endpoint is registered: {@link checkDestination}, and the name must resolve to addresses that are
 * all allowed.
 *
 * @throws GazetteError `destination_refused`, also with `details.reason` `unresolvable`.
 */
export async function resolveDestination(
  destination: string | URL,
  rules: DestinationRules = {},
  resolve: ResolveHost = resolveHost,
): Promise<URL> {
  const url = checkDestination(destination, rules);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (ipaddr.isValid(host)) return url;
  await new Promise<void>((done, fail) => {
    guardedLookup(rules, resolve)(host, { all: true }, (error) => {
      if (error === null) done();
      else if (error instanceof GazetteError) fail(error);
      else fail(refusal('unresolvable', `the host ${quote(host)} cannot be resolved`, error));
    });
  });
  return url;
}

/**
 * What `http.request()` and `https.request()` need to reach the destination and nothing else: checked anew, with a
 * lookup that checks each address before anything connects to it. The request must have an agent of its own (or none):
 * in a shared one it could be given a connection, or a proxy, that was never checked.
 *
 * @throws GazetteError `destination_refused`, at once for the URL, and as the request's `error` for what it resolves to.
 *
 * @example https.request({ ...toRequestOptions(endpoint.url), method: 'POST', agent, headers, signal });
 */
export function toRequestOptions(
  destination: string | URL,
  rules: DestinationRules = {},
  resolve: ResolveHost = resolveHost,
): RequestOptions {
  return { ...urlToHttpOptions(checkDestination(destination, rules)), lookup: guardedLookup(rules, resolve) };
}

/**
 * A `lookup` for sockets, `http.request()` and agents that refuses a name when any of its addresses is not allowed: one
 * bad address among good ones is an attack or a mistake, and which one is dialled is not ours to say. It guards names
 * alone: Node does not ask it about a host that is an address.
 */
export function guardedLookup(rules: DestinationRules = {}, resolve: ResolveHost = resolveHost): LookupFunction {
  const networks = parseNetworks(rules.allowNetworks ?? []);
  return (hostname, options, callback) => {
    const family = options.family === 'IPv4' ? 4 : options.family === 'IPv6' ? 6 : options.family;
    resolve(hostname, { all: true, family: family === 4 || family === 6 ? family : 0 }, (error, addresses) => {
      if (error !== null) {
        callback(error, []);
        return;
      }
      const [first] = addresses;
      try {
        if (first === undefined) throw refusal('unresolvable', `the host ${quote(hostname)} has no address`);
        for (const { address } of addresses) checkAddress(address, hostname, networks);
      } catch (refused) {
        callback(refused as GazetteError, []);
        return;
      }
      if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/**
 * Refuses an address that is not public. The message names what was asked for and never what it resolved to: that
 * would show the inside of the network to whoever registers endpoints.
 */
function checkAddress(address: string, host: string, networks: readonly Network[]): void {
  const parsed = ipaddr.isValid(address) ? ipaddr.parse(address) : null;
  if (parsed !== null && (isPublic(parsed) || networks.some((network) => contains(network, parsed)))) return;
  throw refusal('address', `the host ${quote(host)} is, or resolves to, an address that is not public`);
}

/**
 * Neither private, loopback, link-local, shared (CGNAT), multicast, reserved, documentation, nor one that stands for an
 * IPv4 address behind a translator (mapped, 6to4, NAT64, Teredo).
 */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || contains(GLOBAL_UNICAST, address));
}

function contains([network, bits]: Network, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return network.kind() === address.kind() && address.match(network, bits);
}

function parseNetworks(networks: readonly string[]): readonly Network[] {
  return networks.map((network) => {
    if (ipaddr.isValidCIDR(network)) return ipaddr.parseCIDR(network);
    throw new GazetteError('invalid_option', `allowNetworks must be in CIDR notation, got ${quote(network)}`, {
      details: { option: 'allowNetworks' },
    });
  });
}

function refusal(reason: string, message: string, cause?: unknown): GazetteError {
  return new GazetteError('destination_refused', message, { cause, details: { reason } });
}
