import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { readConfig, toolSettings, type ToolSettings } from '../../server/config.ts';
import { AppError } from '../../server/errors.ts';
import type { ToolContext, ToolProgress } from '../../server/tools/kit/define-tool.ts';
import type {
  FactsHost,
  FilesHost,
  HostFact,
  LocatedFile,
} from '../../server/tools/kit/tool-host.ts';

const CHAT_UUID = '0198f000-0000-7000-8000-000000000001';

export interface ToolContextOptions {
  /** By name in the environment. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Milliseconds from now; default one minute. */
  readonly deadlineMs?: number;
  readonly outputLimit?: number;
}

export interface TestToolContext {
  readonly context: ToolContext;
  /** Keeps a file of the chat on the disk. */
  upload(label: string, content: string | Uint8Array): Promise<LocatedFile>;
  readonly facts: readonly HostFact[];
  readonly progress: readonly ToolProgress[];
  /** Keys of `context.pace`, in order. */
  readonly paced: readonly string[];
  close(): Promise<void>;
}

export const createToolSettings = (
  environment: Readonly<Record<string, string>> = {},
): ToolSettings => toolSettings(readConfig(environment).config);

/** What a tool is given, with a real folder behind its files and no application behind the rest. */
export async function createToolContext(
  options: ToolContextOptions = {},
): Promise<TestToolContext> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-tool-'));
  const files = createFiles(folder);
  const { host: factsHost, facts } = createFacts();
  const cached = new Map<string, unknown>();
  const progress: ToolProgress[] = [];
  const paced: string[] = [];
  const context: ToolContext = {
    files: files.host,
    facts: factsHost,
    cache: {
      get: async (key) => cached.get(key),
      set: async (key, value) => void cached.set(key, structuredClone(value)),
    },
    pace: async (key) => void paced.push(key),
    signal: options.signal ?? new AbortController().signal,
    deadlineAt: Date.now() + (options.deadlineMs ?? 60_000),
    callId: 'call-1',
    chatId: 'chat-1',
    chatUuid: CHAT_UUID,
    userId: 'user-1',
    outputLimit: options.outputLimit ?? 120_000,
    settings: createToolSettings(options.environment),
    reportProgress: (step) => void progress.push(step),
  };
  return {
    context,
    upload: (label, content) => files.keep(label, content, 'UPLOADED'),
    facts,
    progress,
    paced,
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

function createFiles(folder: string) {
  const kept = new Map<string, LocatedFile>();

  async function keep(
    label: string,
    content: string | Uint8Array,
    origin: LocatedFile['origin'],
  ): Promise<LocatedFile> {
    const path = join(folder, `stored-${kept.size}`);
    await writeFile(path, content);
    const inPython = origin === 'UPLOADED' ? label : `generated/${label}`;
    const file: LocatedFile = {
      label,
      origin,
      mimeType: 'application/octet-stream',
      bytes: Buffer.byteLength(content),
      downloadUrl: `/generated-files/${CHAT_UUID}/${encodeURIComponent(label)}`,
      codeInterpreterPath: `/mnt/data/${inPython}`,
      path,
    };
    kept.set(label, file);
    return file;
  }

  const host: FilesHost = {
    list: async () => [...kept.values()],
    locate: async (label) => kept.get(label) ?? null,
    async create({ label, mimeType, content }) {
      if (label === 'too-large.txt') throw new AppError('BAD_INPUT', 'The file is too large.');
      const extension = extname(label);
      const free = kept.has(label) ? `${label.slice(0, -extension.length)} (2)${extension}` : label;
      const file = { ...(await keep(free, content, 'GENERATED')), mimeType };
      kept.set(free, file);
      return file;
    },
  };
  return { host, keep };
}

function createFacts() {
  const facts: HostFact[] = [];
  const host: FactsHost = {
    async remember(text) {
      const known = facts.find((fact) => fact.text.toLowerCase() === text.toLowerCase());
      if (known !== undefined) return { fact: known, isNew: false };
      const fact = { id: `fact-${facts.length + 1}`, text };
      facts.push(fact);
      return { fact, isNew: true };
    },
    find: async (match) =>
      facts.filter(({ text }) => text.toLowerCase().includes(match.toLowerCase())),
    forget: async (id) =>
      void facts.splice(
        facts.findIndex((fact) => fact.id === id),
        1,
      ),
  };
  return { host, facts };
}
