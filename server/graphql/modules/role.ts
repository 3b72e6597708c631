import { builder } from '../builder.ts';

export const Role = builder.enumType('Role', {
  description: 'What somebody may do.',
  values: {
    USER: { description: 'Chats and uses tools.' },
    OPERATOR: { description: 'Runs the instance: sees and steers all tools, invites people.' },
  } as const,
});
