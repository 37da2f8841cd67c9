// The checks of an HTTP request before its message is read: its origin and its media type.
import { BlockList, isIP } from 'node:net';
import { GazetteError, quote } from '../errors.ts';
import type { ServedRequest } from '../web/served-request.ts';

/** Where requests may come from. */
export interface OriginRules {
  /** The service's own address, where it is configured. */
  readonly baseUrl: string | null;
  /** Whether a trusted proxy speaks for the client: then the proxy checks the host name. */
  readonly trustProxy: boolean;
  /** Allowed origins in addition to the service's own, such as `https://tool.example`; `*`: any. */
  readonly allowedOrigins: readonly string[];
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * Refuses cross-origin requests from browsers (2026-07-28, Streamable HTTP: Security; 2025-11-25 the same). With DNS
 * rebinding, an attacker's host name can point to a server on a loopback address; therefore the requested host must be
 * a name of this machine or the configured one.
 *
 * @throws GazetteError `origin_refused`
 */
export function checkOrigin(
  { request, api, remoteAddress }: Pick<ServedRequest, 'request' | 'api' | 'remoteAddress'>,
  rules: OriginRules,
): void {
  const { hostname, host } = new URL(request.url);
  const isLocal = remoteAddress !== null && isLoopbackAddress(remoteAddress);
  if (isLocal && !rules.trustProxy && !isLoopbackName(hostname) && host !== hostOf(rules.baseUrl)) {
    throw new GazetteError(
      'origin_refused',
      `a request from this machine must name it or the configured base URL in Host, got ${quote(host)}`,
    );
  }
  const origin = request.headers.get('origin');
  if (origin === null || rules.allowedOrigins.includes('*') || rules.allowedOrigins.includes(origin)) return;
  if (origin === new URL(api).origin) return;
  if (isWebOrigin(origin) && isLoopbackName(new URL(origin).hostname) && isLoopbackName(hostname)) return;
  throw new GazetteError(
    'origin_refused',
    `Origin must be absent, this service or an allowed origin, got ${quote(origin)}`,
  );
}

/** Whether a text is an origin (RFC 6454 6.2): http or https, host and port, in canonical form. */
export function isWebOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text;
}

function isLoopbackAddress(address: string): boolean {
  // An IPv4 address that arrives on an IPv6 socket.
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  const family = isIP(plain);
  return family !== 0 && LOOPBACK.check(plain, family === 4 ? 'ipv4' : 'ipv6');
}

function isLoopbackName(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '');
  return name === 'localhost' || name.endsWith('.localhost') || isLoopbackAddress(name);
}

function hostOf(baseUrl: string | null): string | null {
  return baseUrl === null ? null : new URL(baseUrl).host;
}
