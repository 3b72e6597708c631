/** Committed files that a script prints from the code; with `--check` it compares instead. */
export const printedFiles = [
  { output: 'schema.graphql', script: 'server/admin/print-schema.ts' },
  { output: 'docs/configuration.md', script: 'server/admin/print-configuration.ts' },
  { output: 'docs/tools.md', script: 'server/admin/print-tools.ts' },
];
