import type { ToolSettings } from '../config.ts';
import type { ToolFile } from '../tools/kit/discover.ts';
import type { ToolDescriptor } from '../tools/kit/tool-descriptor.ts';

/** What a discovery thread is started with. */
export interface DiscoveryData {
  readonly settings: ToolSettings;
}

/** A tool whose availability is asked for. */
export interface ProbeTarget {
  readonly name: string;
  readonly moduleUrl: string;
}

export type DiscoveryRequest =
  | { readonly type: 'load'; readonly files: readonly ToolFile[] }
  | {
      readonly type: 'probe';
      readonly targets: readonly ProbeTarget[];
      /** Milliseconds that each check may take. */
      readonly deadlineMs: number;
    };

export type ProbeOutcome =
  | { readonly kind: 'available' }
  /** `reason` is null when the tool gives none. */
  | { readonly kind: 'unavailable'; readonly reason: string | null }
  /** The check itself threw or took too long. */
  | { readonly kind: 'failed'; readonly reason: string };

export type DiscoveryReply =
  | { readonly type: 'ready' }
  /** One for each file of a `load`, in order; `problem` is null unless the file is of no use. */
  | {
      readonly type: 'loaded';
      readonly moduleUrl: string;
      readonly tools: readonly ToolDescriptor[];
      readonly problem: string | null;
    }
  /** One for each target of a `probe`, as they end. */
  | { readonly type: 'probed'; readonly name: string; readonly outcome: ProbeOutcome }
  /** All checks of a `probe` have started, and those that wait for nothing have been told. */
  | { readonly type: 'probes-started' };
