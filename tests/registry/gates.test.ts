import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GATE_NAMES, type GateName } from '../../server/registry/gate.ts';
import { START, startRegistry, view, waitUntil, type TestRegistry } from './support.ts';

let registry: TestRegistry;

beforeAll(async () => {
  registry = await startRegistry();
  await waitUntil(() => gate('hanging_check', 'availability').reason.includes('300 ms'));
});
afterAll(() => registry.close());

function gate(toolName: string, name: GateName, changes = {}) {
  const found = registry
    .report(toolName, view(changes))
    ?.gates.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`${toolName} has no gate ${name}.`);
  return found;
}

describe('the report of a tool', () => {
  test('has all gates in their order', () => {
    const report = registry.report('plain', view());

    expect(report?.gates.map(({ name }) => name)).toEqual([...GATE_NAMES]);
    expect(GATE_NAMES).toEqual([
      ...['installed', 'denylist', 'allowlist', 'selectable'],
      ...['availability', 'schema', 'role', 'chat'],
    ]);
  });

  test('ends at the first gate that fails', () => {
    const report = registry.report('unlisted', view());

    expect(report).toMatchObject({ isActive: false, stoppedBy: 'allowlist' });
    expect(report?.gates.map(({ outcome }) => outcome)).toEqual([
      ...['PASS', 'PASS', 'FAIL'],
      ...['NOT_REACHED', 'NOT_REACHED', 'NOT_REACHED', 'NOT_REACHED', 'NOT_REACHED'],
    ]);
  });

  test('has a reason and a time for each gate that was reached, and a fix for the one that fails', () => {
    for (const { name } of registry.list()) {
      for (const found of registry.report(name, view({ activeGroups: new Set() }))?.gates ?? []) {
        const isReached = found.outcome !== 'NOT_REACHED';
        expect({ toolName: name, ...found }).toMatchObject({
          reason: isReached ? (expect.stringMatching(/^.+\.$/s) as string) : '',
          checkedAt: isReached ? START : null,
          fix: found.outcome === 'FAIL' ? (expect.stringMatching(/^.+\.$/) as string) : null,
        });
      }
    }
  });

  test('is null for a name that nothing is installed under, and for a helper', () => {
    expect(registry.report('nothing', view())).toBeNull();
    expect(registry.report('helper', view())).toBeNull();
  });
});

describe('availability', () => {
  test('passes for a tool that needs nothing, and for one whose check says yes', () => {
    expect(gate('plain', 'availability').outcome).toBe('PASS');
    expect(gate('a_second_grouped', 'availability').outcome).toBe('PASS');
  });

  test('fails with the reason and the fix of the tool', () => {
    expect(gate('unavailable', 'availability')).toMatchObject({
      outcome: 'FAIL',
      reason: 'OPENROUTER_API_KEY is not set.',
      fix: 'Set OPENROUTER_API_KEY and restart.',
    });
  });

  test('fails with a sentence of its own for a tool that says nothing', () => {
    expect(gate('silently_unavailable', 'availability')).toMatchObject({
      outcome: 'FAIL',
      reason: 'silently_unavailable lacks something that it needs.',
      fix: 'Set up what silently-unavailable.ts asks for and check the tool again.',
    });
  });

  test('of a check that throws is deferred, logged, and the tool registers', () => {
    expect(gate('throwing_check', 'availability')).toMatchObject({
      outcome: 'DEFERRED',
      reason: expect.stringContaining('The certificate cannot be read.') as string,
    });
    expect(registry.logged).toContain(
      'A tool could not be checked. The certificate cannot be read.',
    );
    expect(registry.find('throwing_check')?.isRegistered).toBe(true);
  });

  test('of a check that hangs is deferred after the deadline, and the tool registers', () => {
    expect(gate('hanging_check', 'availability')).toMatchObject({
      outcome: 'DEFERRED',
      reason: expect.stringContaining('The check took more than 300 ms.') as string,
    });
    expect(registry.find('hanging_check')?.isRegistered).toBe(true);
  });

  test('is not asked of a tool that leaves the check to its calls', () => {
    expect(gate('deferred', 'availability')).toMatchObject({
      outcome: 'DEFERRED',
      reason: 'deferred checks what it needs when it is called.',
    });
    expect(registry.logged.join()).not.toContain('Nobody should ask.');
  });
});

describe('the schema', () => {
  test('is judged for the protocol of the view', () => {
    expect(gate('dotted.name', 'schema')).toMatchObject({
      outcome: 'FAIL',
      reason:
        'OpenAI Responses cannot take dotted.name: its name must have at most 64 letters, digits, _ or - and nothing else.',
      fix: 'Change the declaration in dotted-name.ts, or choose a model of another provider.',
    });
    expect(gate('dotted.name', 'schema', { protocol: 'direct' }).outcome).toBe('PASS');
  });

  test('holds back the one tool that does not fit, and no other', () => {
    expect(registry.activeNames(view())).not.toContain('dotted.name');
    expect(registry.activeNames(view())).toContain('plain');
    expect(registry.activeNames(view({ protocol: 'direct' }))).toContain('dotted.name');
  });
});

describe('the role', () => {
  test('stops people at a tool for operators', () => {
    expect(gate('bash_tool', 'role')).toMatchObject({
      outcome: 'FAIL',
      reason: 'Only operators may use bash_tool.',
    });
    expect(gate('bash_tool', 'role', { role: 'OPERATOR' }).outcome).toBe('PASS');
    expect(registry.find('bash_tool')?.isRegistered).toBe(true);
  });
});

describe('the chat', () => {
  test('is not reached without one', () => {
    expect(gate('grouped', 'chat').outcome).toBe('NOT_REACHED');
    expect(registry.report('grouped', view())?.isActive).toBe(true);
  });

  test('admits core tools, and a group only where it is active', () => {
    expect(gate('plain', 'chat', { activeGroups: new Set() }).outcome).toBe('PASS');
    expect(gate('grouped', 'chat', { activeGroups: new Set(['Letters']) }).outcome).toBe('PASS');
    expect(gate('grouped', 'chat', { activeGroups: new Set(['Patience']) })).toMatchObject({
      outcome: 'FAIL',
      reason: 'The group Letters is not active in this chat.',
      fix: 'Activate the group Letters in this chat.',
    });
  });

  test('decides which names are active and which groups could be', () => {
    const chat = view({ activeGroups: new Set(['Letters']) });

    expect(registry.activeNames(chat)).toEqual([
      ...['a_second_grouped', 'grouped', 'hanging_check', 'plain', 'throwing_check'],
    ]);
    expect(registry.inactiveGroups(chat).map(({ name }) => name)).toEqual(['Patience']);
    expect(registry.inactiveGroups(view({ activeGroups: new Set() }))).toMatchObject([
      { name: 'Letters', toolNames: ['a_second_grouped', 'grouped'] },
      { name: 'Patience', toolNames: ['deferred'] },
    ]);
  });
});
