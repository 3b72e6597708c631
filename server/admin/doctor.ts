import type { ToolRegistry } from '../registry/registry.ts';
import type { AdminContext, AdminOutcome } from './commands.ts';
import { examinePython } from './examine-python.ts';
import type { Finding } from './finding.ts';

const MARKS = { ok: 'ok     ', note: 'note   ', problem: 'PROBLEM' } as const;

/** Looks at everything that has to work, and says of the rest what to do. */
export async function examine(context: AdminContext): Promise<AdminOutcome> {
  const findings = [
    await examineDatabase(context),
    ...(await examineBackups(context)),
    await examineAccounts(context),
    ...(await examineModels(context)),
    ...(await examinePython(context.config)),
    ...examineTools(await context.openRegistry(), context),
  ];
  const problems = findings.filter(({ mark }) => mark === 'problem').length;
  const lines = findings.map(({ mark, text }) => `${MARKS[mark]}  ${text}`);
  const summary = problems === 0 ? 'Everything that is needed works.' : `${problems} to mend.`;
  return { text: [...lines, '', summary].join('\n'), code: problems === 0 ? 0 : 1 };
}

async function examineDatabase({ database, config }: AdminContext): Promise<Finding> {
  const [row] = await database.query<{ bytes: bigint }>(
    'SELECT pg_database_size(current_database()) AS bytes',
  );
  const size = `${Math.ceil(Number(row?.bytes ?? 0) / 1_048_576)} MB`;
  return {
    mark: 'ok',
    text: database.isEmbedded
      ? `The embedded database in ${config.dataDir} answers (${size}).`
      : `The PostgreSQL server of DATABASE_URL answers (${size}).`,
  };
}

/** A night may be missed; two mean that something is wrong. */
const BACKUP_MAX_AGE_MS = 50 * 3_600_000;

async function examineBackups({ database }: AdminContext): Promise<readonly Finding[]> {
  if (!database.isEmbedded) return [];
  const newest = (await database.listBackups()).at(-1);
  if (newest === undefined) {
    return [{ mark: 'note', text: 'There is no backup yet; the first is made within the hour.' }];
  }
  const text = `The newest backup is of ${newest.toISOString()}.`;
  if (Date.now() - newest.getTime() < BACKUP_MAX_AGE_MS) return [{ mark: 'ok', text }];
  const advice = 'One is due every night: look for "backed up" in the log, or run `backup`.';
  return [{ mark: 'problem', text: `${text} ${advice}` }];
}

async function examineAccounts({ accounts }: AdminContext): Promise<Finding> {
  if (await accounts.hasOperator()) return { mark: 'ok', text: 'There is an operator.' };
  return {
    mark: 'note',
    text: 'There is no operator yet: open the link that `npm start` prints, or use create-user --role operator.',
  };
}

async function examineModels({ catalogue }: AdminContext): Promise<readonly Finding[]> {
  await catalogue.refresh();
  const models = catalogue.list().filter(({ protocol }) => protocol !== 'direct');
  if (models.length === 0) {
    return [
      {
        mark: 'note',
        text: 'No model but direct: set OPENAI_API_KEY, ANTHROPIC_API_KEY or OPENROUTER_API_KEY, set OPENAI_BASE_URL, or start a local server.',
      },
    ];
  }
  return models.map(({ id, unavailableReason }) =>
    unavailableReason === null
      ? { mark: 'ok', text: `${id} can be used.` }
      : { mark: 'problem', text: `${id}: ${unavailableReason}` },
  );
}

function examineTools(registry: ToolRegistry, { catalogue }: AdminContext): readonly Finding[] {
  const protocol = catalogue.find(catalogue.defaultModelId())?.protocol ?? 'direct';
  return registry.list().map(({ name, broken }): Finding => {
    if (broken !== null) return { mark: 'problem', text: `${broken.file}: ${broken.reason}` };
    const report = registry.report(name, { role: 'OPERATOR', protocol, activeGroups: null });
    const gate = report?.gates.find(({ outcome }) => outcome === 'FAIL');
    if (gate === undefined) return { mark: 'ok', text: `${name} passes every gate.` };
    return {
      mark: 'note',
      text: `${name} is stopped at ${gate.name}: ${gate.reason} ${gate.fix ?? ''}`.trimEnd(),
    };
  });
}
