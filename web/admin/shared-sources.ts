import { fileURLToPath } from 'node:url';

const source = (path: string) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));

/** What the app shares with the gateway, by import name. tsconfig.json lists the same folders. */
export const sharedSources: Readonly<Record<string, string>> = {
  '#contract': source('http/contract'),
  '#domain': source('domain'),
  '#lib': source('lib'),
  // The arguments form, shared with the explorer.
  '#explorer-page': fileURLToPath(new URL('../explorer/src/page', import.meta.url)),
};
