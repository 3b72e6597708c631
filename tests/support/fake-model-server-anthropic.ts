import { cutArguments, freshCallId, type AnswerFrames } from './fake-model-server-frames.ts';
import type { FakeFinish, FakeUsage } from './fake-model-server-script.ts';
import { signatureOf } from './history-lint-anthropic.ts';

const REASONS: Readonly<Record<FakeFinish, string>> = {
  stop: 'end_turn',
  'tool-calls': 'tool_use',
  length: 'max_tokens',
  'content-filter': 'refusal',
  pause: 'pause_turn',
};

/** Messages: numbered content blocks that start, grow and stop. */
export function createAnthropicFrames(model: string): AnswerFrames {
  let index = -1;
  let open: { readonly type: 'text' | 'thinking'; text: string } | null = null;

  const frame = (type: string, more: object = {}): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
  const delta = (content: object): string =>
    frame('content_block_delta', { index, delta: content });

  function start(block: object): string {
    index += 1;
    return frame('content_block_start', { index, content_block: block });
  }

  function close(): readonly string[] {
    if (open === null) return [];
    const { type, text } = open;
    open = null;
    const stop = frame('content_block_stop', { index });
    if (type === 'text') return [stop];
    return [delta({ type: 'signature_delta', signature: signatureOf(text) }), stop];
  }

  function extend(type: 'text' | 'thinking', text: string): readonly string[] {
    const before: string[] = [];
    if (open?.type !== type) {
      before.push(...close());
      const empty = type === 'text' ? { type, text: '' } : { type, thinking: '', signature: '' };
      before.push(start(empty));
      open = { type, text: '' };
    }
    open.text += text;
    const content =
      type === 'text' ? { type: 'text_delta', text } : { type: 'thinking_delta', thinking: text };
    return [...before, delta(content)];
  }

  return {
    begin: () => [
      frame('message_start', {
        message: {
          ...{ id: 'msg_1', type: 'message', role: 'assistant', content: [], model },
          ...{ stop_reason: null, stop_sequence: null },
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      }),
      frame('ping'),
    ],
    text: (text) => extend('text', text),
    reasoning: (text) => extend('thinking', text),
    call(call) {
      const id = call.id ?? freshCallId('toolu_');
      return [
        ...close(),
        start({ type: 'tool_use', id, name: call.name, input: {} }),
        ...cutArguments(call).map((text) =>
          delta({ type: 'input_json_delta', partial_json: text }),
        ),
        frame('content_block_stop', { index }),
      ];
    },
    error: (error) => [frame('error', { error })],
    end: (finish, usage) => [
      ...close(),
      frame('message_delta', {
        delta: { stop_reason: REASONS[finish], stop_sequence: null },
        usage: usage === null ? { output_tokens: 0 } : toUsage(usage),
      }),
      frame('message_stop'),
    ],
  };
}

/** Anthropic counts what was read from and written to the cache apart from the other input. */
const toUsage = ({ input, output, cached = 0, cacheWritten = 0 }: FakeUsage) => ({
  input_tokens: input - cached - cacheWritten,
  cache_read_input_tokens: cached,
  cache_creation_input_tokens: cacheWritten,
  output_tokens: output,
});
