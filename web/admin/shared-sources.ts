import { fileURLToPath } from 'node:url';

const source = (path: string) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));

/** What the app shares with the gateway, by the names it imports it under; tsconfig.json names the same folders. */
export const sharedSources: Readonly<Record<string, string>> = {
  '#contract': source('http/contract'),
  '#domain': source('domain'),
  '#lib': source('lib'),
  // The form for arguments, which the explorer and the app have in common.
  '#explorer-page': fileURLToPath(new URL('../explorer/src/page', import.meta.url)),
};
