import { INTERPRETER_SETTINGS } from './settings/interpreter.ts';
import {
  databaseUrl,
  flag,
  integer,
  names,
  oneOf,
  optionalNames,
  optionalText,
  optionalUrl,
  secret,
  url,
  words,
  type Setting,
} from './settings/kinds.ts';
import { PROVIDER_SETTINGS } from './settings/providers.ts';

/**
 * Every setting: the name in the environment, how it is read, and what it does.
 * `docs/configuration.md` is printed from here. `forTools` marks what tool threads may see.
 */
export const SETTINGS = {
  host: { name: 'HOST', kind: words('127.0.0.1'), about: 'Address that the server listens on.' },
  port: { name: 'PORT', kind: integer(4000, 0, 65_535), about: 'Port; 0 picks a free one.' },
  publicUrl: {
    name: 'PUBLIC_URL',
    kind: optionalUrl,
    about: 'Address under which people reach the service, when a proxy stands in front of it.',
  },
  dataDir: {
    name: 'DATA_DIR',
    kind: words('./data'),
    about: 'Folder of the embedded database, files, backups and generated secrets.',
  },
  databaseUrl: {
    name: 'DATABASE_URL',
    kind: databaseUrl,
    about: 'PostgreSQL server; without it the embedded database is used.',
  },
  logLevel: {
    name: 'LOG_LEVEL',
    kind: oneOf('info', ['debug', 'info', 'warn', 'error', 'silent']),
    about: 'Least important log lines to write.',
  },
  authSecret: {
    name: 'AUTH_SECRET',
    kind: secret,
    about: 'Key that signs sessions; made at the first start and kept in DATA_DIR when unset.',
  },
  eventRetentionDays: {
    name: 'EVENT_RETENTION_DAYS',
    kind: integer(30, 1, 3_650),
    about: 'Days for which events can be read again by their number; messages are kept anyhow.',
  },
  sessionDays: {
    name: 'SESSION_DAYS',
    kind: integer(30, 1, 365),
    about: 'Days that a sign-in lasts without use.',
  },
  trustProxy: {
    name: 'TRUST_PROXY',
    kind: flag(false),
    about: 'Whether X-Forwarded-For and X-Forwarded-Proto of the caller are believed.',
  },

  openaiApiKey: { name: 'OPENAI_API_KEY', kind: secret, about: 'Key for OpenAI models.' },
  openaiBaseUrl: {
    name: 'OPENAI_BASE_URL',
    kind: optionalUrl,
    about: 'An OpenAI-compatible server, with its version part (…/v1). No key is needed for it.',
  },
  openaiProtocol: {
    name: 'OPENAI_PROTOCOL',
    kind: oneOf('auto', ['auto', 'responses', 'chat']),
    about: '`auto`: Responses for OpenAI itself, Chat Completions for OPENAI_BASE_URL.',
  },
  anthropicApiKey: { name: 'ANTHROPIC_API_KEY', kind: secret, about: 'Key for Anthropic models.' },
  anthropicBaseUrl: {
    name: 'ANTHROPIC_BASE_URL',
    kind: optionalUrl,
    about: 'An Anthropic-compatible server.',
  },
  anthropicVersion: {
    name: 'ANTHROPIC_VERSION',
    kind: optionalText,
    about:
      'API version header for compatible servers; when set, the key is sent as x-api-key instead of a bearer token.',
  },
  openrouterApiKey: {
    name: 'OPENROUTER_API_KEY',
    kind: secret,
    about: 'Key for OpenRouter models and for generate_image.',
    forTools: true,
  },
  openrouterBaseUrl: {
    name: 'OPENROUTER_BASE_URL',
    kind: url('https://openrouter.ai/api/v1'),
    about: 'Address of OpenRouter.',
    forTools: true,
  },
  models: {
    name: 'MODELS',
    kind: optionalNames,
    about:
      'Models to offer, as provider/model, in this order; the first is the default. Without it the providers are asked for their lists.',
  },
  modelDiscoveryUrls: {
    name: 'MODEL_DISCOVERY_URLS',
    kind: names([
      'http://127.0.0.1:11434/v1',
      'http://127.0.0.1:8080/v1',
      'http://127.0.0.1:1234/v1',
    ]),
    about:
      'Local servers that are asked for models at start (Ollama, llama.cpp, LM Studio); `none` asks nobody.',
  },
  modelMaxOutputTokens: {
    name: 'MODEL_MAX_OUTPUT_TOKENS',
    kind: integer(16_000, 256, 1_000_000),
    about: 'Tokens that a model may write in one step.',
  },
  modelIdleTimeoutMs: {
    name: 'MODEL_IDLE_TIMEOUT_MS',
    kind: integer(120_000, 100, 3_600_000),
    about: 'Milliseconds without a byte after which a model stream is given up.',
  },
  modelRetries: {
    name: 'MODEL_RETRIES',
    kind: integer(3, 0, 10),
    about: 'Attempts after a failed model request, before its first token.',
  },

  toolsAllowlist: {
    name: 'TOOLS_ALLOWLIST',
    kind: optionalNames,
    about: 'Tools that may register; replaces the default list.',
  },
  toolsDenylist: {
    name: 'TOOLS_DENYLIST',
    kind: names([]),
    about: 'Tools that may not register, whatever else says so.',
  },
  customToolNames: {
    name: 'CUSTOM_TOOL_NAMES',
    kind: names([]),
    about: 'Grouped tools, beside the usual ones, that people may select in a chat.',
  },
  toolsOperatorOnly: {
    name: 'TOOLS_OPERATOR_ONLY',
    kind: names(['bash_tool']),
    about: 'Tools that only operators may use.',
  },
  toolsPath: {
    name: 'TOOLS_PATH',
    kind: names([]),
    about: 'Folders with tool files and page handlers of your own.',
    forTools: true,
  },
  toolsSchemaMode: {
    name: 'TOOLS_SCHEMA_MODE',
    kind: oneOf('compact', ['compact', 'verbose']),
    about: '`compact` shortens the descriptions that models read, `verbose` keeps them.',
  },
  toolsSchemaDescriptionMaxLen: {
    name: 'TOOLS_SCHEMA_DESCRIPTION_MAX_LEN',
    kind: integer(280, 20, 10_000),
    about: 'Characters of a description in compact mode.',
  },
  toolsSchemaStripParamDescriptions: {
    name: 'TOOLS_SCHEMA_STRIP_PARAM_DESCRIPTIONS',
    kind: flag(false),
    about: 'Whether compact mode leaves out the descriptions of parameters.',
  },
  toolThreads: {
    name: 'TOOL_THREADS',
    kind: integer(8, 1, 128),
    about: 'Threads that run tools.',
  },
  toolQueueLimit: {
    name: 'TOOL_QUEUE_LIMIT',
    kind: integer(64, 0, 100_000),
    about: 'Calls that may wait for a thread; more are refused.',
  },
  toolTimeoutMs: {
    name: 'TOOL_TIMEOUT_MS',
    kind: integer(60_000, 100, 3_600_000),
    about: 'Milliseconds that a call may take when its tool names no limit of its own.',
  },
  toolGraceMs: {
    name: 'TOOL_GRACE_MS',
    kind: integer(2_000, 0, 60_000),
    about: 'Milliseconds that a cancelled call is given before its thread is ended.',
  },
  toolOutputLimit: {
    name: 'TOOL_OUTPUT_LIMIT',
    kind: integer(120_000, 1_000, 10_000_000),
    about: 'Characters of JSON that one call may return to the model.',
  },
  toolMemoryMb: {
    name: 'TOOL_MEMORY_MB',
    kind: integer(512, 64, 65_536),
    about: 'Megabytes of JavaScript memory that a tool thread may use before it is ended.',
  },
  toolRecheckMs: {
    name: 'TOOL_RECHECK_MS',
    kind: integer(300_000, 1_000, 86_400_000),
    about: 'Milliseconds between two availability checks of the same tool.',
  },
  turnStepLimit: {
    name: 'TURN_STEP_LIMIT',
    kind: integer(24, 1, 1_000),
    about: 'Steps that one turn may take.',
  },
  turnTimeoutMs: {
    name: 'TURN_TIMEOUT_MS',
    kind: integer(900_000, 1_000, 86_400_000),
    about: 'Milliseconds that a turn may run; waiting for a person does not count.',
  },
  activationTimeoutMs: {
    name: 'ACTIVATION_TIMEOUT_MS',
    kind: integer(86_400_000, 1_000, 604_800_000),
    about: 'Milliseconds after which an unanswered activation request counts as ignored.',
  },
  uploadMaxBytes: {
    name: 'UPLOAD_MAX_BYTES',
    kind: integer(50_000_000, 1_000, 2_000_000_000),
    about: 'Bytes that one uploaded or generated file may have.',
  },
  chatMaxBytes: {
    name: 'CHAT_MAX_BYTES',
    kind: integer(500_000_000, 1_000, 2_000_000_000),
    about: 'Bytes that all files of one chat may have together.',
  },

  ...INTERPRETER_SETTINGS,
  ...PROVIDER_SETTINGS,
} as const satisfies Record<string, Setting>;
