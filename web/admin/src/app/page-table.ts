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
    path: /^\/?$/,
    requests: () => [one('/overview', {}), one('/analytics', { query: { range: '24h' } })],
  },
  add: { requests: () => [] },
  apis: { requests: () => [whole('/apis')] },
  api: {
    path: /^\/apis\/([^/]+)$/,
    requests: ({ subject, isFirstTab }) => [
      one('/apis/:api', { params: { api: subject } }),
      ...(isFirstTab ? [one('/tool-index', { query: { api: subject } })] : []),
    ],
  },
  newTool: {
    path: /^\/apis\/([^/]+)\/new-tool$/,
    requests: ({ subject }) => [one('/apis/:api', { params: { api: subject } })],
  },
  tools: { requests: () => [one('/tool-index', { query: {} })] },
  tool: {
    path: /^\/tools\/([^/]+)$/,
    requests: ({ subject, isFirstTab }) => [
      one('/tools/:tool', { params: { tool: subject } }),
      ...(isFirstTab ? [one('/servers', { query: { limit: 500 } })] : []),
    ],
  },
  servers: { requests: () => [whole('/servers')] },
  publish: { requests: () => [one('/tool-index', {}), whole('/servers')] },
  server: {
    path: /^\/servers\/([^/]+)$/,
    requests: ({ subject }) => [one('/servers/:server', { params: { server: subject } })],
  },
  code: {
    path: /^\/code(?:\/([^/]+))?$/,
    requests: ({ subject }) => [
      whole('/servers'),
      ...(subject === '' ? [] : [one('/servers/:server/script-tools', { params: { server: subject } })]),
    ],
  },
  composed: { requests: () => [whole('/composed-tools')] },
  composedTool: {
    path: /^\/composed\/([^/]+)$/,
    requests: ({ subject }) => [one('/composed-tools/:tool', { params: { tool: subject } })],
  },
  playground: { requests: () => [whole('/servers'), whole('/models')] },
  keys: { requests: () => [whole('/keys')] },
  calls: { requests: ({ search }) => [paged('/calls', firstCallsQuery(search, Date.now()))] },
  call: {
    path: /^\/calls\/([^/]+)$/,
    requests: ({ subject }) => [one('/calls/:call', { params: { call: subject } })],
  },
  credentials: { requests: () => [whole('/credentials'), whole('/apis')] },
  people: { requests: ({ role }) => (role === 'owner' ? [whole('/people')] : []) },
  audit: {
    requests: ({ search }) => [
      one('/audit/actors', {}),
      paged('/audit', firstAuditQuery(search, Date.now())),
    ],
  },
  analytics: { requests: ({ search }) => [one('/analytics', { query: analyticsView(search) })] },
  settings: { requests: () => [one('/settings', {})] },
  account: { requests: () => [one('/sessions', {})] },
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

/** The initial requests of the page at a location. */
export function initialRequests(place: Pick<Location, 'pathname' | 'search'>): readonly InitialRequest[] {
  const role = knownRole();
  const page = pageAt(pathOf(place));
  if (role === null || page === null) return [];
  const search = new URLSearchParams(place.search);
  const { requests }: PageEntry = pages[page.name];
  return requests({ subject: page.subject, search, isFirstTab: search.get('tab') === null, role });
}
