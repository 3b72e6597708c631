/** One parameter of a tool as a form can ask for it. */
export interface FormField {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly kind: 'text' | 'number' | 'flag' | 'choice' | 'json';
  readonly choices: readonly string[];
  /** As text; empty without a default. */
  readonly fallback: string;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** The fields of a tool's parameters, required ones first. */
export function listFields(parameters: unknown): readonly FormField[] {
  const { properties = {}, required = [] } = (parameters ?? {}) as Schema;
  return Object.entries(properties)
    .map(([name, schema]) => ({
      name,
      description: schema.description ?? '',
      isRequired: required.includes(name),
      kind: kindOf(schema),
      choices: (schema.enum ?? []).map(String),
      fallback: schema.default === undefined ? '' : String(schema.default),
    }))
    .sort((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

function kindOf({ type, enum: values }: Schema): FormField['kind'] {
  if (values !== undefined) return 'choice';
  if (type === 'string') return 'text';
  if (type === 'integer' || type === 'number') return 'number';
  return type === 'boolean' ? 'flag' : 'json';
}

/**
 * The arguments that a filled form means; empty fields are left out.
 *
 * @throws Error naming the field whose text is no JSON.
 */
export function readArguments(
  fields: readonly FormField[],
  texts: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const given = fields.filter(({ name }) => (texts[name] ?? '') !== '');
  return Object.fromEntries(
    given.map((field) => [field.name, readValue(field, texts[field.name]!)]),
  );
}

function readValue({ name, kind }: FormField, text: string): unknown {
  if (kind === 'text' || kind === 'choice') return text;
  if (kind === 'flag') return text === 'true';
  if (kind === 'number') return Number(text);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(`${name} must be JSON.`, { cause: error });
  }
}
