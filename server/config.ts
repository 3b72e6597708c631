import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { SETTINGS } from './settings.ts';
import type { Setting, SettingKind } from './settings/kinds.ts';

type SettingsTable = typeof SETTINGS;
type ValueOf<Kind> = Kind extends SettingKind<infer Value> ? Value : never;

/** Every setting as the server uses it; frozen. */
export type Config = { readonly [Key in keyof SettingsTable]: ValueOf<SettingsTable[Key]['kind']> };

/** The settings that tools may see: addresses and keys of the services they use, nothing of the server itself. */
export type ToolSettings = {
  readonly [
    Key in keyof SettingsTable as SettingsTable[Key] extends { readonly forTools: true }
      ? Key
      : never
  ]: Config[Key];
};

export interface ReadConfigResult {
  readonly config: Config;
  /** Whole sentences about names that look like ours and are not known. */
  readonly warnings: readonly string[];
}

/** Where a setting's value came from. */
export type SettingSource = 'environment' | '.env' | 'default';

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const OUR_PREFIXES = /^(TOOLS?_|TURN_|CUSTOM_TOOL|SIGNALBOX_|MODEL)/;

/** The `.env` file of a folder as name and value; empty when there is none. */
export function readEnvFile(folder: string): Readonly<Record<string, string>> {
  try {
    return parseEnv(readFileSync(resolve(folder, '.env'), 'utf8')) as Record<string, string>;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
}

/**
 * Reads and checks all settings. The process environment wins over `.env`; an empty value counts as unset.
 * @throws ConfigError naming the variable, its value (secrets masked) and what would be right.
 */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>>,
  envFile: Readonly<Record<string, string>> = {},
): ReadConfigResult {
  const values: Record<string, unknown> = {};
  const known = new Set<string>();
  for (const [key, setting] of Object.entries<Setting>(SETTINGS)) {
    const names = [setting.name, ...(setting.aliases ?? [])];
    for (const name of names) known.add(name);
    const text = names.map((name) => environment[name] || envFile[name]).find(Boolean);
    values[key] = text === undefined ? setting.kind.fallback : parseSetting(setting, text);
  }
  const warnings = Object.keys({ ...envFile, ...environment })
    .filter((name) => OUR_PREFIXES.test(name) && !known.has(name))
    .map((name) => `The setting ${name} is not known and has no effect.`);
  return { config: Object.freeze(values) as Config, warnings };
}

function parseSetting(setting: Setting, text: string): unknown {
  const outcome = setting.kind.parse(text);
  if ('value' in outcome) return outcome.value;
  const shown = setting.kind.isSecret ? '[secret]' : JSON.stringify(text);
  throw new ConfigError(`${setting.name} is ${shown}, but must be ${outcome.expected}.`);
}

/** One setting as an operator sees it. */
export interface SettingReport {
  readonly name: string;
  /** As text; dots in place of a secret that is set. */
  readonly value: string;
  readonly source: SettingSource;
  readonly about: string;
  readonly isSecret: boolean;
}

/** Every setting with its value and where that came from. */
export function describeSettings(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
  envFile: Readonly<Record<string, string>>,
): readonly SettingReport[] {
  return Object.entries<Setting>(SETTINGS).map(([key, { name, aliases = [], about, kind }]) => {
    const names = [name, ...aliases];
    const value: unknown = config[key as keyof Config];
    const isFromEnvironment = names.some((candidate) => environment[candidate]);
    const isFromFile = names.some((candidate) => envFile[candidate]);
    return {
      name,
      value: kind.isSecret && value !== null ? '••••••' : showValue(value),
      source: isFromEnvironment ? 'environment' : isFromFile ? '.env' : 'default',
      about,
      isSecret: kind.isSecret,
    };
  });
}

const showValue = (value: unknown): string =>
  value === null ? '' : Array.isArray(value) ? value.join(', ') : String(value);

/** The part of the configuration that crosses into tool threads. */
export function toolSettings(config: Config): ToolSettings {
  const entries = Object.entries(SETTINGS)
    .filter(([, setting]) => 'forTools' in setting)
    .map(([key]) => [key, config[key as keyof Config]]);
  return Object.freeze(Object.fromEntries(entries)) as ToolSettings;
}
