import type { ModelProtocol } from '../models/model.ts';
import type { ToolDescriptor } from '../tools/kit/tool-descriptor.ts';
import type { Availability } from './availability.ts';
import {
  GATE_NAMES,
  type Gate,
  type GateName,
  type GateOutcome,
  type GateReport,
  type GateView,
} from './gate.ts';
import type { InstalledTool } from './installed-tools.ts';
import type { ToolPolicy } from './policy.ts';

/** A tool with all that was found out about it. */
export interface GateSubject extends InstalledTool {
  readonly loadedAt: Date;
  readonly availability: Availability;
}

export interface GateRules {
  readonly policy: ToolPolicy;
  /** When the settings were read. */
  readonly policyReadAt: Date;
  /** Why the protocol cannot take the tool, as a whole sentence; null when it can. */
  refuseSchema(tool: ToolDescriptor, protocol: ModelProtocol): string | null;
  now(): Date;
}

interface Verdict {
  readonly outcome: GateOutcome;
  readonly reason: string;
  readonly fix?: string;
  readonly checkedAt: Date;
}

interface Question {
  readonly tool: ToolDescriptor;
  readonly subject: GateSubject;
  readonly view: GateView;
  readonly rules: GateRules;
}

/**
 * All gates of one tool in one view, in their order. After the first that fails, the rest is not
 * reached. This is the only answer to whether a tool may be used.
 */
export function judgeGates(subject: GateSubject, view: GateView, rules: GateRules): GateReport {
  const gates: Gate[] = [];
  let stoppedBy: GateName | null = null;
  for (const name of GATE_NAMES) {
    if (stoppedBy !== null) {
      gates.push(notReached(name));
      continue;
    }
    const verdict = judge(name, subject, { view, rules });
    if (verdict === null) {
      gates.push(notReached(name));
      continue;
    }
    const { outcome, reason, checkedAt, fix = null } = verdict;
    gates.push({ name, outcome, reason, fix, checkedAt });
    if (outcome === 'FAIL') stoppedBy = name;
  }
  return { toolName: subject.name, gates, isActive: stoppedBy === null, stoppedBy };
}

/** The gates up to `availability` let the tool pass; they are the same in every view. */
export const passesRegistration = (subject: GateSubject, rules: GateRules): boolean =>
  passesUpTo('availability', subject, rules);

/** The settings admit the tool: it is worth asking whether it is available. */
export const passesPolicy = (subject: GateSubject, rules: GateRules): boolean =>
  passesUpTo('selectable', subject, rules);

function passesUpTo(last: GateName, subject: GateSubject, rules: GateRules): boolean {
  const view: GateView = { role: 'OPERATOR', protocol: 'direct', activeGroups: null };
  const { stoppedBy } = judgeGates(subject, view, rules);
  if (stoppedBy === null) return true;
  return GATE_NAMES.indexOf(stoppedBy) > GATE_NAMES.indexOf(last);
}

function judge(
  name: GateName,
  subject: GateSubject,
  { view, rules }: Pick<Question, 'view' | 'rules'>,
): Verdict | null {
  const { descriptor: tool } = subject;
  if (tool === null) return judgeBroken(subject);
  return JUDGES[name]({ tool, subject, view, rules });
}

const notReached = (name: GateName): Gate => ({
  name,
  outcome: 'NOT_REACHED',
  reason: '',
  fix: null,
  checkedAt: null,
});

const judgeBroken = ({ file, broken, loadedAt }: GateSubject): Verdict => ({
  outcome: 'FAIL',
  reason: broken?.reason ?? `${file} cannot be loaded.`,
  fix: `Repair ${file} and check it again.`,
  checkedAt: loadedAt,
});

/** Null: this view does not reach the gate. */
const JUDGES: Readonly<Record<GateName, (question: Question) => Verdict | null>> = {
  installed: ({ tool, subject }) => ({
    outcome: 'PASS',
    reason: `${tool.name} was loaded from ${subject.file}.`,
    checkedAt: subject.loadedAt,
  }),

  denylist: ({ tool: { name }, rules }) => {
    const checkedAt = rules.policyReadAt;
    if (!rules.policy.isDenied(name)) {
      return { outcome: 'PASS', reason: `TOOLS_DENYLIST does not name ${name}.`, checkedAt };
    }
    const fix = `Remove ${name} from TOOLS_DENYLIST and restart.`;
    return { outcome: 'FAIL', reason: `TOOLS_DENYLIST names ${name}.`, fix, checkedAt };
  },

  allowlist: ({ tool, rules: { policy, policyReadAt: checkedAt } }) => {
    const { name } = tool;
    const pass = (reason: string): Verdict => ({ outcome: 'PASS', reason, checkedAt });
    switch (policy.admit(tool)) {
      case 'exempt':
        return pass(`${name} needs no place in the allowlist.`);
      case 'named':
        return pass(`TOOLS_ALLOWLIST names ${name}.`);
      case 'default':
        return pass(`${name} is in the default allowlist.`);
      case null:
        return { outcome: 'FAIL', ...describeMissing(name, policy), checkedAt };
    }
  },

  selectable: ({ tool, rules: { policy, policyReadAt: checkedAt } }) => {
    const { name, group } = tool;
    if (policy.isSelectable(tool)) {
      const reason =
        group === null
          ? `${name} is a core tool and needs no selection.`
          : `People may select ${name} with the group ${group}.`;
      return { outcome: 'PASS', reason, checkedAt };
    }
    return {
      outcome: 'FAIL',
      reason: `People may select ${name} only when CUSTOM_TOOL_NAMES names it.`,
      fix: `Add ${name} to CUSTOM_TOOL_NAMES and restart.`,
      checkedAt,
    };
  },

  availability: ({ tool, subject }) => judgeAvailability(tool, subject),

  schema: ({ tool, subject, view, rules }) => {
    const checkedAt = rules.now();
    const refusal = rules.refuseSchema(tool, view.protocol);
    if (refusal === null) {
      return {
        outcome: 'PASS',
        reason: 'The model accepts the name and the parameters.',
        checkedAt,
      };
    }
    const fix = `Change the declaration in ${subject.file}, or choose a model of another provider.`;
    return { outcome: 'FAIL', reason: refusal, fix, checkedAt };
  },

  role: ({ tool: { name }, view, rules }) => {
    const checkedAt = rules.now();
    if (!rules.policy.isOperatorOnly(name)) {
      return { outcome: 'PASS', reason: `Everybody may use ${name}.`, checkedAt };
    }
    const reason = `Only operators may use ${name}.`;
    if (view.role === 'OPERATOR') return { outcome: 'PASS', reason, checkedAt };
    const fix = `Remove ${name} from TOOLS_OPERATOR_ONLY and restart.`;
    return { outcome: 'FAIL', reason, fix, checkedAt };
  },

  chat: ({ tool: { name, group }, view, rules }) => {
    if (view.activeGroups === null) return null;
    const checkedAt = rules.now();
    if (group === null) {
      return {
        outcome: 'PASS',
        reason: `${name} is a core tool, active in every chat.`,
        checkedAt,
      };
    }
    if (view.activeGroups.has(group)) {
      return { outcome: 'PASS', reason: `The group ${group} is active in this chat.`, checkedAt };
    }
    const reason = `The group ${group} is not active in this chat.`;
    return { outcome: 'FAIL', reason, fix: `Activate the group ${group} in this chat.`, checkedAt };
  },
};

function describeMissing(
  name: string,
  policy: ToolPolicy,
): Pick<Verdict, 'reason'> & { fix: string } {
  if (policy.hasOwnAllowlist) {
    return {
      reason: `TOOLS_ALLOWLIST does not name ${name}.`,
      fix: `Add ${name} to TOOLS_ALLOWLIST and restart.`,
    };
  }
  return {
    reason: `${name} is not in the default allowlist.`,
    fix: `Add ${name} to TOOLS_ALLOWLIST and restart; once set, that list replaces the default one.`,
  };
}

function judgeAvailability(
  tool: ToolDescriptor,
  { availability, loadedAt, file }: GateSubject,
): Verdict {
  const { name } = tool;
  switch (availability.kind) {
    case 'none':
      return { outcome: 'PASS', reason: `${name} needs no set-up.`, checkedAt: loadedAt };
    case 'deferred':
      return {
        outcome: 'DEFERRED',
        reason: `${name} checks what it needs when it is called.`,
        checkedAt: loadedAt,
      };
    case 'unchecked':
      return {
        outcome: 'DEFERRED',
        reason: `${name} has not been checked yet.`,
        checkedAt: loadedAt,
      };
    case 'available':
      return {
        outcome: 'PASS',
        reason: `${name} has what it needs.`,
        checkedAt: availability.checkedAt,
      };
    case 'failed':
      return {
        outcome: 'DEFERRED',
        reason: `${name} could not be checked, and is offered all the same: ${availability.reason}`,
        checkedAt: availability.checkedAt,
      };
    case 'unavailable':
      return {
        outcome: 'FAIL',
        reason: availability.reason ?? `${name} lacks something that it needs.`,
        fix: tool.availabilityFix ?? `Set up what ${file} asks for and check the tool again.`,
        checkedAt: availability.checkedAt,
      };
  }
}
