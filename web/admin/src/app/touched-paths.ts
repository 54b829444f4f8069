import type { PathOf } from '../api/routes.ts';

const costs = ['/server-costs', '/servers/:server/cost', '/search'] as const;

/** Which routes to refetch when an item of a kind changes. */
const touched: Readonly<Record<string, readonly PathOf<'GET'>[]>> = {
  api: ['/apis', '/apis/:api', '/tool-index', '/overview', ...costs],
  tool: [
    '/tools',
    '/tools/:tool',
    '/tools/:tool/pending',
    '/apis/:api',
    '/apis/:api/waiting',
    '/apis/:api/removed',
    '/tool-index',
    '/apis',
    '/servers',
    '/overview',
    ...costs,
  ],
  server: ['/servers', '/servers/:server', '/overview', ...costs],
  credential: ['/credentials', '/apis', '/apis/:api', '/overview'],
  key: ['/keys', '/overview'],
  person: ['/people'],
  'identity-provider': ['/identity-providers'],
  'api-token': ['/api-tokens'],
  group: ['/groups', '/people'],
  setting: ['/settings'],
};

/** The routes whose cached replies an event makes stale. An unreadable event makes all of them stale. */
export function pathsTouchedBy(text: string): PathOf<'GET'>[] {
  const all = () => [...new Set(Object.values(touched).flat())];
  try {
    const { changes } = JSON.parse(text) as { changes?: { kind?: string }[] };
    if (!Array.isArray(changes) || changes.length === 0) return all();
    return [
      ...new Set<PathOf<'GET'>>([
        ...changes.flatMap((change) => touched[change.kind ?? ''] ?? []),
        '/audit',
        '/set-aside',
      ]),
    ];
  } catch {
    return all();
  }
}
