import type { ServerResponse } from 'node:http';
import type { Services } from '../services/services.ts';
import type { Viewer } from '../services/viewer.ts';
import { sendJson } from './json-answer.ts';

/** `GET /api/v1/tools`: every installed tool with its schema before any compaction. */
export async function sendTools(
  response: ServerResponse,
  { viewer, services }: { readonly viewer: Viewer; readonly services: Services },
): Promise<void> {
  const view = await services.tools.view(viewer, null);
  const tools = services.tools.list(viewer).map(({ entry, description, parameters }) => {
    const report = services.tools.report(entry.name, view);
    const group = entry.descriptor?.group ?? null;
    return {
      name: entry.name,
      group,
      core: entry.descriptor !== null && group === null,
      registered: entry.isRegistered,
      availabilityReason: entry.isRegistered
        ? null
        : (report?.gates.find(({ outcome }) => outcome === 'FAIL')?.reason ?? null),
      schema: { type: 'function', function: { name: entry.name, description, parameters } },
    };
  });
  const groups = services.tools.groups(viewer).map(({ name, description, toolNames }) => ({
    name,
    description,
    tools: toolNames,
  }));
  sendJson(response, 200, { tools, groups });
}
