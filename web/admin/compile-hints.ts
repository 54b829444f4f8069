import type { Plugin } from 'vite';

/** Files whose functions the first page mostly calls. */
const files = new Set(['base', 'libraries', 'shared', 'scrolling', 'Home', 'ToolTable', 'Calls']);

/**
 * Asks V8 to compile some files eagerly, off the main thread, instead of function by function:
 * https://v8.dev/blog/explicit-compile-hints
 */
export function compileHints(): Plugin {
  return {
    name: 'handrail-compile-hints',
    generateBundle: {
      // The hint counts only at the very start of a file.
      order: 'post',
      handler(_options, bundle) {
        for (const output of Object.values(bundle))
          if (output.type === 'chunk' && files.has(output.name))
            output.code = `//# allFunctionsCalledOnLoad\n${output.code}`;
      },
    },
  };
}
