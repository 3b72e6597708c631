/** What a tool file outside this repository imports as `signalbox/tools`. */
export { defineTool } from './define-tool.ts';
export type {
  AvailabilityContext,
  ToolContext,
  ToolDefinition,
  ToolProgress,
} from './define-tool.ts';
export { definePageHandler } from './page-handler.ts';
export type { PageContent, PageContext, PageHandler } from './page-handler.ts';
export { decimal, flag, integer, list, object, oneOf, optional, text } from './parameters.ts';
export { failed, noop, ok } from './tool-result.ts';
export type { ToolErrorCode, ToolResult } from './tool-result.ts';
