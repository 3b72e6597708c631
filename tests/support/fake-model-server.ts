import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sendAnswer, sendRefusal } from './fake-model-server-answer.ts';
import {
  PATHS,
  readFacts,
  type FakeBody,
  type FakeModelRequest,
} from './fake-model-server-request.ts';
import { defaultStep, type FakeScriptEntry, type FakeStep } from './fake-model-server-script.ts';
import { lintHistory } from './history-lint.ts';

export * from './fake-model-server-script.ts';
export type { FakeModelRequest, FakeProtocol } from './fake-model-server-request.ts';

export interface FakeModelServerOptions {
  /** Without it a free one. */
  readonly port?: number;
  /** Names that `/v1/models` lists. */
  readonly models?: readonly string[];
  /** Answers when the script is used up; without it the server echoes. */
  readonly fallback?: FakeScriptEntry;
  /** Milliseconds between two words of an echo. */
  readonly paceMs?: number;
  /** What a chat is named when the service asks; such requests take no step of the script. */
  readonly title?: string;
}

/** A model provider on loopback that speaks three protocols and refuses what the real ones refuse. */
export interface FakeModelServer {
  readonly origin: string;
  /** All requests for an answer in order, those for a title left out. */
  readonly requests: readonly FakeModelRequest[];
  readonly titleRequests: readonly FakeModelRequest[];
  /** What was wrong with requests so far; a test ends by expecting none. */
  readonly violations: readonly string[];
  /** Settings that lead to it, by name in the environment. */
  environment(protocol?: FakeModelRequest['protocol']): Readonly<Record<string, string>>;
  /** Plans the answers to the next requests, one each, after those planned before. */
  script(...entries: readonly (FakeScriptEntry | readonly FakeScriptEntry[])[]): void;
  /** Resolves with the request of this number, from 0, once it has come. */
  request(index: number): Promise<FakeModelRequest>;
  /** Forgets requests, violations and what was planned. */
  reset(): void;
  close(): Promise<void>;
}

interface ServerState {
  readonly options: FakeModelServerOptions;
  readonly requests: FakeModelRequest[];
  readonly titleRequests: FakeModelRequest[];
  readonly violations: string[];
  readonly planned: FakeScriptEntry[];
  readonly waiting: Set<() => void>;
}

export async function startFakeModelServer(
  options: FakeModelServerOptions = {},
): Promise<FakeModelServer> {
  const state: ServerState = {
    ...{ options, requests: [], titleRequests: [], violations: [], planned: [] },
    waiting: new Set(),
  };
  const server = createServer((message, response) => void handle(message, response, state));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...{ origin, requests: state.requests, titleRequests: state.titleRequests },
    violations: state.violations,
    environment: (protocol = 'openai-chat') => environmentFor(origin, protocol),
    script: (...entries) => void state.planned.push(...entries.flat()),
    async request(index) {
      while (state.requests.length <= index) {
        await new Promise<void>((resolve) => void state.waiting.add(resolve));
      }
      return state.requests[index]!;
    },
    reset() {
      for (const list of [state.requests, state.titleRequests, state.violations, state.planned]) {
        list.length = 0;
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function environmentFor(
  origin: string,
  protocol: FakeModelRequest['protocol'],
): Readonly<Record<string, string>> {
  if (protocol === 'anthropic-messages') {
    return { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: origin };
  }
  return {
    OPENAI_API_KEY: 'test-key',
    OPENAI_BASE_URL: `${origin}/v1`,
    OPENAI_PROTOCOL: protocol === 'openai-chat' ? 'chat' : 'responses',
  };
}

async function handle(
  message: IncomingMessage,
  response: ServerResponse,
  state: ServerState,
): Promise<void> {
  const { pathname } = new URL(message.url ?? '/', 'http://fake');
  if (pathname === '/v1/models') {
    const names = state.options.models ?? ['fake-model', 'fake-model-small'];
    const data = names.map((id) => ({ id, object: 'model' }));
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }));
    return;
  }
  const protocol = PATHS[pathname];
  if (protocol === undefined) {
    response.writeHead(404).end('There is nothing here.');
    return;
  }
  const text = await readText(message);
  const request = toRequest({ protocol, text, headers: message.headers }, response);
  const isTitle = request.system.startsWith('Name the conversation');
  (isTitle ? state.titleRequests : state.requests).push(request);
  for (const resolve of state.waiting) resolve();
  state.waiting.clear();
  if (request.violation !== null) {
    state.violations.push(`${protocol}: ${request.violation}`);
    sendRefusal(response, protocol, { status: 400, message: request.violation });
    return;
  }
  const step = isTitle ? (state.options.title ?? 'A fitting title') : nextStep(request, state);
  await sendAnswer(response, request, step);
}

function nextStep(request: FakeModelRequest, { planned, options }: ServerState): FakeStep {
  const entry = planned.shift() ?? options.fallback;
  if (entry === undefined) return defaultStep(request, options.paceMs ?? 0);
  return typeof entry === 'function' ? entry(request) : entry;
}

async function readText(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function toRequest(
  { protocol, text, headers }: Pick<FakeModelRequest, 'protocol' | 'text' | 'headers'>,
  response: ServerResponse,
): FakeModelRequest {
  const body = JSON.parse(text) as FakeBody;
  const closed = Promise.withResolvers<void>();
  response.once('close', closed.resolve);
  return {
    ...{ protocol, text, body, headers, ...readFacts(protocol, body) },
    violation: lintHistory(protocol, body),
    closed: closed.promise,
    get wasAborted() {
      return response.closed && !response.writableFinished;
    },
  };
}
