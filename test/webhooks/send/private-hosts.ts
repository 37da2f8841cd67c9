// Hosts that no webhook may reach, and a resolver that says what a test wants.
import { type LookupAddress } from 'node:dns';
import type { ResolveHost } from '../../../src/webhooks/send/name-resolver.ts';

/** Every way to name an address that is not public. */
export const HOSTS: readonly (readonly [string, string])[] = [
  ['loopback', '127.0.0.1'],
  ['the end of loopback', '127.255.255.254'],
  ['loopback as one number', '2130706433'],
  ['loopback in hex and short', '0x7f.1'],
  ['loopback in hex', '0x7f000001'],
  ['loopback in octal', '0177.0.0.1'],
  ['loopback in octal as one number', '017700000001'],
  ['loopback with a part left out', '127.1'],
  ['loopback with a final dot', '127.0.0.1.'],
  ['loopback percent-encoded', '%31%32%37.0.0.1'],
  ['loopback in circled digits', '①②⑦.⓪.⓪.①'],
  ['loopback in full-width digits', '１２７.０.０.１'],
  ['loopback with ideographic dots', '127。0。0。1'],
  ['loopback mapped', '[::ffff:7f00:1]'],
  ['loopback mapped, with dots', '[::ffff:127.0.0.1]'],
  ['loopback mapped, written out', '[0:0:0:0:0:ffff:7f00:1]'],
  ['loopback compatible (deprecated)', '[::127.0.0.1]'],
  ['loopback translated (RFC 6145)', '[::ffff:0:127.0.0.1]'],
  ['loopback through NAT64', '[64:ff9b::127.0.0.1]'],
  ['loopback through a local NAT64', '[64:ff9b:1::7f00:1]'],
  ['loopback through 6to4', '[2002:7f00:1::]'],
  ['loopback of IPv6', '[::1]'],
  ['a public address, mapped', '[::ffff:8.8.8.8]'],
  ['unspecified', '0.0.0.0'],
  ['unspecified of IPv6', '[::]'],
  ['this network', '0.1.2.3'],
  ['private 10', '10.0.0.1'],
  ['private 172.16', '172.16.0.1'],
  ['the end of private 172.16', '172.31.255.255'],
  ['private 192.168', '192.168.1.1'],
  ['link-local', '169.254.1.1'],
  ['the metadata of clouds', '169.254.169.254'],
  ['the metadata of Azure, which is public', '168.63.129.16'],
  ['the metadata of Alibaba Cloud', '100.100.100.200'],
  ['the metadata of Oracle Cloud', '192.0.0.192'],
  ['the metadata of AWS over IPv6', '[fd00:ec2::254]'],
  ['shared address space (CGNAT)', '100.64.0.1'],
  ['the end of shared address space', '100.127.255.255'],
  ['protocol assignments', '192.0.0.8'],
  ['documentation 1', '192.0.2.1'],
  ['documentation 2', '198.51.100.1'],
  ['documentation 3', '203.0.113.1'],
  ['6to4 relays', '192.88.99.1'],
  ['benchmarking', '198.18.0.1'],
  ['multicast', '224.0.0.1'],
  ['the end of multicast', '239.255.255.255'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['ULA', '[fc00::1]'],
  ['ULA, locally assigned', '[fd12:3456:789a::1]'],
  ['link-local of IPv6', '[fe80::1]'],
  ['site-local of IPv6 (deprecated)', '[fec0::1]'],
  ['multicast of IPv6', '[ff02::1]'],
  ['Teredo', '[2001::1]'],
  ['ORCHID', '[2001:20::1]'],
  ['documentation of IPv6', '[2001:db8::1]'],
  ['documentation of IPv6, the newer', '[3fff::1]'],
  ['discard', '[100::1]'],
  ['segment routing', '[5f00::1]'],
  ['never given out', '[4000::1]'],
];

/** A resolver that answers each question with the next list. */
export function resolver(...answers: readonly (readonly string[])[]): ResolveHost {
  let asked = 0;
  return (_hostname, _options, callback) => {
    const list = answers[Math.min(asked++, answers.length - 1)]!;
    const addresses = list.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 }));
    process.nextTick(() => {
      callback(null, addresses);
    });
  };
}
