import { describe, expect, it } from 'vitest';
import { nameFromPath, repeatsName, withoutPath } from './names.ts';

describe('a name made from a path', () => {
  it.each([
    ['GET', '/users', 'get_users'],
    ['GET', '/users/{id}', 'get_users_by_id'],
    ['GET', '/users/{id}/posts', 'get_users_by_id_posts'],
    ['GET', '/repositories/{workspace}/{repo_slug}/src/{commit}/{path}', 'get_repositories_src_by_path'],
    ['DELETE', '/repositories/{workspace}/{repo_slug}/hooks', 'delete_repositories_hooks'],
    ['GET', '/a/{b}.{c}', 'get_a_by_c'],
    ['GET', '/', 'get_root'],
  ])('%s %s is %s', (method, path, name) => {
    expect(nameFromPath(method, path)).toBe(name);
  });
});

describe('an operationId', () => {
  it.each([
    ['read_item_items__item_id__get', 'GET', '/items/{item_id}', 'read_item'],
    ['getItem', 'GET', '/items', 'getItem'],
    ['_items_get', 'GET', '/items', '_items_get'],
  ])('%s of %s %s is %s', (id, method, path, name) => {
    expect(withoutPath(id, method, path)).toBe(name);
  });
});

describe('a summary', () => {
  it.each([
    ['List users', 'listUsers', true],
    ['Get a user', 'users_get', true],
    ['Lists the users', 'users/list', true],
    ['Get a user by email', 'getUser', false],
    ['', 'getUser', false],
  ])('%j repeats %s: %s', (text, name, expected) => {
    expect(repeatsName(text, name)).toBe(expected);
  });
});
