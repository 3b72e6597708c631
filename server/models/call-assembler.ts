import { isArgumentsJson } from './history-form.ts';

/** A fragment of a tool call as Chat Completions streams it; compatible servers leave parts out. */
export interface CallFragment {
  readonly index?: number | null;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: string | null } | null;
  /** Gemini's signature lies here, and is wanted back. */
  readonly extra_content?: unknown;
}

export interface AssembledCall {
  id: string;
  name: string;
  argumentsText: string;
  extra: unknown;
}

function beginsAnother({ id, function: piece }: CallFragment, call: AssembledCall): boolean {
  if (id && call.id !== '') return id !== call.id;
  return Boolean(piece?.name) && isArgumentsJson(call.argumentsText);
}

export interface CallAssembler {
  push(fragments: readonly CallFragment[]): void;
  readonly calls: readonly AssembledCall[];
}

/**
 * Puts tool calls together from their fragments, however a server numbers them: by index, a new one
 * when the id under an index changes, by id where there is no index, else the last one until it is
 * whole and a name comes again.
 */
export function createCallAssembler(): CallAssembler {
  const calls: AssembledCall[] = [];
  const byIndex = new Map<number, AssembledCall>();
  let last: AssembledCall | null = null;

  function find(fragment: CallFragment): AssembledCall | null {
    const { index, id } = fragment;
    if (index == null && id) return calls.find((call) => call.id === id) ?? null;
    const known = index == null ? last : (byIndex.get(index) ?? null);
    return known === null || beginsAnother(fragment, known) ? null : known;
  }

  return {
    calls,
    push(fragments) {
      for (const fragment of fragments) {
        let call = find(fragment);
        if (call === null) {
          call = { id: '', name: '', argumentsText: '', extra: undefined };
          calls.push(call);
        }
        if (fragment.index != null) byIndex.set(fragment.index, call);
        last = call;
        if (call.id === '') call.id = fragment.id ?? '';
        if (call.name === '') call.name = fragment.function?.name ?? '';
        call.argumentsText += fragment.function?.arguments ?? '';
        call.extra ??= fragment.extra_content;
      }
    },
  };
}
