import type { ServerResponse } from 'node:http';
import { createAnthropicFrames } from './fake-model-server-anthropic.ts';
import { createChatFrames } from './fake-model-server-chat.ts';
import { DEFAULT_USAGE, type AnswerFrames } from './fake-model-server-frames.ts';
import type { FakeModelRequest, FakeProtocol } from './fake-model-server-request.ts';
import { createResponsesFrames } from './fake-model-server-responses.ts';
import {
  aborted,
  piecesOf,
  waitFor,
  type FakeAnswer,
  type FakePiece,
  type FakeRefusal,
  type FakeStep,
} from './fake-model-server-script.ts';

const FRAMES: Readonly<Record<FakeProtocol, (model: string) => AnswerFrames>> = {
  'openai-chat': createChatFrames,
  'openai-responses': createResponsesFrames,
  'anthropic-messages': createAnthropicFrames,
};

/** Does one step of a script; resolves when it is done or the client is gone. */
export async function sendAnswer(
  response: ServerResponse,
  request: FakeModelRequest,
  step: FakeStep,
): Promise<void> {
  const connection = new AbortController();
  response.once('close', () => connection.abort());
  if (typeof step === 'string') {
    await stream(response, request, { step: { pieces: [step] }, gone: connection.signal });
  } else if ('silence' in step) {
    if (step.silence === 'hang-up') response.destroy();
    else await aborted(connection.signal);
  } else if ('status' in step) {
    sendRefusal(response, request.protocol, step);
  } else {
    await stream(response, request, { step, gone: connection.signal });
  }
}

/** An error in the form of its protocol. */
export function sendRefusal(
  response: ServerResponse,
  protocol: FakeProtocol,
  { status, message = `Status ${status} as planned.`, headers = {}, body }: FakeRefusal,
): void {
  const type = ERROR_TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
  const error =
    protocol === 'anthropic-messages'
      ? { type: 'error', error: { type, message } }
      : { error: { message, type, param: null, code: type } };
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(body ?? JSON.stringify(error));
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

async function stream(
  response: ServerResponse,
  { protocol, model }: FakeModelRequest,
  { step, gone }: { readonly step: FakeAnswer; readonly gone: AbortSignal },
): Promise<void> {
  const frames = FRAMES[protocol](model);
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.socket?.setNoDelay(true);
  await write(response, frames.begin());
  const pieces = piecesOf(step);
  for (const piece of pieces) {
    if (step.paceMs) await waitFor({ delayMs: step.paceMs }, gone);
    if (gone.aborted || !(await sendPiece(response, frames, { piece, gone }))) return;
  }
  const hasCalls = pieces.some((piece) => typeof piece === 'object' && 'call' in piece);
  const finish = step.finish ?? (hasCalls ? 'tool-calls' : 'stop');
  const usage = step.usage === undefined ? DEFAULT_USAGE : step.usage;
  await write(response, frames.end(finish, usage));
  response.end();
}

/** @returns whether the answer goes on. */
async function sendPiece(
  response: ServerResponse,
  frames: AnswerFrames,
  { piece, gone }: { readonly piece: FakePiece; readonly gone: AbortSignal },
): Promise<boolean> {
  if (typeof piece === 'string') return write(response, frames.text(piece));
  if ('reasoning' in piece) return write(response, frames.reasoning(piece.reasoning));
  if ('call' in piece) return write(response, frames.call(piece.call));
  if ('raw' in piece) return write(response, [piece.raw]);
  if ('until' in piece || 'delayMs' in piece) {
    await waitFor(piece, gone);
    return !gone.aborted;
  }
  if ('error' in piece) await write(response, frames.error(piece.error));
  if ('cut' in piece) response.destroy();
  else if ('hang' in piece) await aborted(gone);
  else response.end();
  return false;
}

/** Each text goes out by itself, so that the client reads it as a chunk of its own. */
async function write(
  response: ServerResponse,
  texts: readonly (string | Uint8Array)[],
): Promise<boolean> {
  for (const text of texts) {
    if (response.destroyed) return false;
    await new Promise<void>((resolve) => {
      if (!response.write(text, () => resolve())) response.once('close', () => resolve());
    });
  }
  return !response.destroyed;
}
