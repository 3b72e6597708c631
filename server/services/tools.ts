import type { Database } from '../db/client.ts';
import { AppError } from '../errors.ts';
import type { ModelCatalogue, ModelProtocol } from '../models/model.ts';
import type { GateView } from '../registry/gate.ts';
import type { RegistryEntry, ToolRegistry } from '../registry/registry.ts';
import { switchOn, tellGroups, type Activations } from './activations.ts';
import type { EventWriter } from './event-writer.ts';
import { getOwnedChat } from './owned-chat.ts';
import type { ToolService, ToolView } from './services.ts';
import type { Viewer } from './viewer.ts';

export interface ToolServiceDependencies {
  readonly database: Database;
  readonly events: EventWriter;
  readonly registry: ToolRegistry;
  readonly catalogue: ModelCatalogue;
  readonly activations: Activations;
  /** Told after a question was answered by switching its group on. */
  onAnswer(turnId: string): void;
}

const toView = (entry: RegistryEntry): ToolView => ({
  entry,
  description: entry.descriptor?.description ?? entry.broken?.reason ?? '',
  parameters: entry.descriptor?.parameters ?? { type: 'object', properties: {} },
});

export function createToolService(dependencies: ToolServiceDependencies): ToolService {
  const { database, events, registry, catalogue, activations } = dependencies;

  const protocolOf = (modelId: string): ModelProtocol =>
    catalogue.find(modelId)?.protocol ?? 'direct';

  async function view(viewer: Viewer, chatId: string | null): Promise<GateView> {
    if (chatId === null) {
      const protocol = protocolOf(catalogue.defaultModelId());
      return { role: viewer.role, protocol, activeGroups: null };
    }
    const chat = await getOwnedChat(database.client, viewer, chatId);
    const active = await database.client.toolActivation.findMany({ where: { chatId } });
    return {
      role: viewer.role,
      protocol: protocolOf(chat.modelId),
      activeGroups: new Set(active.map(({ group }) => group)),
    };
  }

  function checkGroup(group: string): void {
    const groups = registry.groups().map(({ name }) => name);
    if (groups.includes(group)) return;
    throw new AppError(
      'BAD_INPUT',
      `No group is called "${group.slice(0, 100)}"; there are ${groups.join(', ') || 'none'}.`,
    );
  }

  return {
    list: () => registry.list().map(toView),
    find(_viewer, name) {
      const entry = registry.find(name);
      return entry === null ? null : toView(entry);
    },
    groups: () => registry.groups(),
    view,
    report: (name, gateView) => registry.report(name, gateView),

    modelSchema(viewer, name, modelId) {
      const protocol = protocolOf(modelId ?? catalogue.defaultModelId());
      const report = registry.report(name, { role: viewer.role, protocol, activeGroups: null });
      if (report === null || !report.isActive) return null;
      return registry.modelTools([name], protocol)[0] ?? null;
    },

    async activateGroup(viewer, chatId, group) {
      checkGroup(group);
      const turnId = await events.transact(async (transaction, collected) => {
        await getOwnedChat(transaction, viewer, chatId);
        const asked = await activations.resolveByHand(transaction, collected, { chatId, group });
        if (asked === null) await switchOn(transaction, collected, { chatId, group });
        return asked;
      });
      if (turnId !== null) dependencies.onAnswer(turnId);
      return registry.activeNames(await view(viewer, chatId));
    },

    async deactivateGroup(viewer, chatId, group) {
      checkGroup(group);
      await events.transact(async (transaction, collected) => {
        await getOwnedChat(transaction, viewer, chatId);
        await transaction.toolActivation.deleteMany({ where: { chatId, group } });
        await tellGroups(transaction, collected, chatId);
      });
      return registry.activeNames(await view(viewer, chatId));
    },
  };
}
