import {
  convertCssVariables,
  DEFAULT_THEME,
  defaultCssVariablesResolver,
  mergeMantineTheme,
} from '@mantine/core';
import type { Plugin } from 'vite';
import { theme } from './src/theme/theme.ts';

const id = 'virtual:theme.css';
const resolved = '/@handrail/theme.css';

/**
 * Writes the theme's variables to a stylesheet at build time. Mantine would otherwise add them as an inline
 * `<style>`, which a Content-Security-Policy without 'unsafe-inline' blocks.
 */
export function themeCss(): Plugin {
  return {
    name: 'handrail-theme-css',
    resolveId: (source) => (source === id ? resolved : null),
    load: (source) => {
      if (source !== resolved) return null;
      const merged = mergeMantineTheme(DEFAULT_THEME, theme);
      const css = convertCssVariables(defaultCssVariablesResolver(merged));
      return `${css}:root[data-mantine-color-scheme="dark"]{--mantine-color-scheme:dark}:root[data-mantine-color-scheme="light"]{--mantine-color-scheme:light}`;
    },
  };
}
