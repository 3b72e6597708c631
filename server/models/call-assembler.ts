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

export interface CallAssembler {
  push(fragments: readonly CallFragment[]): void;
  readonly calls: readonly AssembledCall[];
}

/**
 * Puts tool calls together from their fragments, however a server numbers them: by index, a new one
 * when the id under an index changes, by id where there is no index, else the last one.
 */
export function createCallAssembler(): CallAssembler {
  const calls: AssembledCall[] = [];
  const byIndex = new Map<number, AssembledCall>();
  let last: AssembledCall | null = null;

  function find({ index, id }: CallFragment): AssembledCall | null {
    if (index != null) {
      const known = byIndex.get(index) ?? null;
      const isAnother = known !== null && Boolean(id) && known.id !== '' && id !== known.id;
      return isAnother ? null : known;
    }
    if (id) return calls.find((call) => call.id === id) ?? null;
    return last;
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
