import type { HostService } from './tool-host.ts';

/** A JSON Schema as plain data. */
export type JsonSchema = { readonly [key: string]: unknown };

/** All that the server thread knows of a tool: plain data, made in a worker from the tool's file. */
export interface ToolDescriptor {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  /** Null for a core tool. */
  readonly group: string | null;
  readonly concurrencySafe: boolean;
  readonly register: boolean;
  readonly runsIn: 'worker' | 'server';
  readonly needs: readonly HostService[];
  readonly allowedByDefault: boolean;
  readonly selectableByDefault: boolean;
  readonly checkAvailabilityOnRegister: boolean;
  readonly hasAvailabilityCheck: boolean;
  readonly availabilityFix: string | null;
  readonly systemHints: Readonly<Record<string, string>>;
  readonly retiredParameters: Readonly<Record<string, string>>;
  readonly resultSchema: JsonSchema | null;
  readonly source: 'built-in' | 'custom';
  /** File URL of the module that exports the tool. */
  readonly moduleUrl: string;
}

/** A tool file that could not be loaded. */
export interface BrokenToolFile {
  /** File name, e.g. `stock-quote.ts`. */
  readonly file: string;
  readonly moduleUrl: string;
  /** A whole sentence. */
  readonly reason: string;
}
