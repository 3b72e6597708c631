import type { ModelTool } from '../models/model.ts';
import type { ToolDescriptor } from '../tools/kit/tool-descriptor.ts';
import { judgeGates, passesRegistration, type GateRules, type GateSubject } from './gates.ts';
import { collectGroups } from './groups.ts';
import type { Inventory } from './inventory.ts';
import type { ModelSchemas } from './model-schemas.ts';
import type { RegistryEntry, ToolRegistry } from './registry.ts';

export interface RegistryViewsDependencies {
  readonly inventory: Inventory;
  readonly rules: GateRules;
  readonly schemas: ModelSchemas;
}

export type RegistryViews = Omit<ToolRegistry, 'recheck' | 'onChange' | 'close'>;

/** Offered beside the active tools, and no answer to what is active. */
const ACTIVATION_TOOL = 'request_tool_activation';

/** What can be asked of an inventory; all of it goes through the same gates. */
export function createRegistryViews(dependencies: RegistryViewsDependencies): RegistryViews {
  const { inventory, rules, schemas } = dependencies;
  const isRegistered = (subject: GateSubject): boolean => passesRegistration(subject, rules);
  const toEntry = (subject: GateSubject): RegistryEntry => {
    const { name, descriptor, broken } = subject;
    return { name, descriptor, broken, isRegistered: isRegistered(subject) };
  };
  const descriptorsOf = (subjects: readonly GateSubject[]): readonly ToolDescriptor[] =>
    subjects.flatMap(({ descriptor }) => descriptor ?? []);
  const find = (name: string): ToolDescriptor | null => inventory.find(name)?.descriptor ?? null;
  const toModelTool: ToolRegistry['modelTool'] = (tool: ModelTool, protocol) =>
    schemas.make(tool, protocol);

  return {
    list: () => inventory.subjects().map(toEntry),
    find(name) {
      const subject = inventory.find(name);
      return subject === null ? null : toEntry(subject);
    },
    groups: () => collectGroups(descriptorsOf(inventory.subjects().filter(isRegistered))),
    report(name, view) {
      const subject = inventory.find(name);
      return subject === null ? null : judgeGates(subject, view, rules);
    },
    activeNames: (view) =>
      inventory
        .subjects()
        .filter((subject) => judgeGates(subject, view, rules).isActive)
        .map(({ name }) => name)
        .filter((name) => name !== ACTIVATION_TOOL),
    inactiveGroups(view) {
      const waiting = inventory
        .subjects()
        .filter((subject) => judgeGates(subject, view, rules).stoppedBy === 'chat');
      return collectGroups(descriptorsOf(waiting));
    },
    modelTools: (names, protocol) =>
      names.flatMap((name) => {
        const tool = find(name);
        return tool === null ? [] : [toModelTool(tool, protocol)];
      }),
    modelTool: toModelTool,
    baseSchema: (name) => find(name)?.parameters ?? null,
  };
}
