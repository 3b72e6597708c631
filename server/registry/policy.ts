import type { Config } from '../config.ts';
import type { ToolDescriptor } from '../tools/kit/tool-descriptor.ts';

type PolicySettings = Pick<
  Config,
  'toolsAllowlist' | 'toolsDenylist' | 'customToolNames' | 'toolsOperatorOnly'
>;

/** Why the allowlist lets a tool pass; null when it does not. */
export type Admission = 'exempt' | 'named' | 'default' | null;

/** What the settings say about tools, before any chat. */
export interface ToolPolicy {
  /** TOOLS_ALLOWLIST is set, and so replaces the default list. */
  readonly hasOwnAllowlist: boolean;
  isDenied(name: string): boolean;
  admit(tool: ToolDescriptor): Admission;
  /** Core tools always are. */
  isSelectable(tool: ToolDescriptor): boolean;
  isOperatorOnly(name: string): boolean;
}

/** Asking for a group is no power of its own: it changes nothing until a person agrees. */
const EXEMPT_FROM_ALLOWLIST = 'request_tool_activation';

export function createPolicy(settings: PolicySettings): ToolPolicy {
  const allowlist = settings.toolsAllowlist === null ? null : new Set(settings.toolsAllowlist);
  const denylist = new Set(settings.toolsDenylist);
  const selectable = new Set(settings.customToolNames);
  const operatorOnly = new Set(settings.toolsOperatorOnly);

  return {
    hasOwnAllowlist: allowlist !== null,
    isDenied: (name) => denylist.has(name),
    admit(tool) {
      if (tool.name === EXEMPT_FROM_ALLOWLIST && tool.source === 'built-in') return 'exempt';
      if (allowlist !== null) return allowlist.has(tool.name) ? 'named' : null;
      return tool.allowedByDefault && tool.source === 'built-in' ? 'default' : null;
    },
    isSelectable: (tool) =>
      tool.group === null ||
      (tool.selectableByDefault && tool.source === 'built-in') ||
      selectable.has(tool.name),
    isOperatorOnly: (name) => operatorOnly.has(name),
  };
}

/** Whole sentences about names in the settings that no installed tool has, which have no effect. */
export function listUnknownNames(
  settings: PolicySettings,
  installed: ReadonlySet<string>,
): readonly string[] {
  const lists = {
    TOOLS_ALLOWLIST: settings.toolsAllowlist ?? [],
    TOOLS_DENYLIST: settings.toolsDenylist,
    CUSTOM_TOOL_NAMES: settings.customToolNames,
  };
  return Object.entries(lists).flatMap(([setting, names]) =>
    [...new Set(names)]
      .filter((name) => !installed.has(name))
      .map((name) => `${setting} names ${name}, but no installed tool is called that.`),
  );
}
