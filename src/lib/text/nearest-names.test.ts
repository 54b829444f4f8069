import { describe, expect, it } from 'vitest';
import { nearestNames, suggestion } from './nearest-names.ts';

describe('nearest names', () => {
  const names = [
    'status',
    'state',
    'page',
    'page_size',
    'pageToken',
    'title',
    'q',
    'sort-by',
    'createdAfter',
  ];
  it.each([
    ['stauts', ['status', 'state']],
    ['Title', ['title']],
    ['pagesize', ['page_size']],
    ['PAGE-TOKEN', ['pageToken']],
    ['sortBy', ['sort-by']],
    ['titel', ['title']],
    ['created_after', ['createdAfter']],
    ['whatever', []],
    ['', []],
    ['???', []],
  ])('%s', (wanted, near) => {
    const found = nearestNames(wanted, names);
    expect(found.slice(0, Math.max(1, near.length))).toEqual(near);
  });

  it('finds tools whose words stand in another order, or behind the name of their API', () => {
    const tools = ['github_issues_create', 'github_issues_list', 'jira_create_issue', 'weather_now'];
    expect(nearestNames('issues_create', tools)[0]).toBe('github_issues_create');
    expect(nearestNames('create_github_issues', tools)[0]).toBe('github_issues_create');
    expect(nearestNames('now_weather', tools)).toEqual(['weather_now']);
  });

  it('writes a suggestion', () => {
    expect(suggestion('a1', ['a1x', 'b'])).toBe(' Did you mean a1x?');
    expect(suggestion('zzz', ['a'])).toBe('');
  });

  it('takes names of any length, and thousands of them', () => {
    const many = Array.from({ length: 10_000 }, (_, n) => `tool_number_${n}_${'x'.repeat(n % 80)}`);
    expect(nearestNames(`tool_numbre_${'9'.repeat(10_000)}`, many).length).toBeLessThanOrEqual(3);
  });
});
