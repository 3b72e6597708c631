import type { initGraphQLTada } from 'gql.tada';
import type { introspection } from './schema-env.d.ts';

// Types alone come from gql.tada; documents are plain text in the browser.
type Tada = ReturnType<
  typeof initGraphQLTada<{
    introspection: introspection;
    disableMasking: true;
    scalars: { JSON: unknown; DateTime: string };
  }>
>;

/** Fragments bring the fragments that they use along: each definition may come once only. */
const listDefinitions = (text: string): readonly string[] =>
  text
    .split(/^(?=\s*fragment\s)/m)
    .map((definition) => definition.trim())
    .filter(Boolean);

const joinDocuments = (source: string, fragments: readonly string[] = []): string =>
  [...new Set([source, ...fragments].flatMap(listDefinitions))].join('\n');

/** Declares a document, with the fragments that it uses. */
export const graphql = joinDocuments as unknown as Tada;
export type { FragmentOf, ResultOf, TadaDocumentNode, VariablesOf } from 'gql.tada';
