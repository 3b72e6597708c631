import { Type, type TObject, type TProperties, type TSchema } from 'typebox';

/** Thin names over TypeBox, so that a tool's parameters read as what they are. */

type Described = { description?: string };

export const text = (
  options: Described & { minLength?: number; maxLength?: number; default?: string } = {},
) => Type.String(options);

export const integer = (
  options: Described & { minimum?: number; maximum?: number; default?: number } = {},
) => Type.Integer(options);

export const decimal = (
  options: Described & { minimum?: number; maximum?: number; default?: number } = {},
) => Type.Number(options);

export const flag = (options: Described & { default?: boolean } = {}) => Type.Boolean(options);

export const list = <Item extends TSchema>(
  item: Item,
  options: Described & { minItems?: number; maxItems?: number; uniqueItems?: boolean } = {},
) => Type.Array(item, options);

export const oneOf = <const Values extends readonly string[]>(
  values: Values,
  options: Described & { default?: Values[number] } = {},
) => Type.Enum<[...Values]>([...values], { type: 'string', ...options });

export const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);

/**
 * The parameters of a tool: unknown names are refused. One with a default may be left out by the
 * caller and is filled in before `execute`, so it is not `required` in the JSON Schema and yet
 * always present in the type.
 */
export function object<Properties extends TProperties>(
  properties: Properties,
): TObject<Properties> {
  const schema = Type.Object(properties, { additionalProperties: false });
  const names = (schema.required ?? []) as readonly string[];
  const required = names.filter((name) => !('default' in properties[name]!));
  return { ...schema, required } as unknown as TObject<Properties>;
}
