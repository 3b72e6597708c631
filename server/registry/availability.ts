import type { ToolDescriptor } from '../tools/kit/tool-descriptor.ts';
import type { ProbeOutcome, ProbeTarget } from '../worker/discovery-messages.ts';
import type { DiscoveryThread } from './discovery-thread.ts';

/** What is known of a tool's dependencies. */
export type Availability =
  /** The tool depends on nothing. */
  | { readonly kind: 'none' }
  /** The tool wants to be checked by its calls. */
  | { readonly kind: 'deferred' }
  /** Its first check is still to come. */
  | { readonly kind: 'unchecked' }
  | (ProbeOutcome & { readonly checkedAt: Date });

export interface ProbeOptions {
  startThread(): Promise<DiscoveryThread>;
  /** Milliseconds that one check may take. */
  readonly deadlineMs: number;
  /** Called once for each tool. */
  onOutcome(name: string, outcome: ProbeOutcome): void;
  /** Called once, when every check that waits for nothing has been told. */
  onStarted(): void;
}

/** Milliseconds beyond the deadline after which a thread counts as blocked. */
const BLOCKED_AFTER_MS = 500;

/** Whether the tool's own check decides if it registers. */
export const isProbed = (tool: ToolDescriptor): boolean =>
  tool.register && tool.hasAvailabilityCheck && tool.checkAvailabilityOnRegister;

/** What is known before any check. */
export function assumeAvailability(tool: ToolDescriptor): Availability {
  if (!tool.hasAvailabilityCheck) return { kind: 'none' };
  return isProbed(tool) ? { kind: 'unchecked' } : { kind: 'deferred' };
}

/**
 * Asks tools whether they are available, all at once in the given thread, which is closed afterwards.
 * When a check blocks or ends the thread, the tools that have not answered are asked one by one.
 */
export async function probeTools(
  thread: DiscoveryThread,
  targets: readonly ProbeTarget[],
  options: ProbeOptions,
): Promise<void> {
  const open = new Map(targets.map((target) => [target.name, target]));
  try {
    thread.send({ type: 'probe', targets, deadlineMs: options.deadlineMs });
    while (open.size > 0) {
      const reply = await thread.next(options.deadlineMs + BLOCKED_AFTER_MS);
      if (reply.type === 'trouble') break;
      if (reply.type === 'probes-started') options.onStarted();
      if (reply.type !== 'probed') continue;
      open.delete(reply.name);
      options.onOutcome(reply.name, reply.outcome);
    }
  } finally {
    await thread.close();
  }
  if (open.size > 0) options.onStarted();
  for (const target of open.values()) {
    options.onOutcome(target.name, await probeAlone(target, options));
  }
}

async function probeAlone(target: ProbeTarget, options: ProbeOptions): Promise<ProbeOutcome> {
  const thread = await options.startThread();
  try {
    thread.send({ type: 'probe', targets: [target], deadlineMs: options.deadlineMs });
    for (;;) {
      const reply = await thread.next(options.deadlineMs + BLOCKED_AFTER_MS);
      if (reply.type === 'probed') return reply.outcome;
      if (reply.type === 'trouble') return { kind: 'failed', reason: `The check ${reply.reason}.` };
    }
  } finally {
    await thread.close();
  }
}
