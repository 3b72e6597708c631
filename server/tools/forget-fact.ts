import { defineTool } from './kit/define-tool.ts';
import { object, text } from './kit/parameters.ts';
import { failed, noop, ok } from './kit/tool-result.ts';
import type { HostFact } from './kit/tool-host.ts';

const MAX_CANDIDATES = 20;

export const forgetFact = defineTool({
  name: 'forget_fact',
  description:
    'Remove one kept fact about the user, found by a part of its words. Only when the user asks to forget something. If several facts match, none is removed and they are listed, so that the user can say which one.',
  allowedByDefault: true,
  needs: ['facts'],
  parameters: object({
    match: text({
      description:
        'Words that occur in the fact, without regard to case; enough of them that only one fact fits.',
    }),
  }),

  async execute(input, { facts }) {
    const match = input.match.trim();
    if (match === '') {
      return failed('INVALID_ARGUMENTS', 'match is empty; it must hold words of the fact.');
    }
    const found = await facts.find(match);
    const fact = found.length === 1 ? found[0] : findWhole(found, match);
    if (fact !== undefined) {
      await facts.forget(fact.id);
      return ok({ action: 'forgotten', fact: fact.text });
    }
    if (found.length === 0) return noop(`No kept fact contains "${match}".`);
    return noop(`${found.length} facts contain "${match}", and none was removed.`, {
      data: {
        action: 'ambiguous',
        candidates: found.slice(0, MAX_CANDIDATES).map(({ text }) => text),
        candidate_count: found.length,
      },
      systemHint:
        'Ask the user which of the candidates to remove, then call again with all words of that one.',
    });
  },
});

/** The one fact that consists of the words and nothing else, among others that merely contain them. */
function findWhole(facts: readonly HostFact[], match: string): HostFact | undefined {
  const whole = facts.filter(({ text }) => text.trim().toLowerCase() === match.toLowerCase());
  return whole.length === 1 ? whole[0] : undefined;
}
