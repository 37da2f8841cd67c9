// Which addresses webhooks may be sent to, so that the service cannot be made to call its own network (SSRF). Two
// guards need each other: a check of the host in the URL, and a check of each address that it resolves to, inside the
// lookup of the connection. Node never calls `lookup` for a host that is already an address, and a name that was
// checked earlier may resolve differently later.
import type { RequestOptions } from 'node:https';
import type { LookupFunction } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import ipaddr from 'ipaddr.js';
import { GazetteError, quote } from '../../errors.ts';
import { type ResolveHost, resolveName } from './name-resolver.ts';
import { checkNetworks } from './networks.ts';

/** Changes to the rule that destinations use https and have public addresses. */
export interface DestinationRules {
  /** Whether plain http is allowed: for development. Default false. */
  readonly allowHttp?: boolean;
  /** Networks that may be called although they are not public, in CIDR notation: `['127.0.0.0/8']`. Default none. */
  readonly allowNetworks?: readonly string[];
  /**
   * Networks that may never be called, in CIDR notation: public addresses of one's own that trust their neighbours. They
   * win over `allowNetworks`. Default none.
   */
  readonly denyNetworks?: readonly string[];
}

/** Rules for trials on one machine: http, and its own loopback. Never for a service that others use. */
export const DEVELOPMENT_DESTINATIONS: DestinationRules = {
  allowHttp: true,
  allowNetworks: ['127.0.0.0/8', '::1/128'],
};

/** All global unicast addresses that were ever assigned (RFC 4291 2.4, IANA); addresses outside are unassigned. */
const GLOBAL_UNICAST: readonly [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * Where machines of clouds ask for their own credentials. They are refused even within `allowNetworks`: the first is a
 * public address (Azure's "wire server"), the others belong to private or link-local networks.
 */
const CLOUD_METADATA: readonly Network[] = parse([
  '168.63.129.16/32',
  '169.254.169.254/32',
  // Credentials of containers on AWS.
  '169.254.170.2/32',
  '169.254.170.23/32',
  // Alibaba Cloud and Oracle Cloud.
  '100.100.100.200/32',
  '192.0.0.192/32',
  // AWS and Google Cloud over IPv6.
  'fd00:ec2::254/128',
  'fd00:ec2::23/128',
  'fd20:ce::254/128',
]);

/**
 * The destination as a URL, if its scheme, its form and its host are allowed. A host name is not resolved here: {@link
 * resolveDestination} does that when an endpoint is registered, and {@link toRequestOptions} at each send.
 *
 * @throws GazetteError `destination_refused` with `details.reason`: `url`, `scheme`, `user_info`, `address`;
 *   `invalid_option` for a malformed network.
 */
export function checkDestination(destination: string | URL, rules: DestinationRules = {}): URL {
  const url = URL.parse(String(destination));
  if (url === null) throw refusal('url', 'a destination must be an absolute URL');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && rules.allowHttp === true)) {
    throw refusal('scheme', `a destination must be ${rules.allowHttp === true ? 'http or https' : 'https'}`);
  }
  // They would appear in logs, and receivers authenticate the sender by the signature.
  if (url.username !== '' || url.password !== '') {
    throw refusal('user_info', 'a destination must have no user name and no password');
  }
  const ranges = rangesOf(rules);
  // The URL parser has normalised `2130706433`, `0x7f.1` and `①②⑦.⓪.⓪.①` to 127.0.0.1.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (ipaddr.isValid(host)) checkAddress(host, host, ranges);
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
  resolve: ResolveHost = resolveName,
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
 * The options with which `http.request()` and `https.request()` can reach only this destination. It is checked again,
 * and a lookup checks each address before anything connects to it. The request must have its own agent (or none): a
 * shared one could give it a connection, or a proxy, that was never checked.
 *
 * @throws GazetteError `destination_refused`, at once for the URL, and as the request's `error` for a resolved address.
 *
 * @example https.request({ ...toRequestOptions(endpoint.url), method: 'POST', agent, headers, signal });
 */
export function toRequestOptions(
  destination: string | URL,
  rules: DestinationRules = {},
  resolve: ResolveHost = resolveName,
): RequestOptions {
  return { ...urlToHttpOptions(checkDestination(destination, rules)), lookup: guardedLookup(rules, resolve) };
}

/**
 * A `lookup` for sockets, `http.request()` and agents that refuses a name when any of its addresses is not allowed: one
 * bad address among good ones is an attack or a mistake, and we do not control which one is dialled. It guards only
 * names: Node does not call it for a host that is an address.
 */
export function guardedLookup(rules: DestinationRules = {}, resolve: ResolveHost = resolveName): LookupFunction {
  const ranges = rangesOf(rules);
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
        for (const { address } of addresses) checkAddress(address, hostname, ranges);
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

/** The networks of the rules. */
interface Ranges {
  readonly allowed: readonly Network[];
  readonly denied: readonly Network[];
}

/** Rules whose networks have been read, for many sends. */
export interface ReadRules extends DestinationRules {
  readonly ranges: Ranges;
}

/** Reads the networks of the rules. @throws GazetteError `invalid_option` */
export function readRules(rules: DestinationRules): ReadRules {
  return { ...rules, ranges: rangesOf(rules) };
}

/**
 * Refuses an address that is not public, and one that the operator denies. The message contains the requested host and
 * never the resolved address, which would reveal the internal network to people who register endpoints.
 */
function checkAddress(address: string, host: string, { allowed, denied }: Ranges): void {
  const parsed = ipaddr.isValid(address) ? ipaddr.parse(address) : null;
  if (parsed !== null && !isIn(denied, parsed)) {
    if (isPublic(parsed) || allowed.some((network) => contains(network, parsed))) return;
  }
  throw refusal('address', `the host ${quote(host)} is, or resolves to, an address that is not public, or is denied`);
}

/**
 * Rejects private, loopback, link-local, shared (CGNAT), multicast, reserved and documentation addresses, and those
 * that contain an IPv4 address behind a translator (mapped, 6to4, NAT64, Teredo).
 */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || contains(GLOBAL_UNICAST, address));
}

function contains([network, bits]: Network, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return network.kind() === address.kind() && address.match(network, bits);
}

/** Whether one of the networks has the address, or the IPv4 address that it is mapped from (RFC 4291 2.5.5.2). */
function isIn(networks: readonly Network[], address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (networks.some((network) => contains(network, address))) return true;
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && isIn(networks, address.toIPv4Address());
}

function rangesOf(rules: DestinationRules | ReadRules): Ranges {
  if ('ranges' in rules) return rules.ranges;
  const { allowNetworks = [], denyNetworks = [] } = rules;
  return {
    allowed: parse(checkNetworks('allowNetworks', allowNetworks)),
    denied: [...CLOUD_METADATA, ...parse(checkNetworks('denyNetworks', denyNetworks))],
  };
}

function parse(networks: readonly string[]): readonly Network[] {
  return networks.map((network) => ipaddr.parseCIDR(network));
}

function refusal(reason: string, message: string, cause?: unknown): GazetteError {
  return new GazetteError('destination_refused', message, { cause, details: { reason } });
}
