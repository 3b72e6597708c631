import type { Database } from '../db/client.ts';
import type { ToolRegistry } from '../registry/registry.ts';
import { requireOperator, writeAudit } from './audit.ts';
import { toToolCallRecord } from './chat-mapping.ts';
import type { Page, PageRequest, ToolCallRecord } from './chat-records.ts';
import { checkPageSize, decodeCursor, encodeCursor } from './page-cursor.ts';
import type {
  AuditRecord,
  OperatorService,
  PoolView,
  SettingView,
  ToolStatistics,
} from './services.ts';
import type { ToolTrial } from './tool-trial.ts';
import type { Viewer } from './viewer.ts';

export interface OperatorDependencies {
  readonly database: Database;
  readonly registry: ToolRegistry;
  readonly trial: ToolTrial;
  readonly settings: readonly SettingView[];
  pool(): PoolView;
}

export function createOperatorService(dependencies: OperatorDependencies): OperatorService {
  const { database, registry, trial } = dependencies;
  return {
    async toolCalls(viewer, page) {
      requireOperator(viewer);
      return listToolCalls(database, viewer, page);
    },

    async statistics(viewer) {
      requireOperator(viewer);
      return readStatistics(database);
    },

    pool(viewer) {
      requireOperator(viewer);
      return dependencies.pool();
    },

    settings(viewer) {
      requireOperator(viewer);
      return dependencies.settings;
    },

    async recheckTool(viewer, name) {
      requireOperator(viewer);
      await registry.recheck(name);
      await writeAudit(database, viewer, { action: 'tool.recheck', subject: name });
    },

    async runTool(viewer, name, input) {
      requireOperator(viewer);
      await writeAudit(database, viewer, { action: 'tool.run', subject: name });
      return trial.run(viewer, name, input);
    },

    async auditEntries(viewer, page) {
      requireOperator(viewer);
      return listAuditEntries(database, page);
    },
  };
}

/** Newest first, after the cursor. */
const olderThan = (after: string | null, key: 'queuedAt' | 'createdAt') => {
  if (after === null) return {};
  const { at, id } = decodeCursor(after);
  return { [key]: { lte: at }, NOT: { [key]: at, id: { gte: id } } };
};

async function listToolCalls(
  database: Database,
  viewer: Viewer,
  page: PageRequest & {
    readonly toolName?: string | null;
    readonly status?: string | null;
    readonly userId?: string | null;
  },
): Promise<Page<ToolCallRecord>> {
  const first = checkPageSize(page.first);
  const rows = await database.client.toolCall.findMany({
    where: {
      ...olderThan(page.after, 'queuedAt'),
      ...(page.toolName == null ? {} : { toolName: page.toolName }),
      ...(page.status == null ? {} : { status: page.status as 'SUCCESS' }),
      ...(page.userId == null ? {} : { chat: { ownerId: page.userId } }),
    },
    orderBy: [{ queuedAt: 'desc' }, { id: 'desc' }],
    take: first + 1,
    include: {
      files: true,
      chat: { select: { owner: { select: { id: true, name: true } } } },
    },
  });
  return {
    edges: rows.slice(0, first).map((row) => {
      const record = toToolCallRecord(row, row.chat.owner);
      const node = record.userId === viewer.id ? record : withoutTexts(record);
      return { cursor: encodeCursor({ at: row.queuedAt, id: row.id }), node };
    }),
    hasNextPage: rows.length > first,
  };
}

/** What an operator may see of another person's call. */
export const withoutTexts = (record: ToolCallRecord): ToolCallRecord => ({
  ...record,
  argumentsText: null,
  arguments: null,
  result: null,
  message: null,
  files: [],
});

interface StatisticsRow {
  readonly toolName: string;
  readonly calls: number;
  readonly failed: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly lastError: string | null;
  readonly lastErrorAt: Date | null;
}

async function readStatistics(database: Database): Promise<ReadonlyMap<string, ToolStatistics>> {
  const rows = await database.client.$queryRaw<StatisticsRow[]>`
    SELECT "toolName",
      count(*)::int AS calls,
      count(*) FILTER (WHERE "status" = 'ERROR')::int AS failed,
      (percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM "endedAt" - "startedAt") * 1000))::float8 AS p50,
      (percentile_cont(0.95) WITHIN GROUP (ORDER BY extract(epoch FROM "endedAt" - "startedAt") * 1000))::float8 AS p95,
      (array_agg("code" ORDER BY "queuedAt" DESC) FILTER (WHERE "status" = 'ERROR'))[1] AS "lastError",
      max("endedAt") FILTER (WHERE "status" = 'ERROR') AS "lastErrorAt"
    FROM "ToolCall" WHERE "queuedAt" > now() - interval '24 hours'
    GROUP BY "toolName"`;
  const round = (value: number | null) => (value === null ? null : Math.round(value));
  return new Map(
    rows.map(({ toolName, p50, p95, ...rest }) => [
      toolName,
      { ...rest, p50Ms: round(p50), p95Ms: round(p95) },
    ]),
  );
}

async function listAuditEntries(database: Database, page: PageRequest): Promise<Page<AuditRecord>> {
  const first = checkPageSize(page.first);
  const rows = await database.client.auditEntry.findMany({
    where: olderThan(page.after, 'createdAt'),
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: first + 1,
  });
  return {
    edges: rows.slice(0, first).map((row) => ({
      cursor: encodeCursor({ at: row.createdAt, id: row.id }),
      node: row,
    })),
    hasNextPage: rows.length > first,
  };
}
