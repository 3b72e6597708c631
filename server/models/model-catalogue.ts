import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { directAdapter } from './direct.ts';
import type { ModelCatalogue, ModelInfo } from './model.ts';
import { fetchModelList, type ModelList } from './model-list.ts';
import { listSources, type ModelSource } from './model-sources.ts';

export interface ModelCatalogueDependencies {
  readonly config: Config;
  readonly log: Log;
}

const DIRECT: ModelInfo = {
  id: 'direct',
  label: 'Direct: call tools by hand',
  provider: 'Signalbox',
  protocol: 'direct',
  family: 'direct',
  model: 'direct',
  unavailableReason: null,
};

/** All models of the configuration; lists are empty until the first `refresh`, MODELS apart. */
export function createModelCatalogue({ config, log }: ModelCatalogueDependencies): ModelCatalogue {
  const sources = listSources(config);
  const lists = new Map<string, ModelList>();
  let models = arrange();

  function arrange(): readonly ModelInfo[] {
    const found = sources.flatMap((source) => modelsOf(source, lists.get(source.id)));
    if (config.models === null) return [...found, DIRECT];
    const wished = config.models.filter((id) => id !== DIRECT.id).map((id) => wish(id, found));
    return [...wished, DIRECT];
  }

  /** A model that MODELS names exists whether or not a list has it. */
  function wish(id: string, found: readonly ModelInfo[]): ModelInfo {
    const known = found.find((model) => model.id === id);
    if (known !== undefined) return known;
    const [sourceId = '', ...rest] = id.split('/');
    const source = sources.find((candidate) => candidate.id === sourceId);
    if (source !== undefined) {
      return toModel(source, rest.join('/'), lists.get(source.id)?.problem ?? null);
    }
    const reason = `MODELS names ${id}, but no provider called "${sourceId}" is set up.`;
    return {
      ...DIRECT,
      id,
      label: id,
      provider: sourceId,
      model: rest.join('/'),
      unavailableReason: reason,
    };
  }

  const find = (modelId: string): ModelInfo | null =>
    models.find(({ id }) => id === modelId) ?? null;

  return {
    list: () => models,
    find,
    defaultModelId: () =>
      (config.models === null ? undefined : models[0]?.id) ??
      models.find(({ unavailableReason }) => unavailableReason === null)?.id ??
      DIRECT.id,

    adapter(modelId) {
      if (modelId === DIRECT.id) return directAdapter;
      const source = sources.find(({ id }) => modelId.startsWith(`${id}/`));
      if (source !== undefined) return source.adapter;
      throw new AppError(
        'UNAVAILABLE',
        `The model ${modelId.slice(0, 100)} is not set up any more; choose another one.`,
      );
    },

    async refresh() {
      await Promise.all(
        sources.map(async (source) => {
          const list = await fetchModelList(source);
          lists.set(source.id, list);
          if (list.problem !== null && !source.isLocal) {
            log.warn(
              { provider: source.id, problem: list.problem },
              'A model list could not be read.',
            );
          }
        }),
      );
      models = arrange();
    },
  };
}

const toModel = (source: ModelSource, model: string, reason: string | null): ModelInfo => ({
  id: `${source.id}/${model}`,
  label: model,
  provider: source.label,
  protocol: source.protocol,
  family: source.adapter.family,
  model,
  unavailableReason: reason,
});

function modelsOf(source: ModelSource, list: ModelList | undefined): readonly ModelInfo[] {
  if (list === undefined) return [];
  if (list.names !== null) return list.names.map((name) => toModel(source, name, null));
  return source.isLocal ? [] : [toModel(source, 'default', list.problem)];
}
