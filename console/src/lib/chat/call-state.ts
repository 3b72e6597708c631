import * as m from '#lib/paraglide/messages.js';
import type { CallState } from './shown-call.svelte.ts';

const LAMPS: Readonly<Record<CallState, 'go' | 'wait' | 'stop' | 'off'>> = {
  QUEUED: 'wait',
  RUNNING: 'wait',
  STOPPING: 'wait',
  WAITING: 'wait',
  SUCCESS: 'go',
  NOOP: 'off',
  ERROR: 'stop',
  CANCELLED: 'off',
  INTERRUPTED: 'stop',
};

const LABELS: Readonly<Record<CallState, () => string>> = {
  QUEUED: m.call_queued,
  RUNNING: m.call_running,
  STOPPING: m.stopping,
  WAITING: m.call_waiting,
  SUCCESS: m.call_success,
  NOOP: m.call_noop,
  ERROR: m.call_error,
  CANCELLED: m.call_cancelled,
  INTERRUPTED: m.call_interrupted,
};

export const callLamp = (state: CallState) => LAMPS[state];
export const callStateLabel = (state: CallState): string => LABELS[state]();
