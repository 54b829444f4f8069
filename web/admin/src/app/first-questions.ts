import type { AnyInput } from '../api/client.ts';
import type { FirstQuestion } from '../api/first-question.ts';
import type { InputOf, PathOf, QueryOf, RouteAt } from '../api/routes.ts';
import { analyticsView } from '../pages/analytics/view.ts';
import { firstAuditQuery } from '../pages/audit/filter.ts';
import { firstCallsQuery } from '../pages/calls/filter.ts';
import { knownRole } from './account/known-role.ts';
import { pageAt, pathOf } from './page-names.ts';

const one = <P extends PathOf<'GET'>>(path: P, input: InputOf<RouteAt<'GET', P>>): FirstQuestion => {
  const { params, query } = input as AnyInput;
  return { read: 'one', path, params, query };
};
const whole = (path: PathOf<'GET'>): FirstQuestion => ({ read: 'whole', path, query: {} });
const paged = <P extends PathOf<'GET'>>(path: P, query: QueryOf<RouteAt<'GET', P>>): FirstQuestion => ({
  read: 'paged',
  path,
  query: query ?? {},
});

/**
 * What the page at an address asks first. It is asked while the app itself is still on its way; a question that the page
 * then does not ask is only asked in vain.
 */
export function firstQuestions(place: Pick<Location, 'pathname' | 'search'>): readonly FirstQuestion[] {
  const role = knownRole();
  const page = pageAt(pathOf(place));
  if (role === null || page === null) return [];
  const search = new URLSearchParams(place.search);
  const subject = page.subject;
  const firstTab = search.get('tab') === null;
  switch (page.name) {
    case 'home':
      return [one('/overview', {}), one('/analytics', { query: { range: '24h' } })];
    case 'apis':
      return [whole('/apis')];
    case 'api':
      return [
        one('/apis/:api', { params: { api: subject } }),
        ...(firstTab ? [one('/tool-index', { query: { api: subject } })] : []),
      ];
    case 'newTool':
      return [one('/apis/:api', { params: { api: subject } })];
    case 'tools':
      return [one('/tool-index', { query: {} })];
    case 'tool':
      return [
        one('/tools/:tool', { params: { tool: subject } }),
        ...(firstTab ? [one('/servers', { query: { limit: 500 } })] : []),
      ];
    case 'servers':
      return [whole('/servers')];
    case 'server':
      return [one('/servers/:server', { params: { server: subject } })];
    case 'keys':
      return [whole('/keys')];
    case 'calls':
      return [paged('/calls', firstCallsQuery(search, Date.now()))];
    case 'call':
      return [one('/calls/:call', { params: { call: subject } })];
    case 'credentials':
      return [whole('/credentials'), whole('/apis')];
    case 'admins':
      return role === 'owner' ? [whole('/admins')] : [];
    case 'audit':
      return [one('/audit/actors', {}), paged('/audit', firstAuditQuery(search, Date.now()))];
    case 'analytics':
      return [one('/analytics', { query: analyticsView(search) })];
    case 'settings':
      return [one('/settings', {})];
    case 'account':
      return [one('/sessions', {})];
    case 'add':
      return [];
  }
}
