import { systemClock } from '../clock.ts';
import { readConfig, toolSettings } from '../config.ts';
import { createLog } from '../log.ts';
import { createToolRegistry } from '../registry/tool-registry.ts';
import type { JsonSchema, ToolDescriptor } from '../tools/kit/tool-descriptor.ts';
import { printFile } from './printed-file.ts';

const code = (text: unknown): string => `\`${String(text)}\``;
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

type Properties = Readonly<Record<string, JsonSchema>>;

function describeType(schema: JsonSchema): string {
  if (Array.isArray(schema['enum'])) return schema['enum'].map(code).join(', ');
  const items = schema['items'] as JsonSchema | undefined;
  const name = items === undefined ? String(schema['type']) : `list of ${describeType(items)}`;
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  const bounds = [
    minimum === undefined && maximum === undefined ? '' : ` ${show(minimum)} to ${show(maximum)}`,
    minLength === undefined && maxLength === undefined
      ? ''
      : `, ${show(minLength)} to ${show(maxLength)} characters`,
    minItems === undefined && maxItems === undefined
      ? ''
      : `, ${show(minItems)} to ${show(maxItems)} entries`,
  ];
  return `${name}${bounds.join('')}`;
}

const show = (bound: unknown): string => (bound === undefined ? '…' : String(bound));

function describeTool(tool: ToolDescriptor): string {
  const properties = (tool.parameters['properties'] ?? {}) as Properties;
  const required = new Set((tool.parameters['required'] ?? []) as readonly string[]);
  const rows = Object.entries(properties).map(([name, schema]) => {
    const fallback = 'default' in schema ? code(JSON.stringify(schema['default'])) : '';
    const need = required.has(name) ? 'required' : fallback;
    const about = cell(String(schema['description'] ?? ''));
    return `| ${code(name)} | ${cell(describeType(schema))} | ${need} | ${about} |`;
  });
  const facts = [
    tool.allowedByDefault ? 'In the default allowlist.' : 'Needs a place in TOOLS_ALLOWLIST.',
    tool.concurrencySafe ? '' : 'Its calls run one by one.',
    tool.hasAvailabilityCheck ? 'Its service is checked before it registers.' : '',
    tool.availabilityFix ?? '',
    tool.needs.length === 0 ? '' : `Uses the ${tool.needs.join(' and ')} of its chat or person.`,
  ];
  const table =
    rows.length === 0
      ? 'No parameters.'
      : `| Parameter | Type | Default | Meaning |\n| --- | --- | --- | --- |\n${rows.join('\n')}`;
  return `### ${tool.name}\n\n${tool.description}\n\n${facts.filter(Boolean).join(' ')}\n\n${table}\n`;
}

const { config } = readConfig({});
const registry = await createToolRegistry({
  ...{ config, settings: toolSettings(config), clock: systemClock },
  log: createLog({ level: 'silent' }),
});
const tools = registry.list().flatMap(({ descriptor }) => descriptor ?? []);
await registry.close();
const groups = Map.groupBy(tools, ({ group }) => group ?? 'Core');
const sections = [...groups]
  .sort(([a], [b]) => (a === 'Core' ? -1 : b === 'Core' ? 1 : a.localeCompare(b)))
  .map(([group, members]) => `## ${group}\n\n${members.map(describeTool).join('\n')}`);

printFile(
  'docs/tools.md',
  `# Tools

<!-- Printed from the declarations in server/tools by \`npm run generate\`; changes belong there. -->

What comes with the service, with parameters as they are declared. Core tools are on in every chat;
the others when their group is. The console shows under Operator, Tools, which of them are
registered on your server and why the rest is not.

${sections.join('\n')}`,
);
// A check that hangs must not keep the printer waiting.
process.exit(process.exitCode);
