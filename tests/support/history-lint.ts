import type { FakeBody, FakeProtocol } from './fake-model-server-request.ts';
import { lintAnthropicRequest } from './history-lint-anthropic.ts';
import { findLoneSurrogate, lintChatRequest } from './history-lint-chat.ts';
import { lintResponsesRequest } from './history-lint-responses.ts';

const LINTERS: Readonly<Record<FakeProtocol, (body: FakeBody) => string | null>> = {
  'openai-chat': lintChatRequest,
  'openai-responses': lintResponsesRequest,
  'anthropic-messages': lintAnthropicRequest,
};

/** Finds what the real provider, or the strictest compatible server, answers with status 400. */
export const lintHistory = (protocol: FakeProtocol, body: FakeBody): string | null =>
  LINTERS[protocol](body) ?? findLoneSurrogate(body);
