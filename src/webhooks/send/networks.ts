// Networks as an operator writes them: an address and a prefix length (CIDR, RFC 4632 and RFC 4291 2.3). Addresses in
// octal, in hex or with parts left out are refused: `010.0.0.0/8` would be read as two different networks.
import { isIP } from 'node:net';
import { GazetteError, quote } from '../../errors.ts';

const NETWORK = /^([0-9a-fA-F.:]+)\/(0|[1-9][0-9]{0,2})$/;

const IPV4_BITS = 32;
const IPV6_BITS = 128;

/**
 * The networks, if each is in CIDR notation: `192.0.2.0/24`, `2001:db8::/32`, and `192.0.2.1/32` for one address.
 *
 * @param option where they were given, for the message
 * @throws GazetteError `invalid_option`
 */
export function checkNetworks(option: string, networks: readonly string[]): readonly string[] {
  for (const network of networks) {
    const [, address = '', bits] = NETWORK.exec(network) ?? [];
    const family = isIP(address);
    if (family !== 0 && Number(bits) <= (family === 4 ? IPV4_BITS : IPV6_BITS)) continue;
    throw new GazetteError(
      'invalid_option',
      `${option} must be networks in CIDR notation, such as 192.0.2.0/24 or 2001:db8::/32, got ${quote(network)}`,
      { details: { option } },
    );
  }
  return networks;
}
