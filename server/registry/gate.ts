import type { ModelProtocol } from '../models/model.ts';

/** The gates between an installed tool and a call of it, in the order in which they are judged. */
export const GATE_NAMES = [
  'installed',
  'denylist',
  'allowlist',
  'selectable',
  'availability',
  'schema',
  'role',
  'chat',
] as const;

export type GateName = (typeof GATE_NAMES)[number];

export type GateOutcome = 'PASS' | 'FAIL' | 'DEFERRED' | 'NOT_REACHED';

export interface Gate {
  readonly name: GateName;
  readonly outcome: GateOutcome;
  /** A whole sentence; empty for a gate that was not reached. */
  readonly reason: string;
  /** What would change a gate that stops the tool, as a whole sentence; null elsewhere. */
  readonly fix: string | null;
  readonly checkedAt: Date | null;
}

/** All gates of one tool, for one viewer, in one chat. */
export interface GateReport {
  readonly toolName: string;
  readonly gates: readonly Gate[];
  /** Every gate passes or is deferred: the tool's schema is sent and its calls run. */
  readonly isActive: boolean;
  /** The first gate that fails; null when none does. */
  readonly stoppedBy: GateName | null;
}

/** For whom and where the gates are judged. */
export interface GateView {
  readonly role: 'USER' | 'OPERATOR';
  /** Protocol of the chat's model, or of the default model. */
  readonly protocol: ModelProtocol;
  /** The groups that are on in the chat; null without a chat. */
  readonly activeGroups: ReadonlySet<string> | null;
}
