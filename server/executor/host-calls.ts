import { AppError, messageOf } from '../errors.ts';
import type { ToolHost } from '../tools/kit/tool-host.ts';
import type { ToolDescriptor } from '../tools/kit/tool-descriptor.ts';
import {
  serviceOf,
  type HostMethod,
  type HostRequest,
  type ServerMessage,
} from '../worker/messages.ts';

/** Host calls that one tool call may make. */
const MAX_CALLS = 2_000;

type Handler = (host: ToolHost, parameters: readonly never[]) => Promise<unknown>;

/** The only methods that a thread can reach. */
const METHODS: Readonly<Record<HostMethod, Handler>> = {
  'files.list': (host) => host.files.list(),
  'files.locate': (host, [label]) => host.files.locate(label!),
  'files.create': (host, [file]) => host.files.create(file!),
  'facts.remember': (host, [text]) => host.facts.remember(text!),
  'facts.find': (host, [match]) => host.facts.find(match!),
  'facts.forget': (host, [id]) => host.facts.forget(id!),
  'cache.get': (host, [key]) => host.cache.get(key!),
  'cache.set': (host, [key, value, ttlMs]) => host.cache.set(key!, value, ttlMs!),
  pace: (host, [key, intervalMs]) => host.pace(key!, intervalMs!),
};

/** Answers the host calls of one tool call. Never rejects. */
export function createHostCalls(
  tool: ToolDescriptor,
  host: ToolHost,
): (request: HostRequest) => Promise<ServerMessage> {
  let calls = 0;
  return async ({ id, method, parameters }) => {
    try {
      calls += 1;
      if (calls > MAX_CALLS) {
        throw new AppError('OVERLOADED', `A call may ask its host ${MAX_CALLS} times at most.`);
      }
      if (!Object.hasOwn(METHODS, method)) throw new Error(`The host has no ${method}.`);
      const service = serviceOf(method);
      if (service !== null && !tool.needs.includes(service)) {
        throw new AppError('FORBIDDEN', `${tool.name} does not declare that it needs ${service}.`);
      }
      const value = await METHODS[method](host, parameters as readonly never[]);
      return { type: 'host-result', id, value };
    } catch (error) {
      const code = error instanceof AppError ? error.code : null;
      return { type: 'host-error', id, code, message: messageOf(error) };
    }
  };
}
