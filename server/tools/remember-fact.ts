import { defineTool } from './kit/define-tool.ts';
import { object, text } from './kit/parameters.ts';
import { failed, noop, ok } from './kit/tool-result.ts';

const MAX_CHARACTERS = 2_000;

export const rememberFact = defineTool({
  name: 'remember_fact',
  description:
    'Keep one lasting fact about the user for later chats: a preference, their hardware, a long-term goal. Only when the user asks to remember something new; facts kept so far are already in user_context and need no call.',
  allowedByDefault: true,
  needs: ['facts'],
  systemHints: {
    '*': 'Kept facts are shown in user_context from the next message on. Do not call this tool to check or repeat them.',
  },
  parameters: object({
    fact: text({
      description:
        "One fact in the third person, understandable by itself: 'User prefers TypeScript'.",
    }),
  }),

  async execute(input, { facts }) {
    const text = input.fact.trim();
    if (text === '') return failed('INVALID_ARGUMENTS', 'fact is empty; it must say something.');
    if (text.length > MAX_CHARACTERS) {
      return failed(
        'INVALID_ARGUMENTS',
        `fact has ${text.length} characters, but may have at most ${MAX_CHARACTERS}. Keep the gist of it.`,
      );
    }
    const { fact, isNew } = await facts.remember(text);
    return isNew
      ? ok({ action: 'remembered', fact: fact.text })
      : noop(`This fact is kept already: "${fact.text}".`);
  },
});
