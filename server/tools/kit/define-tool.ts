import type { Static, TObject, TSchema } from 'typebox';
import type { ToolSettings } from '../../config.ts';
import type { ToolHost, HostService } from './tool-host.ts';
import type { ToolResult } from './tool-result.ts';

export interface ToolProgress {
  /** A short sentence about what is going on. */
  readonly message?: string;
  /** Between 0 and 1. */
  readonly fraction?: number;
  /** Anything small that the tool's card knows how to draw; must be JSON. */
  readonly data?: unknown;
}

export interface ToolContext extends ToolHost {
  /** Aborted when the call is cancelled or its deadline has come. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly deadlineAt: number;
  readonly callId: string;
  readonly chatId: string;
  readonly chatUuid: string;
  readonly userId: string;
  /** Characters of JSON that this call may return. */
  readonly outputLimit: number;
  readonly settings: ToolSettings;
  reportProgress(progress: ToolProgress): void;
}

export interface AvailabilityContext {
  readonly settings: ToolSettings;
  readonly signal: AbortSignal;
}

export interface ToolDefinition<Parameters extends TObject> {
  /** `snake_case`, at most 64 characters. */
  readonly name: string;
  readonly description: string;
  readonly parameters: Parameters;
  /** The custom group that the tool belongs to; absent for a core tool. */
  readonly group?: string;
  /** Whether the tool could work now; absent for a tool without a dependency. */
  isAvailable?(context: AvailabilityContext): boolean | Promise<boolean>;
  /** Why it is not available, as a whole sentence that names the setting. */
  availabilityReason?(context: AvailabilityContext): string | Promise<string>;
  /** What would make it available, as a whole sentence. */
  readonly availabilityFix?: string;
  /** False defers the check: the tool registers and reports set-up errors when it is called. Default true. */
  readonly checkAvailabilityOnRegister?: boolean;
  /** False runs the tool's calls one by one after the others of the step. Default true. */
  readonly concurrencySafe?: boolean;
  /** False makes the tool a helper that no model is ever sent. Default true. */
  readonly register?: boolean;
  /** In the default allowlist. Default false. */
  readonly allowedByDefault?: boolean;
  /** A grouped tool that may be selected without being named in CUSTOM_TOOL_NAMES. Default true. */
  readonly selectableByDefault?: boolean;
  /** Hints for the model by the `action` or `mode` of the result's data; `*` is the fallback. */
  readonly systemHints?: Readonly<Record<string, string>>;
  /** Milliseconds that one call may take; default TOOL_TIMEOUT_MS. */
  readonly timeoutMs?: number | ((input: Static<Parameters>) => number);
  /** `server` only for the tool that waits for a person. Default `worker`. */
  readonly runsIn?: 'worker' | 'server';
  /** Host services that the tool may call. */
  readonly needs?: readonly HostService[];
  /** Parameters of earlier versions with the message that a call using one gets. */
  readonly retiredParameters?: Readonly<Record<string, string>>;
  /** Checks the `data` of a success before it is stored. */
  readonly result?: TSchema;
  execute(input: Static<Parameters>, context: ToolContext): Promise<ToolResult> | ToolResult;
}

export interface Tool<Parameters extends TObject = TObject> extends ToolDefinition<Parameters> {
  readonly kind: 'signalbox-tool';
}

/** Declares a tool; the type of `input` follows from `parameters`. */
export function defineTool<Parameters extends TObject>(
  definition: ToolDefinition<Parameters>,
): Tool<Parameters> {
  return { kind: 'signalbox-tool', ...definition };
}

export const isTool = (value: unknown): value is Tool =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'signalbox-tool';
