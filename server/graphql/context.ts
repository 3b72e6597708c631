import { unauthenticated } from '../errors.ts';
import type { GateView } from '../registry/gate.ts';
import type { Services, ToolStatistics } from '../services/services.ts';
import type { Viewer } from '../services/viewer.ts';

/** What every resolver is given. */
export interface GraphQLContext {
  readonly viewer: Viewer | null;
  readonly services: Services;
  readonly lookups: Lookups;
}

/** Answers that several fields of one request need; each is asked for once. */
export interface Lookups {
  gateView(viewer: Viewer, chatId: string | null): Promise<GateView>;
  toolStatistics(viewer: Viewer): Promise<ReadonlyMap<string, ToolStatistics>>;
}

export function createContext(viewer: Viewer | null, services: Services): GraphQLContext {
  const views = new Map<string | null, Promise<GateView>>();
  let statistics: Promise<ReadonlyMap<string, ToolStatistics>> | null = null;
  return {
    viewer,
    services,
    lookups: {
      gateView(asker, chatId) {
        const known = views.get(chatId);
        if (known !== undefined) return known;
        const view = services.tools.view(asker, chatId);
        views.set(chatId, view);
        return view;
      },
      toolStatistics: (asker) => (statistics ??= services.operator.statistics(asker)),
    },
  };
}

/** @throws AppError `UNAUTHENTICATED` for a request of nobody. */
export function requireViewer({ viewer }: GraphQLContext): Viewer {
  if (viewer !== null) return viewer;
  throw unauthenticated();
}
