import { describe, expect, it } from 'vitest';
import { annotationsByMeaning } from './tool-meaning.ts';
import { kindOf } from './tool.ts';

function kind(method: string, path: string, name?: string, summary?: string): string {
  const { annotations } = annotationsByMeaning({ method, path, name, summary });
  return kindOf({ name: name ?? 'x', annotations, operation: { method, path, parameters: [] } });
}

describe('the kind of an operation by what it says it does', () => {
  it.each([
    ['GET', '/#Action=DeleteDBCluster', 'GET_DeleteDBCluster', undefined, 'destructive'],
    ['GET', '/#Action=CreateDBCluster', 'GET_CreateDBCluster', undefined, 'write'],
    ['GET', '/#Action=DescribeDBClusters', 'GET_DescribeDBClusters', undefined, 'read'],
    ['GET', '/users/{id}/delete', undefined, undefined, 'destructive'],
    ['GET', '/cookies', undefined, 'Permanently deletes a cookie.', 'destructive'],
    ['GET', '/vm', 'startInstance', undefined, 'write'],
    ['GET', '/vm', 'startPage', undefined, 'read'],
    ['GET', '/vm', 'vmUpdate', undefined, 'write'],
    ['GET', '/cache', undefined, 'Set the cache to a value.', 'write'],
    ['POST', '/containers/prune', 'ContainerPrune', 'Delete stopped containers', 'destructive'],
    ['POST', '/cart', 'removeItem', undefined, 'destructive'],
    ['POST', '/instances:terminate', undefined, undefined, 'destructive'],
    ['PUT', '/orders/{id}/cancel', undefined, undefined, 'destructive'],
    ['PATCH', '/orders/{id}', 'revoke_order', undefined, 'destructive'],
    ['PUT', '/orders/{id}', 'updateOrder', undefined, 'write'],
    ['POST', '/orders', 'createOrder', undefined, 'write'],
    ['DELETE', '/orders/{id}', 'getOrder', undefined, 'destructive'],
  ])('%s %s %s %s is %s', (method, path, name, summary, expected) => {
    expect(kind(method, path, name, summary)).toBe(expected);
  });

  it.each([
    ['POST', '/messages/search', undefined, 'Search messages'],
    ['POST', '/points/query', 'query_points', 'Query points'],
    ['POST', '/', 'ListTables', undefined],
    ['GET', '/pulls/{id}/merge', 'isMerged', 'Check if a pull request has been merged'],
    ['GET', '/update/history', 'updateHistory', 'Update history'],
    ['GET', '/moves', 'move_list', 'List moves'],
    ['GET', '/lock', 'Lock_GetLock', 'Gets lock information'],
    ['GET', '/patches', 'downloadDiffOrPatch', undefined],
    ['GET', '/list', 'link_header', undefined],
    ['GET', '/list', 'start_and_rows', undefined],
    ['GET', '/list', 'startDate', undefined],
    ['GET', '/deleted', 'listDeletedUsers', 'Deleted users'],
  ])('%s %s %s %s is a read', (method, path, name, summary) => {
    expect(kind(method, path, name, summary)).toBe('read');
  });

  it.each([
    ['/searches', 'createSearch', 'Create a search'],
    ['/search', 'saveSearch', undefined],
    ['/query', undefined, 'Run a query'],
    ['/admin/reindex-search', 'rebuildSearchIndex', 'Rebuilds the index'],
    ['/graphql/query', undefined, undefined],
    ['/lists', 'lists', 'Lists'],
  ])('POST %s %s %s stays a write', (path, name, summary) => {
    expect(kind('POST', path, name, summary)).toBe('write');
  });

  it('names the word that decided', () => {
    const because = (method: string, path: string, name?: string, summary?: string) =>
      annotationsByMeaning({ method, path, name, summary }).because;
    expect(because('GET', '/x', 'deleteUser')).toBe('its name says "delete"');
    expect(because('GET', '/x', undefined, 'Cancels an order')).toBe('its summary says "cancels"');
    expect(because('GET', '/x/remove')).toBe('its path ends in "remove"');
    expect(because('GET', '/?Action=PurgeQueue')).toBe('its action says "purge"');
    expect(because('GET', '/x', 'getUser')).toBeUndefined();
  });
});
