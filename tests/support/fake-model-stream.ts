/** What the fake model does in one step, in any protocol. */
export interface ModelStepScript {
  readonly reasoning?: string;
  /** Sent one after the other. */
  readonly text?: readonly string[];
  readonly calls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly arguments: string;
  }[];
  readonly finish?: 'stop' | 'length' | 'content-filter';
  /** Waits for this after the first piece of text, or before the end. */
  readonly hold?: Promise<void>;
  /** Cuts the connection instead of ending. */
  readonly cut?: boolean;
}

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const event = (type: string, value: object): string =>
  `event: ${type}\n${data({ type, ...value })}`;

/** Pieces of an answer; null is the place where the answer is held. */
export type Pieces = Generator<string | null>;

export function* streamChat(step: ModelStepScript, id: string): Pieces {
  const chunk = (delta: object, finish: string | null = null): string =>
    data({
      ...{ id: `chatcmpl-${id}`, object: 'chat.completion.chunk', created: 1, model: 'fake' },
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    });
  yield chunk({ role: 'assistant', content: '', refusal: null });
  if (step.reasoning) yield chunk({ reasoning_content: step.reasoning });
  for (const [index, text] of (step.text ?? []).entries()) {
    yield chunk({ content: text });
    if (index === 0) yield null;
  }
  for (const [index, call] of (step.calls ?? []).entries()) {
    const { id: callId, name } = call;
    yield chunk({
      tool_calls: [{ index, id: callId, type: 'function', function: { name, arguments: '' } }],
    });
    for (const part of halves(call.arguments)) {
      yield chunk({ tool_calls: [{ index, function: { arguments: part } }] });
    }
  }
  if (step.text === undefined) yield null;
  if (step.cut) return;
  const finish = { stop: 'stop', length: 'length', 'content-filter': 'content_filter' } as const;
  yield chunk({}, step.calls ? 'tool_calls' : finish[step.finish ?? 'stop']);
  yield data({
    ...{ id: `chatcmpl-${id}`, object: 'chat.completion.chunk', created: 1, model: 'fake' },
    choices: [],
    usage: {
      ...{ prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
      prompt_tokens_details: { cached_tokens: 40 },
    },
  });
  yield 'data: [DONE]\n\n';
}

export function* streamResponses(step: ModelStepScript, id: string): Pieces {
  let sequence = 0;
  const send = (type: string, value: object): string =>
    event(type, { sequence_number: sequence++, ...value });
  const response = {
    ...{ id: `resp_${id}`, object: 'response', created_at: 1, model: 'fake' },
    ...{ parallel_tool_calls: true, tools: [], error: null, incomplete_details: null },
  };
  const output: object[] = [];
  yield send('response.created', { response: { ...response, status: 'in_progress', output } });
  if (step.reasoning) {
    const item = {
      ...{ id: `rs_${id}`, type: 'reasoning', encrypted_content: 'sealed' },
      summary: [{ type: 'summary_text', text: step.reasoning }],
    };
    const at = { item_id: item.id, output_index: output.length, summary_index: 0 };
    yield send('response.output_item.added', {
      output_index: output.length,
      item: { ...item, summary: [] },
    });
    yield send('response.reasoning_summary_text.delta', { ...at, delta: step.reasoning });
    yield send('response.output_item.done', { output_index: output.length, item });
    output.push(item);
  }
  if (step.text) {
    const item = {
      id: `msg_${id}`,
      type: 'message',
      role: 'assistant',
      status: 'in_progress',
      content: [],
    };
    const at = { item_id: item.id, output_index: output.length, content_index: 0 };
    yield send('response.output_item.added', { output_index: output.length, item });
    for (const [index, text] of step.text.entries()) {
      yield send('response.output_text.delta', { ...at, delta: text, logprobs: [] });
      if (index === 0) yield null;
    }
    if (step.cut) return;
    const content = [{ type: 'output_text', text: step.text.join(''), annotations: [] }];
    const done = { ...item, status: 'completed', content };
    yield send('response.output_item.done', { output_index: output.length, item: done });
    output.push(done);
  }
  for (const call of step.calls ?? []) {
    const item = {
      ...{ id: `fc_${id}_${call.id}`, type: 'function_call', status: 'completed' },
      ...{ call_id: call.id, name: call.name, arguments: call.arguments },
    };
    const at = { item_id: item.id, output_index: output.length };
    yield send('response.output_item.added', {
      output_index: output.length,
      item: { ...item, arguments: '' },
    });
    for (const delta of halves(call.arguments)) {
      yield send('response.function_call_arguments.delta', { ...at, delta });
    }
    yield send('response.output_item.done', { output_index: output.length, item });
    output.push(item);
  }
  if (step.text === undefined) yield null;
  if (step.cut) return;
  const isCutOff = step.finish === 'length' || step.finish === 'content-filter';
  const reason = step.finish === 'length' ? 'max_output_tokens' : 'content_filter';
  yield send(isCutOff ? 'response.incomplete' : 'response.completed', {
    response: {
      ...response,
      output,
      status: isCutOff ? 'incomplete' : 'completed',
      incomplete_details: isCutOff ? { reason } : null,
      usage: {
        ...{ input_tokens: 100, output_tokens: 10, total_tokens: 110 },
        input_tokens_details: { cached_tokens: 40 },
        output_tokens_details: { reasoning_tokens: 3 },
      },
    },
  });
}

export function* streamMessages(step: ModelStepScript, id: string): Pieces {
  const message = {
    ...{ id: `msg_${id}`, type: 'message', role: 'assistant', content: [], model: 'fake' },
    ...{ stop_reason: null, stop_sequence: null },
    usage: { input_tokens: 60, cache_read_input_tokens: 40, output_tokens: 1 },
  };
  yield event('message_start', { message });
  let index = 0;
  if (step.reasoning) {
    yield event('content_block_start', {
      index,
      content_block: { type: 'thinking', thinking: '', signature: '' },
    });
    yield event('content_block_delta', {
      index,
      delta: { type: 'thinking_delta', thinking: step.reasoning },
    });
    yield event('content_block_delta', {
      index,
      delta: { type: 'signature_delta', signature: 'signed' },
    });
    yield event('content_block_stop', { index });
    index += 1;
  }
  if (step.text) {
    yield event('content_block_start', { index, content_block: { type: 'text', text: '' } });
    for (const [place, text] of step.text.entries()) {
      yield event('content_block_delta', { index, delta: { type: 'text_delta', text } });
      if (place === 0) yield null;
    }
    if (step.cut) return;
    yield event('content_block_stop', { index });
    index += 1;
  }
  for (const call of step.calls ?? []) {
    const block = { type: 'tool_use', id: call.id, name: call.name, input: {} };
    yield event('content_block_start', { index, content_block: block });
    for (const partial of halves(call.arguments)) {
      yield event('content_block_delta', {
        index,
        delta: { type: 'input_json_delta', partial_json: partial },
      });
    }
    yield event('content_block_stop', { index });
    index += 1;
  }
  if (step.text === undefined) yield null;
  if (step.cut) return;
  const finish = { stop: 'end_turn', length: 'max_tokens', 'content-filter': 'refusal' } as const;
  const reason = step.calls ? 'tool_use' : finish[step.finish ?? 'stop'];
  yield event('message_delta', {
    delta: { stop_reason: reason, stop_sequence: null },
    usage: { output_tokens: 10 },
  });
  yield event('message_stop', {});
}

/** Arguments come in pieces that end anywhere. */
const halves = (text: string): string[] => {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter(Boolean);
};
