import type { ModelProtocol, ModelTool } from '../models/model.ts';
import type { BrokenToolFile, JsonSchema, ToolDescriptor } from '../tools/kit/tool-descriptor.ts';
import type { GateReport, GateView } from './gate.ts';

/** One tool that is installed, whatever the gates say of it. */
export interface RegistryEntry {
  /** For a file that does not load: its file name. */
  readonly name: string;
  /** Null for a file that does not load. */
  readonly descriptor: ToolDescriptor | null;
  readonly broken: BrokenToolFile | null;
  /** The gates up to `availability` let it pass. */
  readonly isRegistered: boolean;
}

export interface ToolGroup {
  readonly name: string;
  /** A plain sentence about what the group is for. */
  readonly description: string;
  /** Registered tools of the group, sorted. */
  readonly toolNames: readonly string[];
}

/**
 * What is installed, what of it is registered, and why the rest is not. Start-up, call time, the
 * API and the views all ask here.
 */
export interface ToolRegistry {
  /** Every installed tool that is not a helper, sorted by name. */
  list(): readonly RegistryEntry[];
  find(name: string): RegistryEntry | null;
  /** Groups with at least one registered tool, sorted. */
  groups(): readonly ToolGroup[];
  report(name: string, view: GateView): GateReport | null;
  /** Names of the tools that are active in the view, sorted; without `request_tool_activation`. */
  activeNames(view: GateView): readonly string[];
  /** Groups that could be switched on in the view: registered, and not active. */
  inactiveGroups(view: GateView): readonly ToolGroup[];
  /** The schemas to send, rewritten for the protocol and compacted. */
  modelTools(names: readonly string[], protocol: ModelProtocol): readonly ModelTool[];
  /** The same, for a tool whose schema is made for one chat. */
  modelTool(tool: ModelTool, protocol: ModelProtocol): ModelTool;
  /** The schema as declared, before rewriting and compaction. */
  baseSchema(name: string): JsonSchema | null;
  /** Loads and probes one tool again; it may be registered or withdrawn. */
  recheck(name: string): Promise<void>;
  /** Calls `listener` after each change of what is registered; returns how to stop that. */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}
