import { AppError } from '../../server/errors.ts';
import type {
  ModelAdapter,
  ModelCatalogue,
  ModelInfo,
  ModelRequest,
  ModelStreamPart,
  StepPart,
} from '../../server/models/model.ts';

/** What the model does in one step. */
export interface Step {
  readonly parts?: readonly StepPart[];
  /** Waited for after the parts, before the step ends. */
  readonly hold?: Promise<void>;
}

export interface ScriptedModels extends ModelCatalogue {
  /** One step after the other; without one, the model answers "Done.". */
  script(...steps: readonly Step[]): void;
  readonly requests: readonly ModelRequest[];
}

export const say = (text: string): StepPart => ({ type: 'text', text });
export const call = (callId: string, toolName: string, input: object = {}): StepPart => ({
  type: 'tool-call',
  ...{ callId, toolName, argumentsText: JSON.stringify(input) },
});

const model = (name: string): ModelInfo => ({
  ...{ id: `test/${name}`, label: name, provider: 'test', model: name, family: 'test' },
  ...{ protocol: 'openai-chat', unavailableReason: null },
});
const MODELS = [model('one'), model('two')];

/** Models whose answers the test writes. */
export function createScriptedModels(): ScriptedModels {
  const steps: Step[] = [];
  const requests: ModelRequest[] = [];

  async function* stream(
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelStreamPart> {
    requests.push({ ...request, history: [...request.history] });
    const { parts = [say('Done.')], hold } = steps.shift() ?? {};
    for (const part of parts) {
      yield part.type === 'tool-call' ? part : { type: `${part.type}-delta`, text: part.text };
    }
    await Promise.race([hold, aborted(signal)]);
    const hasCalls = parts.some(({ type }) => type === 'tool-call');
    const usage = { inputTokens: 3, outputTokens: 2, cachedTokens: null, reasoningTokens: null };
    yield { type: 'finish', reason: hasCalls ? 'tool-calls' : 'stop', usage, rawItems: [] };
  }

  const adapter: ModelAdapter = { protocol: 'openai-chat', family: 'test', stream };
  return {
    requests,
    script: (...more) => void steps.push(...more),
    list: () => MODELS,
    find: (id) => MODELS.find((known) => known.id === id) ?? null,
    defaultModelId: () => 'test/one',
    adapter(id) {
      if (MODELS.some((known) => known.id === id)) return adapter;
      throw new AppError('UNAVAILABLE', `The model ${id} is not set up.`);
    },
    refresh: () => Promise.resolve(),
  };
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const fail = (): void => reject(signal.reason as Error);
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
