import { request } from '../api/client.ts';
import { Models } from '../api/tool-documents.ts';
import type { ResultOf } from '../api/graphql.ts';

export type ListedModel = ResultOf<typeof Models>['models'][number];

/** The models that can be chosen. */
class Catalogue {
  models = $state.raw<readonly ListedModel[]>([]);

  readonly defaultId = $derived(this.models.find(({ isDefault }) => isDefault)?.id ?? '');
  /** Nothing but the model that calls tools by hand. */
  readonly isBare = $derived(this.models.every(({ protocol }) => protocol === 'direct'));

  async load(): Promise<void> {
    this.models = (await request(Models, {})).models;
  }
}

export const catalogue = new Catalogue();
