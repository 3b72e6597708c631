import { registerHooks } from 'node:module';

const AUTHOR_MODULE = new URL('../tools/kit/author.ts', import.meta.url).href;
let isEnabled = false;

/**
 * Makes `import … from 'signalbox/tools'` work in this thread for files outside of the project.
 * Has to be called before such a file is imported; further calls change nothing.
 */
export function enableAuthorImports(): void {
  if (isEnabled) return;
  isEnabled = true;
  registerHooks({
    resolve: (specifier, context, nextResolve) =>
      specifier === 'signalbox/tools'
        ? { url: AUTHOR_MODULE, shortCircuit: true }
        : nextResolve(specifier, context),
  });
}
