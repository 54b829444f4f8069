import type { Plugin } from 'vite';

/** Files of which the first page calls most. */
const files = new Set(['base', 'libraries', 'shared', 'scrolling', 'Home', 'ToolTable', 'Calls']);

/**
 * Tells V8 to compile some files whole while they arrive, away from the page's own thread, instead of function by function as
 * they are called: https://v8.dev/blog/explicit-compile-hints
 */
export function compiledWhole(): Plugin {
  return {
    name: 'handrail-compiled-whole',
    generateBundle: {
      // The mark counts only where nothing stands before it.
      order: 'post',
      handler(_options, bundle) {
        for (const output of Object.values(bundle))
          if (output.type === 'chunk' && files.has(output.name))
            output.code = `//# allFunctionsCalledOnLoad\n${output.code}`;
      },
    },
  };
}
