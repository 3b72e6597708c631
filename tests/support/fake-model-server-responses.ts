import {
  argumentsTextOf,
  cutArguments,
  freshCallId,
  type AnswerFrames,
} from './fake-model-server-frames.ts';
import type { FakeUsage } from './fake-model-server-script.ts';
import { sealOf } from './history-lint-responses.ts';

interface OpenItem {
  readonly kind: 'message' | 'reasoning';
  readonly id: string;
  text: string;
}

/** Responses: items that open, grow and are done, each event with a number. */
export function createResponsesFrames(model: string): AnswerFrames {
  const output: object[] = [];
  let sequence = 0;
  let open: OpenItem | null = null;
  /** Id of the reasoning that the next item may not be sent back without. */
  let reasoningId: string | null = null;

  const frame = (type: string, more: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...more })}\n\n`;
  const response = (status: string, more: object = {}) => ({
    ...{ id: 'resp_1', object: 'response', created_at: 1, model, status },
    ...{ output: [...output], parallel_tool_calls: true, tools: [], error: null, ...more },
  });
  const place = (id: string) => ({ item_id: id, output_index: output.length });
  const itemId = (prefix: string): string => {
    const id = freshCallId(`${prefix}_`);
    return reasoningId === null ? id : `${id}_after_${reasoningId}`;
  };

  function done(item: object): string {
    const text = frame('response.output_item.done', { output_index: output.length, item });
    output.push(item);
    return text;
  }

  function close(): readonly string[] {
    if (open === null) return [];
    const { kind, id, text } = open;
    open = null;
    if (kind === 'message') {
      reasoningId = null;
      const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }];
      return [
        frame('response.output_text.done', { ...place(id), content_index: 0, text, logprobs: [] }),
        done({ id, type: 'message', role: 'assistant', status: 'completed', content }),
      ];
    }
    reasoningId = id;
    const summary = [{ type: 'summary_text', text }];
    return [
      frame('response.reasoning_summary_text.done', { ...place(id), summary_index: 0, text }),
      done({ id, type: 'reasoning', summary, encrypted_content: sealOf(id, summary) }),
    ];
  }

  function extend(kind: OpenItem['kind'], delta: string): readonly string[] {
    const before = open?.kind === kind ? [] : [...close(), ...start(kind)];
    const item = open as OpenItem | null;
    if (item === null) return before;
    item.text += delta;
    const event =
      kind === 'message'
        ? frame('response.output_text.delta', {
            ...{ ...place(item.id), content_index: 0, delta, logprobs: [] },
          })
        : frame('response.reasoning_summary_text.delta', {
            ...{ ...place(item.id), summary_index: 0, delta },
          });
    return [...before, event];
  }

  function start(kind: OpenItem['kind']): readonly string[] {
    const id = kind === 'message' ? itemId('msg') : freshCallId('rs_');
    open = { kind, id, text: '' };
    const item =
      kind === 'message'
        ? { id, type: 'message', role: 'assistant', status: 'in_progress', content: [] }
        : { id, type: 'reasoning', summary: [], encrypted_content: '' };
    const added = frame('response.output_item.added', { output_index: output.length, item });
    if (kind === 'message') {
      const part = { type: 'output_text', text: '', annotations: [] };
      const at = { ...place(id), content_index: 0 };
      return [added, frame('response.content_part.added', { ...at, part })];
    }
    const part = { type: 'summary_text', text: '' };
    const at = { ...place(id), summary_index: 0 };
    return [added, frame('response.reasoning_summary_part.added', { ...at, part })];
  }

  return {
    begin: () => [
      frame('response.created', { response: response('in_progress') }),
      frame('response.in_progress', { response: response('in_progress') }),
    ],
    text: (delta) => extend('message', delta),
    reasoning: (delta) => extend('reasoning', delta),
    call(call) {
      const before = close();
      const id = itemId('fc');
      reasoningId = null;
      const item = {
        ...{ id, type: 'function_call', call_id: call.id ?? freshCallId('call_') },
        ...{ name: call.name, arguments: '', status: 'in_progress' },
      };
      const text = argumentsTextOf(call.arguments);
      return [
        ...before,
        frame('response.output_item.added', { output_index: output.length, item }),
        ...cutArguments(call).map((delta) =>
          frame('response.function_call_arguments.delta', { ...place(id), delta }),
        ),
        frame('response.function_call_arguments.done', { ...place(id), arguments: text }),
        done({ ...item, arguments: text, status: 'completed' }),
      ];
    },
    error: ({ type, message }) => [frame('error', { code: type, message, param: null })],
    end(finish, usage) {
      const before = close();
      const counted = usage === null ? {} : { usage: toUsage(usage) };
      if (finish !== 'length' && finish !== 'content-filter') {
        return [
          ...before,
          frame('response.completed', { response: response('completed', counted) }),
        ];
      }
      const reason = finish === 'length' ? 'max_output_tokens' : 'content_filter';
      const more = { ...counted, incomplete_details: { reason } };
      return [...before, frame('response.incomplete', { response: response('incomplete', more) })];
    },
  };
}

const toUsage = ({ input, output, cached = 0, reasoning = 0 }: FakeUsage) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output,
});
