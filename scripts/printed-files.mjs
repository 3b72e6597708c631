/** Committed files that a script prints from the code; with `--check` it compares instead. */
export const printedFiles = [
  { output: 'schema.graphql', script: 'server/graphql/print-schema.ts' },
  { output: 'docs/tools.md', script: 'server/admin/print-docs.ts' },
];
