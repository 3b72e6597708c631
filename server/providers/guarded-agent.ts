import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Agent, buildConnector } from 'undici';
import type { TargetRule } from './address-rule.ts';
import { ForbiddenTargetError } from './target-url.ts';

export interface GuardedAgentOptions {
  readonly rule: TargetRule;
  /** How names become addresses; the system's resolver unless a test hands in another. */
  readonly lookup?: LookupFunction;
}

const CONNECT_TIMEOUT_MS = 10_000;
const MAX_HEADER_BYTES = 32_768;
/** Connections to one host at a time; more requests wait. */
const MAX_CONNECTIONS = 6;

/**
 * Connections that lead nowhere but where `rule` allows.
 *
 * A name is judged inside the very look-up whose answer is connected to, so a resolver that answers
 * differently the next time gains nothing; undici looks no literal address up, so those are judged
 * before; and whom a socket really reached is judged once more before a byte is sent.
 */
export async function createGuardedAgent(options: GuardedAgentOptions): Promise<Agent> {
  const undici = await import('undici');
  const { rule, lookup = systemLookup } = options;
  const connect = undici.buildConnector({
    timeout: CONNECT_TIMEOUT_MS,
    allowH2: false,
    lookup: createJudgingLookup(rule, lookup),
  });
  return new undici.Agent({
    connections: MAX_CONNECTIONS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // A name's address is judged anew soon, not kept alive for long.
    keepAliveTimeout: 2_000,
    keepAliveMaxTimeout: 4_000,
    connect(target, callback) {
      const problem = findTargetProblem(target, rule);
      if (problem !== null) return callback(problem, null);
      connect(target, (...[error, socket]: Parameters<buildConnector.Callback>) => {
        if (error !== null) return callback(error, null);
        const peer = socket.remoteAddress ?? '';
        if (rule.isAllowedAddress(peer)) return callback(null, socket);
        socket.destroy();
        callback(forbiddenAddress(target.hostname, peer), null);
      });
    },
  });
}

function findTargetProblem(
  { hostname, protocol, port }: buildConnector.Options,
  rule: TargetRule,
): ForbiddenTargetError | null {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0 && !rule.isAllowedAddress(host)) return forbiddenAddress(hostname, host);
  const number = Number(port || (protocol === 'https:' ? 443 : 80));
  return rule.isAllowedPort(number)
    ? null
    : new ForbiddenTargetError(`Port ${number} of ${hostname} is not allowed.`);
}

function createJudgingLookup(rule: TargetRule, lookup: LookupFunction): LookupFunction {
  return (hostname, options: LookupOptions, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      const addresses = found as LookupAddress[];
      // One forbidden address spoils the name: which one is taken is not for the name's owner to say.
      const forbidden = addresses.find(({ address }) => !rule.isAllowedAddress(address));
      if (forbidden !== undefined) {
        return callback(forbiddenAddress(hostname, forbidden.address), []);
      }
      const [first] = addresses;
      if (first === undefined) {
        const missing = new Error(`${hostname} has no address.`);
        return callback(Object.assign(missing, { code: 'ENOTFOUND' }), []);
      }
      if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

const forbiddenAddress = (hostname: string, address: string): ForbiddenTargetError =>
  new ForbiddenTargetError(
    hostname === address
      ? `The address ${address} does not belong to the public internet.`
      : `${hostname} leads to ${address || 'an unknown address'}, which does not belong to the public internet.`,
  );
