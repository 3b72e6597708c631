import { fileURLToPath } from 'node:url';

const NAMES = [
  ...['echo', 'one_by_one', 'throwing', 'refusing', 'oversized', 'endless', 'looping'],
  ...['exiting', 'hungry', 'view', 'create_file', 'wiki_lookup', 'remember_fact'],
];

/** Settings that add tools which do all that tools do wrong, by name in the environment. */
export const flowTools: Readonly<Record<string, string>> = {
  TOOLS_PATH: fileURLToPath(new URL('../fixtures/flow-tools', import.meta.url)),
  TOOLS_ALLOWLIST: NAMES.join(','),
  TOOL_OUTPUT_LIMIT: '4000',
  TOOL_GRACE_MS: '200',
  TOOL_MEMORY_MB: '64',
};
