import type { ToolDescriptor } from '../tools/kit/tool-descriptor.ts';
import type { ToolGroup } from './registry.ts';

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  'Scientific Research': 'Finds scholarly papers and looks up what encyclopedias say.',
  Grocery: 'Finds supermarkets nearby, remembers your store and lists its current offers.',
  Recipes: 'Finds recipes with ingredients and steps.',
  Shopping: 'Searches classified advertisements of people and shops.',
  eBay: 'Searches eBay and reads its listings.',
  MyDealz: 'Finds bargains that the MyDealz community has shared and rated.',
  'Price Search': 'Compares the prices of products across shops.',
  Other: 'Further tools that the operator of this server has chosen.',
};

/** The groups of the given tools, sorted by name; core tools belong to none. */
export function collectGroups(tools: readonly ToolDescriptor[]): readonly ToolGroup[] {
  const names = new Map<string, string[]>();
  for (const { name, group } of tools) {
    if (group === null) continue;
    names.set(group, [...(names.get(group) ?? []), name]);
  }
  return [...names]
    .map(([name, toolNames]) => ({ name, toolNames: toolNames.sort() }))
    .sort((a, b) => compare(a.name, b.name))
    .map(({ name, toolNames }) => ({
      name,
      description: DESCRIPTIONS[name] ?? `Has the tools ${toolNames.join(', ')}.`,
      toolNames,
    }));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
