import { costLimitRule } from '@escape.tech/graphql-armor-cost-limit';
import { maxDepthRule } from '@escape.tech/graphql-armor-max-depth';
import type { ValidationRule } from 'graphql';

/** How deep and how dear an operation may be; introspection by GraphiQL fits. */
const MAX_DEPTH = 12;
const MAX_COST = 20_000;
/** Words and signs of a document; without a limit a deep one would exhaust the parser's stack. */
export const MAX_TOKENS = 2_000;

export const LIMIT_RULES: readonly ValidationRule[] = [
  maxDepthRule({ n: MAX_DEPTH, ignoreIntrospection: true }) as unknown as ValidationRule,
  costLimitRule({ maxCost: MAX_COST, ignoreIntrospection: true }) as unknown as ValidationRule,
];
