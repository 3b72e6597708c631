import type { Config } from '../config.ts';
import type { ModelProtocol, ModelTool } from '../models/model.ts';
import { compactSchema, cutText } from '../tools/kit/schema-compact.ts';
import { rewriteSchema } from '../tools/kit/schema-lint.ts';
import { SchemaRefusal } from '../tools/kit/schema-references.ts';

type SchemaSettings = Pick<
  Config,
  'toolsSchemaMode' | 'toolsSchemaDescriptionMaxLen' | 'toolsSchemaStripParamDescriptions'
>;

/** Makes what models are sent of tools, and knows which they cannot be sent. */
export interface ModelSchemas {
  /** Why the protocol cannot take the tool, as a whole sentence; null when it can. */
  refuse(tool: ModelTool, protocol: ModelProtocol): string | null;
  /** @throws SchemaRefusal for a tool that `refuse` has a reason against. */
  make(tool: ModelTool, protocol: ModelProtocol): ModelTool;
}

/** Characters of a description that every provider takes. */
const MAX_DESCRIPTION_CHARACTERS = 1_024;

const PROTOCOL_NAMES: Readonly<Record<ModelProtocol, string>> = {
  'openai-chat': 'OpenAI Chat Completions',
  'openai-responses': 'OpenAI Responses',
  'anthropic-messages': 'Anthropic Messages',
  direct: 'direct',
};

export function createModelSchemas(settings: SchemaSettings): ModelSchemas {
  /** Schemas do not change: each is made once for each protocol, and goes with its tool. */
  const made = new WeakMap<object, Map<ModelProtocol, ModelTool | SchemaRefusal>>();

  function look(tool: ModelTool, protocol: ModelProtocol): ModelTool | SchemaRefusal {
    const known = made.get(tool) ?? new Map<ModelProtocol, ModelTool | SchemaRefusal>();
    made.set(tool, known);
    const kept = known.get(protocol) ?? tryToShape(settings, tool, protocol);
    known.set(protocol, kept);
    return kept;
  }

  return {
    refuse(tool, protocol) {
      const shaped = look(tool, protocol);
      if (!(shaped instanceof SchemaRefusal)) return null;
      return `${PROTOCOL_NAMES[protocol]} cannot take ${tool.name}: ${shaped.message}.`;
    },
    make(tool, protocol) {
      const shaped = look(tool, protocol);
      if (shaped instanceof SchemaRefusal) throw shaped;
      return shaped;
    },
  };
}

function tryToShape(
  settings: SchemaSettings,
  tool: ModelTool,
  protocol: ModelProtocol,
): ModelTool | SchemaRefusal {
  try {
    return shape(settings, tool, protocol);
  } catch (error) {
    if (error instanceof SchemaRefusal) return error;
    throw error;
  }
}

function shape(
  settings: SchemaSettings,
  { name, description, parameters }: ModelTool,
  protocol: ModelProtocol,
): ModelTool {
  const dialect = protocol === 'direct' ? 'none' : protocol;
  const rewritten = rewriteSchema({ name, parameters }, dialect);
  if (settings.toolsSchemaMode === 'verbose') {
    return {
      name,
      description: cutText(description, MAX_DESCRIPTION_CHARACTERS),
      parameters: rewritten,
    };
  }
  const maxDescriptionCharacters = settings.toolsSchemaDescriptionMaxLen;
  return {
    name,
    description: cutText(
      description,
      Math.min(MAX_DESCRIPTION_CHARACTERS, maxDescriptionCharacters),
    ),
    parameters: compactSchema(rewritten, {
      maxDescriptionCharacters,
      stripsParameterDescriptions: settings.toolsSchemaStripParamDescriptions,
    }),
  };
}
