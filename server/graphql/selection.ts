import { Kind, type GraphQLResolveInfo, type SelectionSetNode } from 'graphql';

/** Whether the field that is resolved has one of these fields selected, through fragments too. */
export function selectsAny(info: GraphQLResolveInfo, names: readonly string[]): boolean {
  const visit = (set: SelectionSetNode): boolean =>
    set.selections.some((selection) => {
      if (selection.kind === Kind.FIELD) return names.includes(selection.name.value);
      if (selection.kind === Kind.INLINE_FRAGMENT) return visit(selection.selectionSet);
      const fragment = info.fragments[selection.name.value];
      return fragment !== undefined && visit(fragment.selectionSet);
    });
  return info.fieldNodes.some(
    ({ selectionSet }) => selectionSet !== undefined && visit(selectionSet),
  );
}
