import * as m from '#lib/paraglide/messages.js';

const LABELS: Readonly<Record<string, () => string>> = {
  INSTALLED: m.gate_installed,
  DENYLIST: m.gate_denylist,
  ALLOWLIST: m.gate_allowlist,
  SELECTABLE: m.gate_selectable,
  AVAILABILITY: m.gate_availability,
  SCHEMA: m.gate_schema,
  ROLE: m.gate_role,
  CHAT: m.gate_chat,
};

/** What people call a gate. */
export const gateLabel = (name: string): string => LABELS[name]?.() ?? name.toLowerCase();
