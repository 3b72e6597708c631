import { setImmediate } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../errors.ts';
import type { Tool } from '../tools/kit/define-tool.ts';
import { describeFile } from '../tools/kit/describe-tool.ts';
import { listExportedTools, type ToolFile } from '../tools/kit/discover.ts';
import { enableAuthorImports } from './author-imports.ts';
import type {
  DiscoveryData,
  DiscoveryReply,
  DiscoveryRequest,
  ProbeOutcome,
  ProbeTarget,
} from './discovery-messages.ts';

/** Thread entry: imports tool files and asks tools whether they are available. */

if (parentPort === null) throw new Error('The discovery of tools runs in a thread only.');
const port = parentPort;
const { settings } = workerData as DiscoveryData;

const reply = (message: DiscoveryReply): void => port.postMessage(message);

async function load(files: readonly ToolFile[]): Promise<void> {
  for (const file of files) {
    const { tools, problem } = await describe(file);
    reply({ type: 'loaded', moduleUrl: file.moduleUrl, tools: tools ?? [], problem });
  }
}

async function describe(file: ToolFile): Promise<ReturnType<typeof describeFile>> {
  try {
    return describeFile(file, await importModule(file.moduleUrl));
  } catch (error) {
    return { tools: null, problem: `${file.file} cannot be loaded: ${messageOf(error)}` };
  }
}

async function probe(targets: readonly ProbeTarget[], deadlineMs: number): Promise<void> {
  const checks = targets.map(async ({ name, moduleUrl }) => {
    const outcome = await check({ name, moduleUrl }, deadlineMs);
    reply({ type: 'probed', name, outcome });
  });
  // Two turns of the event loop are enough for every check that asks neither disk nor network.
  await setImmediate();
  await setImmediate();
  reply({ type: 'probes-started' });
  await Promise.all(checks);
}

async function check({ name, moduleUrl }: ProbeTarget, deadlineMs: number): Promise<ProbeOutcome> {
  const signal = AbortSignal.timeout(deadlineMs);
  const expired = new Promise<never>((_resolve, reject) => {
    const reason = new Error(`The check took more than ${deadlineMs} ms.`);
    signal.addEventListener('abort', () => reject(reason), { once: true });
  });
  try {
    return await Promise.race([ask(name, moduleUrl, signal), expired]);
  } catch (error) {
    return { kind: 'failed', reason: messageOf(error) };
  }
}

async function ask(name: string, moduleUrl: string, signal: AbortSignal): Promise<ProbeOutcome> {
  const tools: readonly Tool[] = listExportedTools(await importModule(moduleUrl));
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool?.isAvailable === undefined) throw new Error(`${name} has no check any more.`);
  const context = { settings, signal };
  if (await tool.isAvailable(context)) return { kind: 'available' };
  return { kind: 'unavailable', reason: (await tool.availabilityReason?.(context)) ?? null };
}

const importModule = (moduleUrl: string): Promise<Record<string, unknown>> =>
  import(moduleUrl) as Promise<Record<string, unknown>>;

enableAuthorImports();
port.on('message', (request: DiscoveryRequest) => {
  const done =
    request.type === 'load' ? load(request.files) : probe(request.targets, request.deadlineMs);
  void done;
});
reply({ type: 'ready' });
