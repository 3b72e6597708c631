import * as m from '#lib/paraglide/messages.js';

export type Role = 'USER' | 'OPERATOR';

/** What people call a role. */
export const roleLabel = (role: Role): string =>
  role === 'OPERATOR' ? m.role_operator() : m.role_user();
