import type { ModelProtocol, ModelTool } from '../models/model.ts';
import type { GateView } from '../registry/gate.ts';
import type { ToolRegistry } from '../registry/registry.ts';
import { activationParameters, requestToolActivation } from '../tools/request-tool-activation.ts';

export interface ActiveTools {
  readonly names: ReadonlySet<string>;
  readonly schemas: readonly ModelTool[];
}

/** What one step offers the model: the active tools, and the question for more while there is more. */
export function selectActiveTools(
  registry: ToolRegistry,
  view: GateView,
  protocol: ModelProtocol,
): ActiveTools {
  const names = registry.activeNames(view);
  const schemas = [...registry.modelTools(names, protocol)];
  const question = activationTool(registry, view);
  if (question !== null) schemas.push(registry.modelTool(question, protocol));
  return { names: new Set(schemas.map(({ name }) => name)), schemas };
}

function activationTool(registry: ToolRegistry, view: GateView): ModelTool | null {
  const report = registry.report(requestToolActivation.name, view);
  const groups = registry.inactiveGroups(view).map(({ name }) => name);
  if (report === null || !report.isActive || groups.length === 0) return null;
  return {
    name: requestToolActivation.name,
    description: requestToolActivation.description,
    parameters: activationParameters(groups),
  };
}
