import { SETTINGS } from '../settings.ts';
import type { Setting } from '../settings/kinds.ts';
import { printFile } from './printed-file.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');

function describeDefault({ kind }: Setting): string {
  const { fallback } = kind;
  if (fallback === null) return 'unset';
  if (Array.isArray(fallback)) return fallback.length === 0 ? 'none' : fallback.map(code).join(' ');
  return code(fallback);
}

const code = (value: unknown): string => `\`${String(value)}\``;

const rows = Object.values<Setting>(SETTINGS).map((setting) => {
  const { name, aliases = [], kind, about } = setting;
  const names = [name, ...aliases].map(code).join(' or ');
  return `| ${names} | ${cell(kind.shape)} | ${describeDefault(setting)} | ${cell(about)} |`;
});

printFile(
  'docs/configuration.md',
  `# Configuration

<!-- Printed from server/settings.ts by \`npm run generate\`; changes belong there. -->

All settings are read once, at the start, from the environment and from a file \`.env\` in the
folder that the server is started in; the environment wins. An empty value counts as unset. A value
that cannot be read stops the start with one line that names the setting and what would be right; a
name that looks like a setting and is none is warned about. Operators see all values as they were
read, secrets masked, in the console under Operator, Settings.

| Name | Value | Default | What it does |
| --- | --- | --- | --- |
${rows.join('\n')}
`,
);
