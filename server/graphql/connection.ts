import type { Page } from '../services/chat-records.ts';
import { builder } from './builder.ts';

type Ref<Shape> = ReturnType<ReturnType<typeof builder.objectRef<Shape>>['implement']>;

interface Edge<Node> {
  readonly cursor: string;
  readonly node: Node;
}

interface PageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor: string | null;
  readonly endCursor: string | null;
}

const PageInfoType = builder.objectRef<PageInfo>('PageInfo').implement({
  description: 'Where a page stands in its list.',
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage', { description: 'More follows after `endCursor`.' }),
    hasPreviousPage: t.exposeBoolean('hasPreviousPage', {
      description: 'The page was asked for with `after`.',
    }),
    startCursor: t.exposeString('startCursor', {
      nullable: true,
      description: 'Cursor of the first edge.',
    }),
    endCursor: t.exposeString('endCursor', {
      nullable: true,
      description: 'Cursor of the last edge; give it as `after` for the next page.',
    }),
  }),
});

/** A page, and the cursor that it was asked for with. */
export interface Connection<Node> extends Page<Node> {
  readonly after: string | null;
}

/** Declares `<Name>Edge` for nodes that are shown as they are. */
export const edgeOf = <Node>(name: string, node: Ref<Node>) =>
  builder.objectRef<Edge<Node>>(`${name}Edge`).implement({
    description: `One ${name} in a list.`,
    fields: (t) => ({
      cursor: t.exposeString('cursor', { description: 'The place of this edge in the list.' }),
      node: t.field({
        type: node,
        description: 'The entry itself.',
        resolve: (edge) => edge.node as never,
      }),
    }),
  });

/** Declares `<Name>Connection` over a list that is paged by key. */
export const connectionOf = <Node>(name: string, edge: Ref<Edge<Node>>) =>
  builder.objectRef<Connection<Node>>(`${name}Connection`).implement({
    description: `A page of a list of ${name}.`,
    fields: (t) => ({
      edges: t.field({
        type: [edge],
        description: 'The entries of the page.',
        resolve: (page) => [...page.edges] as never,
      }),
      pageInfo: t.field({
        type: PageInfoType,
        description: 'Where the page stands.',
        resolve: (page) => ({
          hasNextPage: page.hasNextPage,
          hasPreviousPage: page.after !== null,
          startCursor: page.edges[0]?.cursor ?? null,
          endCursor: page.edges.at(-1)?.cursor ?? null,
        }),
      }),
    }),
  });
