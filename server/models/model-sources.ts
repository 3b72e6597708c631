import type { Config } from '../config.ts';
import { createAnthropicAdapter } from './anthropic-messages.ts';
import type { ModelAdapter, ModelProtocol } from './model.ts';
import { createOpenAIChatAdapter } from './openai-chat.ts';
import { createOpenAIResponsesAdapter } from './openai-responses.ts';

/** A server that models can be spoken with at. */
export interface ModelSource {
  /** First part of the ids of its models. */
  readonly id: string;
  readonly label: string;
  readonly protocol: ModelProtocol;
  readonly adapter: ModelAdapter;
  /** Address of its list of models, and what it wants to be sent. */
  readonly listUrl: string;
  readonly listHeaders: Readonly<Record<string, string>>;
  /** Found on this machine, not configured: without an answer it does not exist. */
  readonly isLocal: boolean;
}

const OPENAI_URL = 'https://api.openai.com/v1';
const ANTHROPIC_URL = 'https://api.anthropic.com';

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

/** All servers of the configuration, in the order in which their models are offered. */
export function listSources(config: Config): readonly ModelSource[] {
  return [
    ...openaiSources(config),
    ...anthropicSources(config),
    ...openrouterSources(config),
    ...config.modelDiscoveryUrls
      .filter((url) => URL.canParse(url))
      .map((url) => localSource(config, url)),
  ];
}

function openaiSources(config: Config): readonly ModelSource[] {
  const { openaiApiKey, openaiBaseUrl, openaiProtocol, modelIdleTimeoutMs } = config;
  if (openaiApiKey === null && openaiBaseUrl === null) return [];
  const isCompatible = openaiBaseUrl !== null;
  const usesResponses =
    openaiProtocol === 'responses' || (openaiProtocol === 'auto' && !isCompatible);
  const id = isCompatible ? 'openai-compatible' : 'openai';
  const label = isCompatible ? new URL(openaiBaseUrl).host : 'OpenAI';
  const options = {
    provider: label,
    family: id,
    baseUrl: openaiBaseUrl,
    apiKey: openaiApiKey ?? 'none',
    idleTimeoutMs: modelIdleTimeoutMs,
  };
  return [
    {
      id,
      label,
      protocol: usesResponses ? 'openai-responses' : 'openai-chat',
      adapter: usesResponses
        ? createOpenAIResponsesAdapter(options)
        : createOpenAIChatAdapter(options),
      listUrl: `${openaiBaseUrl ?? OPENAI_URL}/models`,
      listHeaders: bearer(options.apiKey),
      isLocal: false,
    },
  ];
}

function anthropicSources(config: Config): readonly ModelSource[] {
  const { anthropicApiKey, anthropicBaseUrl, anthropicVersion, modelIdleTimeoutMs } = config;
  if (anthropicApiKey === null) return [];
  const key = anthropicApiKey;
  const label = anthropicBaseUrl === null ? 'Anthropic' : new URL(anthropicBaseUrl).host;
  return [
    {
      id: 'anthropic',
      label,
      protocol: 'anthropic-messages',
      adapter: createAnthropicAdapter({
        provider: label,
        family: 'anthropic',
        baseUrl: anthropicBaseUrl,
        apiKey: key,
        version: anthropicVersion,
        idleTimeoutMs: modelIdleTimeoutMs,
      }),
      listUrl: `${anthropicBaseUrl ?? ANTHROPIC_URL}/v1/models?limit=100`,
      listHeaders:
        anthropicVersion === null
          ? { ...bearer(key), 'anthropic-version': '2026-10-21' }
          : { 'x-api-key': key, 'anthropic-version': anthropicVersion },
      isLocal: false,
    },
  ];
}

function openrouterSources(config: Config): readonly ModelSource[] {
  const { openrouterApiKey, openrouterBaseUrl } = config;
  if (openrouterApiKey === null) return [];
  return [
    chatSource(config, {
      id: 'openrouter',
      label: 'OpenRouter',
      baseUrl: openrouterBaseUrl,
      apiKey: openrouterApiKey,
      isLocal: false,
    }),
  ];
}

const LOCAL_NAMES: Readonly<Record<string, string>> = {
  '11434': 'ollama',
  '8080': 'llama.cpp',
  '1234': 'lm-studio',
};

const LOOPBACK = /^(127\.|localhost$|\[::1\]$)/;

function localSource(config: Config, baseUrl: string): ModelSource {
  const { port, host, hostname } = new URL(baseUrl);
  const name = LOOPBACK.test(hostname) ? LOCAL_NAMES[port] : undefined;
  const id = name ?? `local-${host.replaceAll(/[^a-z0-9]+/gi, '-')}`;
  return chatSource(config, { id, label: id, baseUrl, apiKey: 'none', isLocal: true });
}

function chatSource(
  { modelIdleTimeoutMs }: Config,
  source: {
    readonly id: string;
    readonly label: string;
    readonly baseUrl: string;
    readonly apiKey: string;
    readonly isLocal: boolean;
  },
): ModelSource {
  const { id, label, baseUrl, apiKey, isLocal } = source;
  return {
    id,
    label,
    protocol: 'openai-chat',
    adapter: createOpenAIChatAdapter({
      provider: label,
      family: id,
      baseUrl,
      apiKey,
      idleTimeoutMs: modelIdleTimeoutMs,
    }),
    listUrl: `${baseUrl}/models`,
    listHeaders: bearer(apiKey),
    isLocal,
  };
}
