import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Where a client may go whose addresses come from models and people. */
export interface TargetRule {
  /** Judges an address as the resolver or a URL gives it. */
  isAllowedAddress(address: string): boolean;
  isAllowedPort(port: number): boolean;
}

/** A host service of one cloud that lies on a public address. */
const PUBLIC_BUT_INTERNAL = '168.63.129.16';
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** Networks without IPv4 reach it through this prefix (RFC 6052); the last 32 bits are the address. */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
const MAPPED_IPV4 = ipaddr.IPv6.parseCIDR('::ffff:0:0/96');
/** The two interface ids that carry an IPv4 address through ISATAP (RFC 5214). */
const ISATAP_MARKS: readonly (readonly [number, number])[] = [
  [0x0000, 0x5efe],
  [0x0200, 0x5efe],
];

/**
 * Whether an address belongs to the public internet, by the special-purpose registries of RFC 6890.
 * What is not known to be public, or is no address at all, is not.
 */
export function isPublicAddress(text: string): boolean {
  const family = isIP(text);
  // A zone (fe80::1%eth0) names one of this machine's own networks.
  if (family === 0 || text.includes('%')) return false;
  return family === 4 ? isPublicIpv4(ipaddr.IPv4.parse(text)) : isPublicIpv6(text);
}

function isPublicIpv4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && address.toString() !== PUBLIC_BUT_INTERNAL;
}

function isPublicIpv6(text: string): boolean {
  const address = ipaddr.IPv6.parse(text);
  if (address.match(MAPPED_IPV4)) return isPublicIpv4(address.toIPv4Address());
  if (address.match(NAT64)) return isPublicIpv4(lastFourBytes(address));
  return (
    address.match(GLOBAL_UNICAST) &&
    address.range() === 'unicast' &&
    !ISATAP_MARKS.some(([a, b]) => address.parts[4] === a && address.parts[5] === b)
  );
}

const lastFourBytes = (address: ipaddr.IPv6): ipaddr.IPv4 =>
  new ipaddr.IPv4(address.toByteArray().slice(12));

export const PUBLIC_WEB: TargetRule = {
  isAllowedAddress: isPublicAddress,
  isAllowedPort: (port) => port === 80 || port === 443,
};
