/** Reads one setting's text. `fallback` is the value without one; `shape` says in docs what is accepted. */
export interface SettingKind<Value> {
  readonly fallback: Value;
  readonly shape: string;
  readonly isSecret: boolean;
  parse(text: string): { readonly value: Value } | { readonly expected: string };
}

export interface Setting {
  /** Name in the environment. */
  readonly name: string;
  /** Older names that still work. */
  readonly aliases?: readonly string[];
  readonly kind: SettingKind<unknown>;
  readonly about: string;
  /** Tool threads may see it. */
  readonly forTools?: true;
}

export const words = (fallback: string): SettingKind<string> => ({
  fallback,
  shape: 'text',
  isSecret: false,
  parse: (text) => ({ value: text }),
});
export const optionalText: SettingKind<string | null> = { ...words(''), fallback: null };
export const secret: SettingKind<string | null> = {
  ...optionalText,
  shape: 'secret',
  isSecret: true,
};

export const integer = (
  fallback: number,
  minimum: number,
  maximum: number,
): SettingKind<number> => ({
  fallback,
  shape: `integer from ${minimum} to ${maximum}`,
  isSecret: false,
  parse(text) {
    const value = /^-?\d+$/.test(text.trim()) ? Number(text) : NaN;
    return value >= minimum && value <= maximum
      ? { value }
      : { expected: `an integer from ${minimum} to ${maximum}` };
  },
});

/** A number that may have a fraction. */
export const decimal = (
  fallback: number,
  minimum: number,
  maximum: number,
): SettingKind<number> => ({
  fallback,
  shape: `number from ${minimum} to ${maximum}`,
  isSecret: false,
  parse(text) {
    const value = /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : NaN;
    return value >= minimum && value <= maximum
      ? { value }
      : { expected: `a number from ${minimum} to ${maximum}` };
  },
});

export const flag = (fallback: boolean): SettingKind<boolean> => ({
  fallback,
  shape: '`true` or `false`',
  isSecret: false,
  parse(text) {
    const value = text.trim().toLowerCase();
    if (['true', '1', 'yes', 'on'].includes(value)) return { value: true };
    if (['false', '0', 'no', 'off'].includes(value)) return { value: false };
    return { expected: '`true` or `false`' };
  },
});

export const oneOf = <const Value extends string>(
  fallback: NoInfer<Value>,
  values: readonly Value[],
): SettingKind<Value> => ({
  fallback,
  shape: values.map((value) => `\`${value}\``).join(', '),
  isSecret: false,
  parse(text) {
    const value = values.find((candidate) => candidate === text.trim().toLowerCase());
    return value === undefined ? { expected: `one of ${values.join(', ')}` } : { value };
  },
});

const parseUrl = (text: string): { value: string } | { expected: string } =>
  /^https?:\/\/\S+$/.test(text) && URL.canParse(text)
    ? { value: text.replace(/\/+$/, '') }
    : { expected: 'an absolute http or https address' };
export const url = (fallback: string): SettingKind<string> => ({
  fallback,
  shape: 'http(s) address',
  isSecret: false,
  parse: parseUrl,
});
export const optionalUrl: SettingKind<string | null> = { ...url(''), fallback: null };

export const databaseUrl: SettingKind<string | null> = {
  fallback: null,
  shape: '`postgresql://…`',
  isSecret: true,
  parse: (text) =>
    /^postgres(ql)?:\/\//.test(text) && URL.canParse(text)
      ? { value: text }
      : { expected: 'an address that begins with postgresql://' },
};

const splitNames = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
export const names = (fallback: readonly string[]): SettingKind<readonly string[]> => ({
  fallback,
  shape: 'comma-separated names',
  isSecret: false,
  parse: (text) => ({ value: splitNames(text) }),
});
export const optionalNames: SettingKind<readonly string[] | null> = {
  ...names([]),
  fallback: null,
};
