import { cutArguments, freshCallId, type AnswerFrames } from './fake-model-server-frames.ts';
import type { FakeFinish, FakeUsage } from './fake-model-server-script.ts';

const REASONS: Readonly<Record<FakeFinish, string>> = {
  stop: 'stop',
  'tool-calls': 'tool_calls',
  length: 'length',
  'content-filter': 'content_filter',
  pause: 'stop',
};

/** Chat Completions: one kind of chunk, tool calls by index, usage in a chunk of its own at the end. */
export function createChatFrames(model: string): AnswerFrames {
  const frame = (more: Readonly<Record<string, unknown>>): string =>
    `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, ...more })}\n\n`;
  const delta = (content: object, finish: string | null = null): string =>
    frame({ choices: [{ index: 0, delta: content, logprobs: null, finish_reason: finish }] });
  let calls = 0;

  return {
    begin: () => [delta({ role: 'assistant', content: '', refusal: null })],
    text: (content) => [delta({ content })],
    reasoning: (text) => [delta({ reasoning_content: text })],
    call(call) {
      const index = calls;
      calls += 1;
      const id = call.id ?? freshCallId('call_');
      const first = { index, id, type: 'function', function: { name: call.name, arguments: '' } };
      return [
        delta({ tool_calls: [first] }),
        ...cutArguments(call).map((text) =>
          delta({ tool_calls: [{ index, function: { arguments: text } }] }),
        ),
      ];
    },
    error: ({ type, message }) => [
      `data: ${JSON.stringify({ error: { message, type, param: null, code: type } })}\n\n`,
    ],
    end: (finish, usage) => [
      delta({}, REASONS[finish]),
      ...(usage === null ? [] : [frame({ choices: [], usage: toUsage(usage) })]),
      'data: [DONE]\n\n',
    ],
  };
}

const toUsage = ({ input, output, cached = 0, reasoning = 0 }: FakeUsage) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached },
  completion_tokens_details: { reasoning_tokens: reasoning },
});
