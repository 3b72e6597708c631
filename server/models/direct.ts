import type { Usage } from '../events/chat-event.ts';
import { parseCommands } from './direct-command.ts';
import type {
  HistoryEntry,
  ModelAdapter,
  ModelRequest,
  ModelStreamPart,
  ModelTool,
} from './model.ts';

const NO_USAGE: Usage = {
  inputTokens: null,
  outputTokens: null,
  cachedTokens: null,
  reasoningTokens: null,
};

const done = (reason: 'stop' | 'tool-calls'): ModelStreamPart => ({
  type: 'finish',
  reason,
  usage: NO_USAGE,
  rawItems: [],
});

/**
 * The built-in model that is none: the person calls tools with `/tool_name …`, and sees the same
 * cards, events and gates as with a language model.
 */
export const directAdapter: ModelAdapter = {
  protocol: 'direct',
  family: 'direct',
  async *stream(request, signal) {
    signal.throwIfAborted();
    const last = request.history.at(-1);
    if (last?.type === 'tool-results') yield* closeStep(last.results);
    else yield* answer(request, lastText(request.history));
  },
};

function lastText(history: readonly HistoryEntry[]): string {
  const entry = history.findLast(({ type }) => type === 'user');
  return entry?.type === 'user' ? entry.text : '';
}

function* answer({ tools }: ModelRequest, text: string): Generator<ModelStreamPart> {
  const commands = parseCommands(text, tools);
  if (commands.length === 0) {
    yield { type: 'text-delta', text: describeUse(tools) };
    yield done('stop');
    return;
  }
  const problems = commands.flatMap(({ problem }) => (problem === null ? [] : [problem]));
  if (problems.length > 0) yield { type: 'text-delta', text: problems.join('\n\n') };
  const calls = commands.filter((command) => command.problem === null);
  for (const [index, { toolName, argumentsText }] of calls.entries()) {
    yield { type: 'tool-call', callId: `direct_${index}`, toolName, argumentsText };
  }
  yield done(calls.length > 0 ? 'tool-calls' : 'stop');
}

type Results = Extract<HistoryEntry, { readonly type: 'tool-results' }>['results'];

function* closeStep(results: Results): Generator<ModelStreamPart> {
  const lines = results.map(({ toolName, isError }) =>
    isError ? `${toolName} failed; its card says why.` : `${toolName} is done.`,
  );
  yield { type: 'text-delta', text: lines.join('\n\n') };
  yield done('stop');
}

function describeUse(tools: readonly ModelTool[]): string {
  const names = tools.map(({ name }) => `\`/${name}\``).join(', ');
  return [
    'This chat has no language model: it calls tools by hand.',
    'Write `/tool_name text`, `/tool_name key=value …` or `/tool_name {"key": "value"}`; several lines make several calls.',
    names === '' ? 'No tool is active here.' : `Active here: ${names}.`,
    'To chat with a model, the operator sets OPENAI_API_KEY, ANTHROPIC_API_KEY, OPENROUTER_API_KEY or OPENAI_BASE_URL and restarts, or starts Ollama, llama.cpp or LM Studio on this machine.',
  ].join('\n\n');
}
