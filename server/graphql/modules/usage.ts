import type { Usage } from '../../events/chat-event.ts';
import { builder } from '../builder.ts';

export const UsageType = builder.objectRef<Usage>('Usage').implement({
  description: 'Tokens; null where the provider did not say.',
  fields: (t) => ({
    inputTokens: t.exposeInt('inputTokens', {
      nullable: true,
      description: 'Read by the model, cached ones included.',
    }),
    outputTokens: t.exposeInt('outputTokens', {
      nullable: true,
      description: 'Written by the model, reasoning included.',
    }),
    cachedTokens: t.exposeInt('cachedTokens', {
      nullable: true,
      description: 'Input tokens that came from the cache.',
    }),
    reasoningTokens: t.exposeInt('reasoningTokens', {
      nullable: true,
      description: 'Output tokens spent on reasoning.',
    }),
  }),
});
