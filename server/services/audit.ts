import type { Database } from '../db/client.ts';
import { AppError } from '../errors.ts';
import { createId } from '../id.ts';
import { storableJson, storableText } from './storable.ts';
import type { Viewer } from './viewer.ts';

/** @throws AppError `FORBIDDEN` for anybody else. */
export function requireOperator(viewer: Viewer): void {
  if (viewer.role !== 'OPERATOR') throw new AppError('FORBIDDEN', 'Only operators may do this.');
}

/** Notes what an operator did, e.g. `invitation.create`. */
export async function writeAudit(
  database: Database,
  actor: Pick<Viewer, 'id' | 'name'>,
  entry: { readonly action: string; readonly subject: string; readonly details?: unknown },
): Promise<void> {
  await database.client.auditEntry.create({
    data: {
      id: createId(),
      actorId: actor.id,
      actorName: actor.name,
      action: entry.action,
      subject: storableText(entry.subject),
      details: storableJson(entry.details ?? {}) as object,
    },
  });
}
