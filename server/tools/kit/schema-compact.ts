import { transformSchema } from './schema-walk.ts';
import type { JsonSchema } from './tool-descriptor.ts';

export interface CompactOptions {
  /** Longest description of a tool, in UTF-16 code units, the ellipsis included. */
  readonly maxDescriptionCharacters: number;
  /** Whether the descriptions of parameters go as well. */
  readonly stripsParameterDescriptions: boolean;
}

const WORDS = new Intl.Segmenter('en', { granularity: 'word' });
const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
const ELLIPSIS = '…';

/** Shortens texts that only guide the model; what is required and what is checked stay as they are. */
export function compactSchema(schema: JsonSchema, options: CompactOptions): JsonSchema {
  return transformSchema(schema, ({ title: _title, ...rest }) => {
    if (!options.stripsParameterDescriptions) return rest;
    const { description: _description, ...bare } = rest;
    return bare;
  });
}

/**
 * Cuts a text after the last whole word that fits, or, within a single long word, after the last
 * whole grapheme; an ellipsis tells of the cut.
 */
export function cutText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const room = maxCharacters - ELLIPSIS.length;
  const kept = takeSegments(WORDS, text, room).trimEnd() || takeSegments(GRAPHEMES, text, room);
  return `${kept.replace(/[\s,;:–-]+$/u, '')}${ELLIPSIS}`;
}

function takeSegments(segmenter: Intl.Segmenter, text: string, maxCharacters: number): string {
  let end = 0;
  for (const { index, segment } of segmenter.segment(text)) {
    if (index + segment.length > maxCharacters) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}
