import type { AnyInput } from '../api/client.ts';
import type { InitialRequest } from '../api/initial-request.ts';
import type { InputOf, PathOf, QueryOf, RouteAt } from '../api/routes.ts';
import { analyticsView } from '../pages/analytics/view.ts';
import { firstAuditQuery } from '../pages/audit/filter.ts';
import { firstCallsQuery } from '../pages/calls/filter.ts';
import { knownRole } from './account/known-role.ts';

/** What the initial requests of a page depend on. */
interface Visit {
  /** The item the page is about, captured by its path pattern. */
  readonly subject: string;
  readonly search: URLSearchParams;
  readonly isFirstTab: boolean;
  readonly role: string;
}

interface PageEntry {
  /** The part of the docs that explains the page, below /docs/. */
  readonly docs: string;
  /** The path below `/admin` for a page about one item; absent if the name is the path. */
  readonly path?: RegExp;
  /** Requested while the app is still loading. A reply the page doesn't use is ignored. */
  readonly requests: (visit: Visit) => readonly InitialRequest[];
}

const one = <P extends PathOf<'GET'>>(path: P, input: InputOf<RouteAt<'GET', P>>): InitialRequest => {
  const { params, query } = input as AnyInput;
  return { read: 'one', path, params, query };
};
const whole = (path: PathOf<'GET'>): InitialRequest => ({ read: 'whole', path, query: {} });
const paged = <P extends PathOf<'GET'>>(path: P, query: QueryOf<RouteAt<'GET', P>>): InitialRequest => ({
  read: 'paged',
  path,
  query: query ?? {},
});

/** The pages of the app, except sign-in. */
const pages = {
  home: {
    docs: 'guide/admin.html',
    path: /^\/?$/,
    requests: () => [one('/overview', {}), one('/analytics', { query: { range: '24h' } })],
  },
  add: { docs: 'guide/importing.html', requests: () => [] },
  apis: { docs: 'guide/importing.html', requests: () => [whole('/apis')] },
  api: {
    docs: 'guide/importing.html#importing-again',
    path: /^\/apis\/([^/]+)$/,
    requests: ({ subject, isFirstTab }) => [
      one('/apis/:api', { params: { api: subject } }),
      ...(isFirstTab ? [one('/tool-index', { query: { api: subject } })] : []),
    ],
  },
  newTool: {
    docs: 'guide/importing.html#how-inputs-are-built',
    path: /^\/apis\/([^/]+)\/new-tool$/,
    requests: ({ subject }) => [one('/apis/:api', { params: { api: subject } })],
  },
  tools: { docs: 'guide/importing.html#what-you-get', requests: () => [one('/tool-index', { query: {} })] },
  tool: {
    docs: 'guide/importing.html#how-inputs-are-built',
    path: /^\/tools\/([^/]+)$/,
    requests: ({ subject, isFirstTab }) => [
      one('/tools/:tool', { params: { tool: subject } }),
      ...(isFirstTab ? [one('/servers', { query: { limit: 500 } })] : []),
    ],
  },
  servers: { docs: 'guide/servers.html', requests: () => [whole('/servers')] },
  publish: { docs: 'guide/servers.html', requests: () => [one('/tool-index', {}), whole('/servers')] },
  server: {
    docs: 'guide/servers.html#how-tools-are-shown',
    path: /^\/servers\/([^/]+)$/,
    requests: ({ subject }) => [one('/servers/:server', { params: { server: subject } })],
  },
  code: {
    docs: 'guide/code.html',
    path: /^\/code(?:\/([^/]+))?$/,
    requests: ({ subject }) => [
      whole('/servers'),
      ...(subject === '' ? [] : [one('/servers/:server/script-tools', { params: { server: subject } })]),
    ],
  },
  composed: { docs: 'guide/code.html#composed-tools', requests: () => [whole('/composed-tools')] },
  composedTool: {
    docs: 'guide/code.html#composed-tools',
    path: /^\/composed\/([^/]+)$/,
    requests: ({ subject }) => [one('/composed-tools/:tool', { params: { tool: subject } })],
  },
  playground: { docs: 'guide/playground.html', requests: () => [whole('/servers'), whole('/models')] },
  keys: { docs: 'guide/access.html#callers', requests: () => [whole('/keys')] },
  connectedApps: {
    docs: 'guide/connect-by-url.html#connected-apps',
    path: /^\/connected-apps$/,
    requests: () => [whole('/connected-apps')],
  },
  calls: {
    docs: 'guide/observability.html',
    requests: ({ search }) => [paged('/calls', firstCallsQuery(search, Date.now()))],
  },
  call: {
    docs: 'guide/observability.html',
    path: /^\/calls\/([^/]+)$/,
    requests: ({ subject }) => [one('/calls/:call', { params: { call: subject } })],
  },
  credentials: { docs: 'guide/credentials.html', requests: () => [whole('/credentials'), whole('/apis')] },
  people: {
    docs: 'guide/access.html',
    requests: ({ role }) =>
      role === 'owner'
        ? [whole('/people'), whole('/groups'), whole('/identity-providers'), whole('/api-tokens')]
        : [],
  },
  audit: {
    docs: 'guide/access.html',
    requests: ({ search }) => [
      one('/audit/actors', {}),
      paged('/audit', firstAuditQuery(search, Date.now())),
    ],
  },
  analytics: {
    docs: 'guide/observability.html',
    requests: ({ search }) => [one('/analytics', { query: analyticsView(search) })],
  },
  settings: { docs: 'guide/limits.html', requests: () => [one('/settings', {})] },
  me: {
    docs: 'guide/sign-in.html#your-own-page',
    requests: () => [one('/accounts', {}), one('/me/second-factors', {}), one('/sessions', {})],
  },
} satisfies Readonly<Record<string, PageEntry>>;

export type PageName = keyof typeof pages;

const entries = Object.entries(pages) as readonly [PageName, PageEntry][];

/** The path below `/admin` that the browser shows. */
export const pathOf = (place: Pick<Location, 'pathname'>): string =>
  place.pathname.replace(/^\/admin(?=\/|$)/, '');

/** The page at a path below `/admin` and its subject; null if there is none. */
export function pageAt(path: string): { readonly name: PageName; readonly subject: string } | null {
  for (const [name, entry] of entries) {
    if (entry.path === undefined ? path !== `/${name}` : !entry.path.test(path)) continue;
    const subject = decode(entry.path?.exec(path)?.[1] ?? '');
    return subject === null ? null : { name, subject };
  }
  return null;
}

/** Null for malformed percent-encoding. */
function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** The part of the docs that explains the page at a path below `/admin`. */
export function docsAt(path: string): string {
  const page = pageAt(path);
  return `/docs/${page === null ? '' : pages[page.name].docs}`;
}

/** The initial requests of the page at a location. */
export function initialRequests(place: Pick<Location, 'pathname' | 'search'>): readonly InitialRequest[] {
  const role = knownRole();
  const page = pageAt(pathOf(place));
  if (role === null || page === null || (role === 'none' && page.name !== 'me')) return [];
  const search = new URLSearchParams(place.search);
  const { requests }: PageEntry = pages[page.name];
  return requests({ subject: page.subject, search, isFirstTab: search.get('tab') === null, role });
}
