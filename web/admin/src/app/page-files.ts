import { lazy, type ComponentType } from 'react';
import { reloadForUpdate } from './app-update.ts';
import type { PageName } from './page-table.ts';

/** A page about one item named in the URL, or about all of them. */
export type PageComponent = ComponentType<{ readonly reference: string }>;

type Loaded = Promise<{ readonly default: PageComponent }>;

// One file per page, so the first page doesn't wait for the others.
const files: Readonly<Record<PageName, () => Loaded>> = {
  home: () => import('../pages/home/Home.tsx'),
  add: () => import('../pages/add/AddApi.tsx'),
  apis: () => import('../pages/apis/Apis.tsx'),
  api: () => import('../pages/apis/ApiPage.tsx'),
  newTool: () => import('../pages/tools/NewTool.tsx'),
  tools: () => import('../pages/tools/Tools.tsx'),
  tool: () => import('../pages/tools/ToolPage.tsx'),
  servers: () => import('../pages/servers/Servers.tsx'),
  server: () => import('../pages/servers/ServerPage.tsx'),
  code: () => import('../pages/code/CodePage.tsx'),
  composed: () => import('../pages/composed/ComposedTools.tsx'),
  composedTool: () => import('../pages/composed/ComposedToolPage.tsx'),
  playground: () => import('../pages/playground/Playground.tsx'),
  publish: () => import('../pages/publish/Publish.tsx'),
  keys: () => import('../pages/keys/Keys.tsx'),
  connectedApps: () => import('../pages/connected-apps/ConnectedApps.tsx'),
  calls: () => import('../pages/calls/Calls.tsx'),
  call: () => import('../pages/calls/CallPage.tsx'),
  credentials: () => import('../pages/credentials/Credentials.tsx'),
  people: () => import('../pages/people/People.tsx'),
  audit: () => import('../pages/audit/Audit.tsx'),
  analytics: () => import('../pages/analytics/Analytics.tsx'),
  settings: () => import('../pages/settings/Settings.tsx'),
  me: () => import('../pages/me/Me.tsx'),
};

const loaded = new Map<PageName, PageComponent>();

/** Fetches a page's file. If an upgrade removed it, reloads the whole app at the same URL. */
export async function loadPage(name: PageName): Loaded {
  try {
    const file = await files[name]();
    loaded.set(name, file.default);
    return file;
  } catch (error) {
    // Retried next time.
    later.delete(name);
    if (await reloadForUpdate()) return new Promise(() => {});
    throw error;
  }
}

const later = new Map<PageName, PageComponent>();

/** The component of a page: immediately if its file has loaded, otherwise once it has. */
export function pageComponent(name: PageName): PageComponent {
  const here = loaded.get(name);
  if (here !== undefined) return here;
  const waiting = later.get(name) ?? lazy(() => loadPage(name));
  later.set(name, waiting);
  return waiting;
}
